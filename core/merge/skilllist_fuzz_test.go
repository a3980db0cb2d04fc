package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// FuzzSkillList: the edits of an extension's list of directories leave every value outside of the list as another decoder
// sees it, the user's entries in front and in order, and what they come to alone when they are made again.
func FuzzSkillList(f *testing.F) {
	seed(f, "hermes-*.yaml", "", "skills:\n", "skills: {external_dirs: [a, a, ~, b]}\nx: &x [1, *x]\n", "a: &a {external_dirs: [x, ../y]}\nskills: *a\nb: *a\n",
		"a: &l [x, x]\nskills:\n  external_dirs: *l\nb: *l\n", "base: &b {k: 1}\nskills:\n  <<: *b\n  external_dirs: ['0644', on, ~/z]\n")
	edits := []merge.Edit{
		{Op: preparer.OpRebase, Path: key("skills", "external_dirs"), RebaseTo: "/home/dev/.client"},
		{Op: preparer.OpDistinct, Path: key("skills", "external_dirs")},
		{Op: preparer.OpAppend, Path: key("skills", "external_dirs"), List: preparer.ListPaths, Items: []any{"/ours/skills", "/home/dev/.client/skills"}},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		out, err := merge.Apply(preparer.YAML, data, edits, merge.Env{Label: "home:x/config"})
		if err != nil {
			if !errors.Is(err, fault.Unparsable) || out != nil {
				t.Errorf("%v, %q", err, out)
			}
			return
		}
		again, err := merge.Apply(preparer.YAML, out, edits, merge.Env{Label: "home:x/config"})
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("a second merge: %v\n%s\n--\n%s", err, out, again)
		}
		var before, after map[string]any
		if yaml.Unmarshal(data, &before) != nil {
			return // the other decoder takes less
		}
		if err := yaml.Unmarshal(out, &after); err != nil {
			t.Fatalf("%v in:\n%s", err, out)
		}
		list := func(m map[string]any) []any {
			skills, _ := m["skills"].(map[string]any)
			list, _ := skills["external_dirs"].([]any)
			delete(skills, "external_dirs")
			if len(skills) == 0 {
				delete(m, "skills")
			}
			return list
		}
		// An alias makes one map of two places; what is compared is written down first.
		user, got := list(clone(t, before)), list(clone(t, after))
		var want []any
		seen := map[any]bool{}
		for _, v := range append(user, "/ours/skills", "/home/dev/.client/skills") {
			s, ok := v.(string)
			if ok && s != "" && s[0] != '~' && s[0] != '$' && s[0] != '/' && s[0] != '\\' && !regexp.MustCompile(`^[A-Za-z]:`).MatchString(s) {
				s = under(s)
			}
			if ok && seen[s] {
				continue
			}
			if ok {
				seen[s], v = true, s
			}
			want = append(want, v)
		}
		if len(got) < len(user)-len(want) || len(got) == 0 || len(got) > len(want) {
			t.Errorf("the list is %q, of the user are %q", got, user)
		}
		for i, v := range want[:min(len(want), len(got))] {
			if len(got) == len(want) && !cmp.Equal(v, got[i], cmpopts.EquateNaNs()) {
				t.Errorf("entry %d is %q, want %q", i, got[i], v)
			}
		}
		a, b := clone(t, before), clone(t, after)
		list(a)
		list(b)
		if diff := cmp.Diff(a, b, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("outside of the list:\n%s", diff)
		}
	})
}

func under(s string) string {
	if bytes.Contains([]byte("/"+s+"/"), []byte("/../")) || bytes.Contains([]byte(s), []byte("\\")) {
		return "/home/dev/.client/" + s
	}
	return filepath.Join("/home/dev/.client", s)
}

// clone is a copy in which no two places are one.
func clone(t *testing.T, m map[string]any) map[string]any {
	t.Helper()
	var deep func(v any) any
	deep = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := map[string]any{}
			for k, x := range v {
				out[k] = deep(x)
			}
			return out
		case map[any]any:
			out := map[string]any{}
			for k, x := range v {
				if s, ok := k.(string); ok {
					out[s] = deep(x)
				} else {
					out[fmt.Sprintf("%T %v", k, k)] = deep(x)
				}
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, x := range v {
				out[i] = deep(x)
			}
			return out
		}
		return v
	}
	out, _ := deep(m).(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	return out
}
