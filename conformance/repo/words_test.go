package repo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// providerID matches the names of clients and extensions. What is different about one is in its descriptor.
var providerID = regexp.MustCompile(`(?i)\b(codex|claude|claude-code|cursor|opencode|kimi|kimi-code|hermes|tutti-agent|tuttiagent|openclaw|nexight)\b`)

func TestCoreAndThePageNameNoProvider(t *testing.T) {
	t.Parallel()
	literals := 0
	for _, f := range files(t) {
		if f.below("daemon/page/templates") {
			if found := providerID.FindString(f.text); found != "" {
				t.Errorf("%s names %s", f.path, found)
			}
			continue
		}
		if !f.below("core") && !f.below("examples/vmhost") && !f.below("daemon/page") && !f.below("daemon/api") || f.isTest() {
			continue
		}
		if f.below("core/canon/text") {
			if found := providerID.FindString(f.text); found != "" {
				t.Errorf("%s names %s", f.path, found)
			}
			continue
		}
		if !f.isGo() || f.isGenerated() {
			continue
		}
		for _, l := range stringsOf(t, f) {
			literals++
			if found := providerID.FindString(l.name); found != "" {
				t.Errorf("%s:%d names %s in %q", f.path, l.line, found, l.name)
			}
		}
	}
	if literals < 100 {
		t.Errorf("only %d strings were looked at", literals)
	}
}

// stringsOf lists the string literals of a file.
func stringsOf(t *testing.T, f file) []use {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.path, f.text, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil
	}
	var found []use
	ast.Inspect(tree, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Error(err)
			}
			found = append(found, use{text, fset.Position(l.Pos()).Line})
		}
		return true
	})
	return found
}

// The words are put together here, so that this file does not hold them.
var (
	unfinished = regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"}, "|") + `)\b`)
	machine    = regexp.MustCompile(`(^|[^A-Za-z0-9._~$}-])/(` + "wo" + `rk/(main|shared)|` + "ro" + `ot/|Us` + `ers/[a-z]+/)`)
	registries = regexp.MustCompile(`(registry\.npm` + `js\.org|proxy\.gol` + `ang\.org|sum\.gol` + `ang\.org|reg` + `istry\.yarnpkg)`)
	keys       = regexp.MustCompile(`\b(sk-` + `ant-[A-Za-z0-9_-]{20,}|sk-` + `proj-[A-Za-z0-9_-]{20,}|gh` + `p_[A-Za-z0-9]{36}|AK` + `IA[A-Z0-9]{16}|-----BEG` + `IN [A-Z ]*PRIVATE KEY)`)
)

func TestNoFileHoldsWhatDoesNotBelongThere(t *testing.T) {
	t.Parallel()
	for _, f := range files(t) {
		for what, pattern := range map[string]*regexp.Regexp{
			"unfinished work": unfinished, "a path of one machine": machine, "a registry": registries, "a credential": keys,
		} {
			for i, line := range f.lines() {
				if found := pattern.FindString(line); found != "" {
					t.Errorf("%s:%d holds %s: %s", f.path, i+1, what, found)
				}
			}
		}
	}
}

func TestFilesAreTidyText(t *testing.T) {
	t.Parallel()
	for _, f := range files(t) {
		if f.inTestdata() || f.isGenerated() || f.text == "" {
			continue
		}
		if strings.Contains(f.text, "\r") {
			t.Errorf("%s has line ends of DOS", f.path)
		}
		if !strings.HasSuffix(f.text, "\n") || strings.HasSuffix(f.text, "\n\n") {
			t.Errorf("%s does not end in one line break", f.path)
		}
	}
}

// The texts of core spell skills with the name of the plugin that an adapter makes. Neither may import the other.
func TestPluginHasOneName(t *testing.T) {
	t.Parallel()
	name := func(path, pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text(t, path))
		if m == nil {
			t.Fatalf("%s has no %s", path, pattern)
		}
		return m[1]
	}
	spelled := name("core/canon/facts.go", `DefaultPlugin = "([^"]+)"`)
	if made := name("providers/claude/adapter.go", `const plugin = "([^"]+)"`); made != spelled {
		t.Errorf("the texts spell %s, the plugin is %s", spelled, made)
	}
}

// A binary that was built in the tree is not to be committed.
func TestNoFileIsBuilt(t *testing.T) {
	t.Parallel()
	list, err := readFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		switch {
		case f.inTestdata(), strings.HasSuffix(f.path, ".binpb"), strings.HasPrefix(f.path, "bin/"):
		case f.binary:
			t.Errorf("%s is no text", f.path)
		case len(f.text) > 256<<10 && !f.isGenerated():
			t.Errorf("%s has %d bytes", f.path, len(f.text))
		}
	}
}
