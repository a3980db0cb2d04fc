package repo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codes are the error codes of core, from its source.
func codes(t *testing.T) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "fault.go", text(t, "core/internal/fault/fault.go"), 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "Code" {
			for _, v := range spec.Values {
				code, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, code)
			}
		}
		return true
	})
	slices.Sort(list)
	return list
}

func TestErrorCodesAreDocumented(t *testing.T) {
	t.Parallel()
	_, table, ok := strings.Cut(text(t, "core/README.md"), "\n## Errors\n")
	if !ok {
		t.Fatal("core/README.md has no section on errors")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(table, -1) {
		documented = append(documented, m[1])
	}
	slices.Sort(documented)
	if want := codes(t); len(want) < 30 || !slices.Equal(documented, want) {
		t.Errorf("documented are\n%v, and there are\n%v", documented, want)
	}
}

// A host that filters the environment has to know what it must let through.
func TestH25_NeededVariablesAreDocumented(t *testing.T) {
	t.Parallel()
	_, list, ok := strings.Cut(text(t, "core/README.md"), "\n```text\nHOME ")
	if !ok {
		t.Fatal("core/README.md has no list of variables")
	}
	list, _, _ = strings.Cut(list, "```")
	names := strings.Fields("HOME " + list)
	for _, want := range []string{
		"HOME", "USERPROFILE", "PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "APPDATA", "LOCALAPPDATA", "SystemRoot", "TMPDIR",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not in the list", want)
		}
	}
}

var markdownLink = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)

func TestLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, f := range files(t) {
		for at := f.path; at != "."; at = path.Dir(at) {
			known[at] = true
		}
	}
	checked := 0
	for _, f := range files(t) {
		if !strings.HasSuffix(f.path, ".md") || f.inTestdata() || f.below("core/canon") {
			continue
		}
		for _, m := range markdownLink.FindAllStringSubmatch(f.text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			checked++
			if !known[path.Join(path.Dir(f.path), m[1])] {
				t.Errorf("%s links to %s, which is not there", f.path, m[1])
			}
		}
	}
	if checked == 0 {
		t.Error("no link was found")
	}
}

// Every target of the Makefile that a document names is there.
func TestDocumentedTargetsExist(t *testing.T) {
	t.Parallel()
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z]+):`).FindAllStringSubmatch(text(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	if !targets["demo"] || !targets["test"] {
		t.Errorf("the Makefile has the targets %v", slices.Sorted(maps.Keys(targets)))
	}
	for _, f := range files(t) {
		if !strings.HasSuffix(f.path, ".md") && f.path != ".ci/run" || f.below("core/canon") {
			continue
		}
		for _, m := range regexp.MustCompile("(?m)(?:`|^(?:step [0-9]+ [a-z]+ )?)make ([a-z]+)(?:`|$| [A-Z#]+)").FindAllStringSubmatch(f.text, -1) {
			if !targets[m[1]] {
				t.Errorf("%s names make %s", f.path, m[1])
			}
		}
	}
}

// Code that a guide shows is code that is built and tested.
func TestShownCodeIsReal(t *testing.T) {
	t.Parallel()
	shown := 0
	block := regexp.MustCompile("(?s)<!-- from ([^ ]+) -->\n```[a-z]*\n(.*?)```\n")
	for _, f := range files(t) {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, m := range block.FindAllStringSubmatch(f.text, -1) {
			shown++
			if !strings.Contains(text(t, m[1]), m[2]) {
				t.Errorf("%s shows code that does not stand in %s:\n%s", f.path, m[1], m[2])
			}
		}
	}
	if shown < 5 {
		t.Errorf("only %d blocks were found", shown)
	}
}

// Hosts give their commands the ids that the texts know.
func TestCommandsOfTheTextsAreDocumented(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	id := regexp.MustCompile(`"((?:agent|issue|app|reference|connector|browser|computer)\.[a-z.-]+)"`)
	for _, f := range files(t) {
		if !f.below("core/canon/text") && f.path != "core/capability/standard.go" {
			continue
		}
		for _, m := range id.FindAllStringSubmatch(f.text, -1) {
			known[m[1]] = true
		}
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z.-]+)` \\|").FindAllStringSubmatch(text(t, "docs/commands.md"), -1) {
		documented[m[1]] = true
	}
	if len(known) < 40 || !maps.Equal(known, documented) {
		t.Errorf("the texts know\n%v, documented are\n%v", slices.Sorted(maps.Keys(known)), slices.Sorted(maps.Keys(documented)))
	}
}
