package merge_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var dirs = merge.Edit{Op: preparer.OpAppend, Path: key("skills", "external_dirs"), List: preparer.ListPaths,
	Items: []any{"/ours/skills", "/home/dev/.client/skills"}}

// decoded is a document as the library decodes it, for values that Parse would simplify.
func decoded(t *testing.T, data string) object {
	t.Helper()
	var m object
	if err := yaml.Unmarshal([]byte(data), &m); err != nil {
		t.Fatalf("%v in:\n%s", err, data)
	}
	return m
}

func TestH60_CommentsOrderAndValuesKept(t *testing.T) {
	t.Parallel()
	base := string(fixture(t, "hermes-typical.yaml"))
	out := apply(t, preparer.YAML, base, dirs)
	same(t, out, apply(t, preparer.YAML, out, dirs))

	want, got := decoded(t, base), decoded(t, out)
	old := want["skills"].(object)["external_dirs"].([]any)
	want["skills"].(object)["external_dirs"] = append(old[:len(old):len(old)], dirs.Items...)
	same(t, want, got)

	for line := range strings.Lines(base) {
		if _, comment, ok := strings.Cut(line, "# "); ok && strings.Count(out, "# "+comment) != 1 {
			t.Errorf("comment %q stands %d times", comment, strings.Count(out, "# "+comment))
		}
	}
	if a, b := topKeys(t, base), topKeys(t, out); a != b {
		t.Errorf("order of keys: %s, was %s", b, a)
	}
	for _, verbatim := range []string{"mode: 0644", "enabled: on\n", "build: 1.10\n", "big: 12345678901234567890\n", "<<: *defaults\n", "defaults: &defaults\n", "- ~/notes/skills", "${SHARED_SKILLS}/common"} {
		if !strings.Contains(out, verbatim) {
			t.Errorf("%q is gone:\n%s", verbatim, out)
		}
	}
}

func topKeys(t *testing.T, data string) string {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(data), &n); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for i := 0; i < len(n.Content[0].Content); i += 2 {
		keys = append(keys, n.Content[0].Content[i].Value)
	}
	return strings.Join(keys, " ")
}

func TestH12_RelativeEntryOfTypical(t *testing.T) {
	t.Parallel()
	out := apply(t, preparer.YAML, string(fixture(t, "hermes-typical.yaml")),
		merge.Edit{Op: preparer.OpRebase, Path: key("skills", "external_dirs"), RebaseTo: "/home/dev/.hermes"})
	same(t, []any{"~/notes/skills", "/srv/team skills/main", "${SHARED_SKILLS}/common", "/home/dev/.hermes/../relative-to-home", "/srv/技能"},
		decoded(t, out)["skills"].(object)["external_dirs"].([]any))
	if !strings.Contains(out, "# tilde") || !strings.Contains(out, "# trailing remark inside the list") {
		t.Errorf("comments are gone:\n%s", out)
	}
}

func TestH13_ListSavedAsString(t *testing.T) {
	t.Parallel()
	refused(t, preparer.YAML, string(fixture(t, "hermes-scalar-dirs.yaml")), fault.Unparsable,
		[]string{"home:x/config", "skills/external_dirs", "a string", "line 3", "a list"}, dirs)
}

func TestH14_NullList(t *testing.T) {
	t.Parallel()
	out := apply(t, preparer.YAML, string(fixture(t, "hermes-null-dirs.yaml")), dirs)
	same(t, object{"model": object{"default": "acme/small"}, "skills": object{"external_dirs": dirs.Items, "disabled": []any{}}}, decoded(t, out))
	if !strings.Contains(out, "# cleared by a setup tool") {
		t.Errorf("the remark is gone:\n%s", out)
	}
	for _, base := range []string{"skills:\n  external_dirs: # c\n", "skills: # c\n", "skills: ~ # c\n", "skills: {external_dirs: null} # c\n", "# c\n", "# c\n---\n", "--- # c\n~\n", "skills: # c\n  external_dirs: [ ]\n", "a: # c\n"} {
		out := apply(t, preparer.YAML, base, dirs)
		got := decoded(t, out)
		same(t, object{"external_dirs": dirs.Items}, got["skills"].(object))
		if strings.Count(out, "# c") != 1 {
			t.Errorf("the remark of %q is gone:\n%s", base, out)
		}
		same(t, out, apply(t, preparer.YAML, out, dirs))
	}
}

