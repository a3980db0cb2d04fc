package skill_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/skill"
)

// renamed renames a skill with the given front matter, and gives the values of it before and after, without the name. A
// skill that is none is nil, nil.
func renamed(t testing.TB, head string) (before, after map[string]any) {
	t.Helper()
	read := func(s skill.Skill) map[string]any {
		var values map[string]any
		text := strings.TrimSuffix(strings.TrimPrefix(string(s.Files[skill.MainFile]), "---\n"), "---\nbody\n")
		if err := yaml.Unmarshal([]byte(text), &values); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		return values
	}
	s := skill.Skill{ID: "a", Name: "one", Files: map[string][]byte{skill.MainFile: []byte("---\n" + head + "\n---\nbody\n")}}
	if strings.Contains(head, "---") || s.Check() != nil {
		return nil, nil
	}
	other, err := skill.Named{Name: "two", Skill: s}.Renamed()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Check(); err != nil {
		t.Fatalf("%q becomes %q: %v", head, other.Files[skill.MainFile], err)
	}
	before, after = read(s), read(other)
	if after["name"] != "two" || other.Name != "two" {
		t.Errorf("%q is called %v", head, after["name"])
	}
	delete(before, "name")
	delete(after, "name")
	return before, after
}

// heads are ways to write front matter that the library does not write as it reads them.
func heads() []string {
	return []string{
		"name: &n one\ndescription: d\ntitle: *n",
		"name: one\ndescription: >\n  folded\n    and indented",
		"name: one\ndescription: \"\\n  begins late\"",
		"name: one\ndescription: |2\n    a\n   b",
		"{name: one, description: d, list: [a, b]}",
		"name: one\ndescription: d\nmore: {a, b: }",
		"name: one # note\ndescription: |+\n  a\n\n\nmore: {<<: {a: b}}",
	}
}

func TestC100_RenamingChangesNothingButTheName(t *testing.T) {
	t.Parallel()
	for _, head := range heads() {
		before, after := renamed(t, head)
		if diff := cmp.Diff(before, after); diff != "" || len(before) == 0 {
			t.Errorf("%q: %s", head, diff)
		}
	}
}

func FuzzRename(f *testing.F) {
	for _, head := range heads() {
		f.Add(head)
	}
	f.Fuzz(func(t *testing.T, head string) {
		if before, after := renamed(t, head); !cmp.Equal(before, after) && !strings.Contains(strings.ToLower(head), "nan") {
			t.Errorf("%q: %s", head, cmp.Diff(before, after))
		}
	})
}
