package merge_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var distinct = merge.Edit{Op: preparer.OpDistinct, Path: key("skills", "external_dirs")}

func TestDistinct(t *testing.T) {
	t.Parallel()
	for base, want := range map[string][]any{
		"skills:\n  external_dirs: [a, b, a, ./a, b, \"a\"]\n":            {"a", "b", "./a"},
		"x: &l [a, a]\nskills:\n  external_dirs: *l\n":                    {"a"},
		"x: &s a\nskills:\n  external_dirs: [*s, b, *s]\n":                {"a", "b"},
		"skills:\n  external_dirs:\n  - &s a # one\n  - *s\n  - a\ny: *s": {"a"},
	} {
		out := apply(t, preparer.YAML, base, distinct)
		same(t, want, parse(t, preparer.YAML, out)["skills"].(object)["external_dirs"].([]any))
		same(t, out, apply(t, preparer.YAML, out, distinct))
		for other, v := range parse(t, preparer.YAML, base) {
			if other != "skills" {
				same(t, v, parse(t, preparer.YAML, out)[other])
			}
		}
	}
	for _, base := range []string{"a: 1\n", "skills: ~\n", "skills:\n  external_dirs:\n", "skills: {external_dirs: []}\n", "skills:\n  external_dirs: [a, ~, ~]\n"} {
		same(t, base, apply(t, preparer.YAML, base, distinct))
	}
}

func TestH13_WrongShapesAreRefused(t *testing.T) {
	t.Parallel()
	refused(t, preparer.YAML, string(fixture(t, "hermes-scalar-dirs.yaml")), fault.Unparsable, []string{"home:x/config", "skills/external_dirs", "a string", "line 3", "a list"}, distinct)
	for base, parts := range map[string][]string{
		"skills:\n  external_dirs:\n    - /a\n    - {x: 1}\n": {"skills/external_dirs/1", "a table", "line 4", "a string"},
		"skills:\n  external_dirs:\n    - 1\n":                {"skills/external_dirs/0", "a number", "line 3"},
		"skills:\n  external_dirs:\n    - [a]\n":              {"skills/external_dirs/0", "a list", "line 3"},
		"skills:\n  external_dirs: {a: b}\n":                  {"skills/external_dirs", "a table", "line 2"},
		"skills: [a]\n":                                       {"key skills is a list", "line 1"},
		"skills: text\n":                                      {"key skills is a string", "line 1"},
	} {
		refused(t, preparer.YAML, base, fault.Unparsable, append(parts, "home:x/config"), distinct)
	}
}

// What was made absolute is told, also when the result is remembered.
func TestH12_RewritesAreTold(t *testing.T) {
	t.Parallel()
	base := fixture(t, "hermes-typical.yaml")
	rebase := merge.Edit{Op: preparer.OpRebase, Path: key("skills", "external_dirs"), RebaseTo: "/home/dev/.client"}
	memo := &merge.Memo{}
	for range 2 {
		var told []string
		out, err := memo.Apply(preparer.YAML, base, []merge.Edit{rebase, distinct}, merge.Env{Moved: func(keys []string) { told = append(told, keys...) }})
		if err != nil {
			t.Fatal(err)
		}
		same(t, []string{"skills/external_dirs/3"}, told)
		if !strings.Contains(string(out), "/home/dev/.client/../relative-to-home") {
			t.Errorf("it is as it was:\n%s", out)
		}
	}
}
