package repo_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// ceilings are the numbers in testdata/ceilings.json. They may only be lowered.
type ceilings struct {
	// FileLines is the longest a Go file may be.
	FileLines int `json:"file_lines"`
	// DoubledLines is how many lines of code may lie in windows that stand in two places.
	DoubledLines int `json:"doubled_lines"`
	// AdapterLines is how many lines of Go, comments and blank ones too, an adapter may have in all.
	AdapterLines int `json:"adapter_lines"`
}

func readCeilings(t *testing.T) ceilings {
	t.Helper()
	data, err := os.ReadFile("testdata/ceilings.json")
	if err != nil {
		t.Fatal(err)
	}
	var c ceilings
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	most := readCeilings(t).FileLines
	if most > 500 {
		t.Errorf("the ceiling was raised to %d lines", most)
	}
	for _, f := range files(t) {
		if n := len(f.lines()); f.isGo() && !f.isGenerated() && n > most {
			t.Errorf("%s has %d lines, more than %d", f.path, n, most)
		}
	}
}

// An adapter says what is its client's own. What several need is in the sdk.
func TestAdaptersAreSmall(t *testing.T) {
	t.Parallel()
	most := readCeilings(t).AdapterLines
	if most >= 400 {
		t.Errorf("the ceiling was raised to %d lines", most)
	}
	lines := map[string]int{}
	for _, f := range files(t) {
		// The main program, which is one statement for each, lies in a folder of its own.
		if adapter, name, _ := strings.Cut(strings.TrimPrefix(f.path, "providers/"), "/"); f.below("providers") && f.isGo() && !f.isTest() &&
			!strings.HasPrefix(name, "cmd/") {
			lines[adapter] += len(f.lines())
		}
	}
	if len(lines) < 6 {
		t.Errorf("only %d adapters were found", len(lines))
	}
	for adapter, n := range lines {
		if n > most {
			t.Errorf("the adapter %s has %d lines, more than %d", adapter, n, most)
		}
	}
}

// window is how many equal lines in a row count as doubled.
const window = 12

func TestCodeIsNotDoubled(t *testing.T) {
	t.Parallel()
	most := readCeilings(t).DoubledLines
	var code []file
	for _, f := range files(t) {
		if f.isGo() && !f.isTest() && !f.isGenerated() {
			code = append(code, f)
		}
	}
	found := doubled(code)
	total := 0
	for _, d := range found {
		total += d.lines
	}
	if total > most {
		t.Errorf("%d lines of code are doubled, more than %d", total, most)
		for _, d := range found {
			t.Errorf("%d lines of %s stand elsewhere too, first at %s", d.lines, d.path, d.at)
		}
	}
	if total < most {
		t.Errorf("only %d lines of code are doubled: lower the ceiling of %d", total, most)
	}
}

type doubling struct {
	path  string
	lines int
	at    string
}

// doubled counts the lines of each file that lie in a window which stands in another place too.
func doubled(code []file) []doubling {
	first := map[string]string{}
	marked := map[string]map[int]bool{}
	at := map[string]string{}
	mark := func(path string, from int) {
		if marked[path] == nil {
			marked[path] = map[int]bool{}
		}
		for i := range window {
			marked[path][from+i] = true
		}
	}
	for _, f := range code {
		lines := normal(f.text)
		for i := 0; i+window <= len(lines); i++ {
			key := strings.Join(lines[i:i+window], "\n")
			if where, ok := first[key]; ok && where != f.path {
				mark(f.path, i)
				at[f.path] = cmp.Or(at[f.path], where+": "+lines[i])
			} else {
				first[key] = f.path
			}
		}
	}
	var found []doubling
	for path, lines := range marked {
		found = append(found, doubling{path, len(lines), at[path]})
	}
	slices.SortFunc(found, func(a, b doubling) int { return cmp.Compare(a.path, b.path) })
	return found
}

// normal are the lines of code that say something: no comments, imports, blank lines or lone brackets.
func normal(text string) []string {
	var lines []string
	imports := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "import (":
			imports = true
		case imports:
			imports = line != ")"
		case line == "", strings.HasPrefix(line, "//"), strings.Trim(line, "{}()[],") == "",
			strings.HasPrefix(line, "import "), strings.HasPrefix(line, "package "):
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

func TestDoubledCodeIsFound(t *testing.T) {
	t.Parallel()
	body := ""
	for i := range window + 3 {
		body += "call" + strings.Repeat("x", i) + "()\n\n// why\n"
	}
	a := file{path: "a.go", text: "package a\nimport (\n\"x\"\n)\nfunc a() {\n" + body + "}\n"}
	b := file{path: "b.go", text: "package b\n\nfunc b() {\n\t" + strings.ReplaceAll(body, "\n", "\n\t") + "}\n"}
	c := file{path: "c.go", text: "package c\n" + strings.Replace(body, "callxxxxx()", "other()", 1)}
	if got := doubled([]file{a, b, c}); len(got) != 1 || got[0].path != "b.go" || got[0].lines != window+3 {
		t.Errorf("found %v", got)
	}
}