func TestH59_KeysTwice(t *testing.T) {
	t.Parallel()
	refused(t, preparer.YAML, string(fixture(t, "hermes-duplicate-keys.yaml")), fault.Unparsable, []string{`"skills"`, "lines 1 and 6"}, dirs)
	for base, lines := range map[string]string{
		"a:\n - {x: 1,\n   x: 2}\n":                  "lines 2 and 3",
		"a: 1\n\"a\": 2\n":                           "lines 1 and 2",
		"b: &k x\nc:\n  *k : 1\n  x: 2\n":            "lines 3 and 4",
		"1: a\n0x1: b\n":                             "lines 1 and 2",
		"x: &x {a: 1}\ny:\n  <<: *x\n  <<: {b: 1}\n": "lines 3 and 4",
		"? [a, b]\n: 1\n? [a, \"b\"]\n: 2\n":         "lines 1 and 3",
	} {
		refused(t, preparer.YAML, base, fault.Unparsable, []string{lines})
	}
	parse(t, preparer.YAML, "1: a\n\"1\": b\n") // two keys
}

func TestH61_AliasBomb(t *testing.T) {
	t.Parallel()
	bomb := string(fixture(t, "hermes-alias-bomb.yaml"))
	refused(t, preparer.YAML, bomb, fault.Unparsable, []string{"excessive aliasing"}, dirs)
	refused(t, preparer.YAML, "a: &a\n  b: *a\n", fault.Unparsable, []string{"contains itself", "line 2"})
	refused(t, preparer.YAML, "a: &a [&b [*a, *b]]\n", fault.Unparsable, []string{"contains itself"})
	refused(t, preparer.YAML, mergeBomb(), fault.Unparsable, []string{"excessive aliasing"}, dirs)
}

// mergeBomb is the same by merge keys: 3^20 of them.
func mergeBomb() string {
	var b strings.Builder
	b.WriteString("a: &a {x: 1}\n")
	for this := 'b'; this < 'v'; this++ {
		fmt.Fprintf(&b, "%[1]c: &%[1]c {<<: [*%[2]c, *%[2]c, *%[2]c]}\n", this, this-1)
	}
	return b.String()
}

// Refusing costs what reading costs, and not what the bomb would. Not parallel: it counts allocations.
func TestH61_BoundedMemory(t *testing.T) {
	for name, bomb := range map[string]string{"lists": string(fixture(t, "hermes-alias-bomb.yaml")), "merge keys": mergeBomb()} {
		allocs := testing.AllocsPerRun(5, func() {
			_, _ = merge.Apply(preparer.YAML, []byte(bomb), []merge.Edit{dirs}, merge.Env{})
		})
		if limit := float64(4 * len(bomb)); allocs > limit {
			t.Errorf("%s: %v allocations for %d bytes", name, allocs, len(bomb))
		}
	}
}

func TestH62_ByteOrderMarkAndCRLF(t *testing.T) {
	t.Parallel()
	base := fixture(t, "hermes-bom-crlf.yaml")
	out := apply(t, preparer.YAML, string(base), dirs)
	same(t, append([]any{`C:\Users\A B\skills`, `C:\Team\skills`}, dirs.Items...), decoded(t, out)["skills"].(object)["external_dirs"].([]any))
	if !strings.Contains(out, "# bare backslashes\n") || !strings.Contains(out, "# saved by a Windows editor\n") {
		t.Errorf("comments are gone:\n%q", out)
	}
	for format, data := range map[preparer.Format]string{
		preparer.YAML: string(base), preparer.TOML: "\ufeff# c\r\na = 1\r\n", preparer.JSON: "\ufeff{\r\n\"a\": 1\r\n}\r\n", preparer.JSONC: "\ufeff// c\r\n{\"a\": 1,\r\n}",
	} {
		out := apply(t, format, data, merge.Edit{Op: preparer.OpSet, Path: key("b"), Value: "x"})
		if bytes.Contains([]byte(out), []byte("\ufeff")) {
			t.Errorf("%s: a byte order mark is left: %q", format, out)
		}
		same(t, "x", parse(t, format, out)["b"].(string))
	}
	commentOnly := apply(t, preparer.YAML, "\ufeff# only\r\n# comments\r\n", dirs)
	if !strings.HasPrefix(commentOnly, "# only\n# comments\n\nskills:\n") {
		t.Errorf("%q", commentOnly)
	}
}

func TestC338_DocumentsThatAreNoTable(t *testing.T) {
	t.Parallel()
	refused(t, preparer.YAML, "a: 1\n---\nb: 2\n", fault.Unparsable, []string{"more than one document", "line 2"}, dirs)
	refused(t, preparer.YAML, "a: 1\n...\n---\n", fault.Unparsable, []string{"more than one document"}, dirs)
	refused(t, preparer.YAML, "- a\n", fault.Unparsable, []string{"a list", "line 1"}, dirs)
	refused(t, preparer.YAML, "just text\n", fault.Unparsable, []string{"a string"}, dirs)
}

func TestH18_UnparsableYAML(t *testing.T) {
	t.Parallel()
	for base, part := range map[string]string{
		"a: 1\nb: sk-canary: 2\n":                     "line 2",
		"a: sk-canary: 2\n":                           "line 1",
		"a: 1\nb: [1, 2\nc: 3\n":                      "line 2",
		"\ta: 1\n":                                    "line 1",
		"a: *sk-canary\n":                             "anchor at line 1",
		"a: &x 1\nb: *x\nc: [ *sk-canary,\n*x]\nd: 1": "anchor at line 3",
		"a: 1\nb: \"\\q\"\n":                          "line 2",
		"a: 1\nb: }\n":                                "line 2",
		"a: 1\nb: @sk-canary\n":                       "line 2",
		"a: \xff\n":                                   "line 1, column 4",
	} {
		_, err := merge.Apply(preparer.YAML, []byte(base), []merge.Edit{dirs}, merge.Env{Label: "home:hermes/config.yaml"})
		wantError(t, err, fault.Unparsable, part, "home:hermes/config.yaml")
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("the message holds a part of the file: %v", err)
		}
	}
}

// An edit changes what lies at its path and nothing that is bound to it by an alias or a merge key.
func TestAnchors(t *testing.T) {
	t.Parallel()
	set := func(v any, path ...string) merge.Edit {
		return merge.Edit{Op: preparer.OpSet, Path: path, Value: v}
	}
	drop := func(path ...string) merge.Edit { return merge.Edit{Op: preparer.OpDelete, Path: path} }
	add := merge.Edit{Op: preparer.OpAppend, Path: key("t", "l"), List: preparer.ListIDs, Items: []any{"new"}}
	for name, c := range map[string]struct {
		base string
		edit merge.Edit
		want object
		has  string
	}{
		"list is an alias": {"a: &a [x]\nt: {l: *a}\n", add,
			object{"a": []any{"x"}, "t": object{"l": []any{"x", "new"}}}, "&a"},
		"list has an anchor": {"t:\n  l: &a [x]\nb: *a\nc: *a\n", add,
			object{"t": object{"l": []any{"x", "new"}}, "b": []any{"x"}, "c": []any{"x"}}, "*a"},
		"table is an alias": {"a: &a {l: [x], k: 1}\nt: *a\n", add,
			object{"a": object{"l": []any{"x"}, "k": 1}, "t": object{"l": []any{"x", "new"}, "k": 1}}, ""},
		"table has an anchor": {"t: &a {l: [x]}\nb: *a\n", add,
			object{"t": object{"l": []any{"x", "new"}}, "b": object{"l": []any{"x"}}}, ""},
		"list by merge key": {"a: &a {l: [x], k: 1}\nt: {<<: *a}\n", add,
			object{"a": object{"l": []any{"x"}, "k": 1}, "t": object{"l": []any{"x", "new"}, "k": 1}}, "<<: *a"},
		"merged table has an anchor": {"t: &a {l: [x]}\nb: {<<: *a, k: 1}\n", add,
			object{"t": object{"l": []any{"x", "new"}}, "b": object{"l": []any{"x"}, "k": 1}}, "<<: &a"},
		"set over a merge key": {"a: &a {k: 1, m: {n: 2}}\nt:\n  <<: [*a]\n", set(int64(3), "t", "m", "n"),
			object{"a": object{"k": 1, "m": object{"n": 2}}, "t": object{"k": 1, "m": object{"n": 3}}}, ""},
		"delete what a merge key brings": {"a: &a {k: 1, m: 2}\nt: {<<: *a, o: 3, k: 4}\n", drop("t", "k"),
			object{"a": object{"k": 1, "m": 2}, "t": object{"m": 2, "o": 3}}, ""},
		"delete the anchored": {"t: &a {m: &b [1], n: *b}\nc: *a\nd: *b\n", drop("t"),
			object{"c": object{"m": []any{1}, "n": []any{1}}, "d": []any{1}}, ""},
		"replace the anchored": {"t: {k: &b [1]}\nc: [*b, *b]\n", set("x", "t"),
			object{"t": "x", "c": []any{[]any{1}, []any{1}}}, "*b"},
		"anchor used again for another": {"t: &a [1]\nb: *a\nc: &a [2]\nd: *a\n", drop("t"),
			object{"b": []any{1}, "c": []any{2}, "d": []any{2}}, ""},
		"equal by alias is no change": {"a: &a 1\nt: {k: *a}\n", set(int64(1), "t", "k"),
			object{"a": 1, "t": object{"k": 1}}, "t: {k: *a}"},
		"number keys": {"t: {1: a, 2: b}\n", drop("t", "1"),
			object{"t": map[any]any{2: "b"}}, ""},
		"tags": {"t: {k: !env X, b: !!binary aGk=}\n", set("new", "t", "n"),
			object{"t": object{"k": "X", "b": "hi", "n": "new"}}, "!env X"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := apply(t, preparer.YAML, c.base, c.edit)
			same(t, c.want, decoded(t, out))
			if !strings.Contains(out, c.has) {
				t.Errorf("no %q in:\n%s", c.has, out)
			}
			same(t, out, apply(t, preparer.YAML, out, c.edit))
		})
	}
	out := apply(t, preparer.YAML, "a: &a {k: 1, m: 2}\nt: {<<: *a, o: 3}\n", merge.Edit{Op: preparer.OpKeep, Path: key("t"), Names: []string{"m"}})
	same(t, object{"a": object{"k": 1, "m": 2}, "t": object{"m": 2}}, decoded(t, out))
}

// Readers of YAML 1.1 take many plain words for booleans, numbers or dates. Strings of ours are none of these to them.
func TestStringsStayStrings(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"on", "Yes", "n", "null", "~", "", "0644", "1:30", "1e3", ".5", "2026-01-05", "=", "<<", "a: b", "a #b", " a", "a ", "-", "- a", "*a", "&a", "!a", "@a", "`a", "%a", "\u2028", "\ufeff", "\u007f", "a\nb", "\x00"} {
		out := apply(t, preparer.YAML, "", merge.Edit{Op: preparer.OpSet, Path: key("k", s), Value: s})
		same(t, object{"k": object{s: s}}, decoded(t, out))
		if _, value, _ := strings.Cut(strings.TrimSpace(out), ": "); s != "" && !strings.Contains(value, `"`) {
			t.Errorf("%q stands plain:\n%s", s, out)
		}
	}
	if out := apply(t, preparer.YAML, "", dirs); strings.Contains(out, `"`) {
		t.Errorf("plain paths are quoted:\n%s", out)
	}
}

func TestFloats(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{1: "1.0", 1e300: "1.0e+300", 1.5e-9: "1.5e-09", 0.25: "0.25"} {
		same(t, "k: "+want+"\n", apply(t, preparer.YAML, "", merge.Edit{Op: preparer.OpSet, Path: key("k"), Value: f}))
	}
}
