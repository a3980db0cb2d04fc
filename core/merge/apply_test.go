package merge_test

import (
	"math"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var formats = []preparer.Format{preparer.TOML, preparer.JSON, preparer.JSONC, preparer.YAML}

// Every edit means the same in every format.
func TestEdits(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		base  object
		edits []merge.Edit
		want  object
	}{
		"set makes the tables on the way": {
			object{"a": object{"x": true}},
			[]merge.Edit{{Op: preparer.OpSet, Path: key("a", "b", "c"), Value: int64(1)}},
			object{"a": object{"x": true, "b": object{"c": int64(1)}}},
		},
		"set of a table leaves its neighbours": {
			object{"a": object{"x": true, "y": object{"z": "old", "k": "kept"}}},
			[]merge.Edit{{Op: preparer.OpSet, Path: key("a"), Value: object{"y": object{"z": "new"}, "n": []any{}}}},
			object{"a": object{"x": true, "y": object{"z": "new", "k": "kept"}, "n": []any{}}},
		},
		"set of a scalar replaces a table": {
			object{"a": object{"x": true}},
			[]merge.Edit{{Op: preparer.OpSet, Path: key("a"), Value: "s"}},
			object{"a": "s"},
		},
		"replace leaves nothing": {
			object{"a": object{"x": true, "y": object{"z": "old"}}},
			[]merge.Edit{{Op: preparer.OpReplace, Path: key("a"), Value: object{"n": 1.5}}},
			object{"a": object{"n": 1.5}},
		},
		"delete": {
			object{"a": object{"x": true, "y": object{"z": "old"}}},
			[]merge.Edit{{Op: preparer.OpDelete, Path: key("a", "y")}, {Op: preparer.OpDelete, Path: key("no", "such")}},
			object{"a": object{"x": true}},
		},
		"delete with wildcards": {
			object{"m": object{"one": object{"secret": "s", "k": "1"}, "two": object{"secret": "t"}, "three": "not a table"},
				"l": []any{object{"secret": "u"}, object{"k": "2"}}},
			[]merge.Edit{{Op: preparer.OpDelete, Path: key("m", "*", "secret")}, {Op: preparer.OpDelete, Path: key("l", "*", "secret")}},
			object{"m": object{"one": object{"k": "1"}, "two": object{}, "three": "not a table"}, "l": []any{object{}, object{"k": "2"}}},
		},
		"delete of all elements": {
			object{"l": []any{"a", "b", "c"}},
			[]merge.Edit{{Op: preparer.OpDelete, Path: key("l", "*")}},
			object{"l": []any{}},
		},
		"delete if equal": {
			object{"a": object{"n": int64(1), "l": []any{"x"}}, "b": object{"n": int64(1), "l": []any{"x"}, "more": true}, "c": object{"n": 1.0}},
			[]merge.Edit{
				{Op: preparer.OpDeleteIfEqual, Path: key("a"), Value: object{"n": int64(1), "l": []any{"x"}}},
				{Op: preparer.OpDeleteIfEqual, Path: key("b"), Value: object{"n": int64(1), "l": []any{"x"}}},
				{Op: preparer.OpDeleteIfEqual, Path: key("c"), Value: object{"n": 1.0, "less": "x"}},
				{Op: preparer.OpDeleteIfEqual, Path: key("d"), Value: "absent"},
			},
			object{"b": object{"n": int64(1), "l": []any{"x"}, "more": true}, "c": object{"n": 1.0}},
		},
		"keep": {
			object{"m": object{"a": "1", "b": "2", "c": object{}}, "p": object{"x": object{"a": "1", "z": "2"}}},
			[]merge.Edit{
				{Op: preparer.OpKeep, Path: key("m"), Names: []string{"b", "absent"}},
				{Op: preparer.OpKeep, Path: key("p", "*"), Names: []string{"a"}},
				{Op: preparer.OpKeep, Path: key("absent")},
			},
			object{"m": object{"b": "2"}, "p": object{"x": object{"a": "1"}}},
		},
		"keep nothing": {
			object{"m": object{"a": "1"}},
			[]merge.Edit{{Op: preparer.OpKeep, Path: key("m")}},
			object{"m": object{}},
		},
		"append ids as they stand": {
			object{"l": []any{"a/", "a/", "b"}},
			[]merge.Edit{{Op: preparer.OpAppend, Path: key("l"), List: preparer.ListIDs, Items: []any{"a", "b", "c", "c"}}},
			object{"l": []any{"a/", "a/", "b", "a", "c"}},
		},
		"append paths by clean path": {
			object{"l": []any{"/a/", "~/b"}},
			[]merge.Edit{{Op: preparer.OpAppend, Path: key("l"), List: preparer.ListPaths, Items: []any{"/a", "/c/./d", "/c/d", "~//b"}}},
			object{"l": []any{"/a/", "~/b", "/c/./d"}},
		},
		"append in front": {
			object{"l": []any{"u", "b"}},
			[]merge.Edit{{Op: preparer.OpAppend, Path: key("l"), List: preparer.ListIDs, Head: true, Items: []any{"a", "b", "c"}}},
			object{"l": []any{"a", "c", "u", "b"}},
		},
		"append makes the list": {
			object{"x": "y"},
			[]merge.Edit{{Op: preparer.OpAppend, Path: key("s", "l"), List: preparer.ListPaths, Items: []any{"/a"}}},
			object{"x": "y", "s": object{"l": []any{"/a"}}},
		},
		"append of nothing makes nothing": {
			object{"x": "y"},
			[]merge.Edit{{Op: preparer.OpAppend, Path: key("s", "l"), List: preparer.ListPaths}},
			object{"x": "y"},
		},
		"upsert": {
			object{"l": []any{object{"id": "a", "v": int64(1), "old": true}, object{"id": "b"}, object{"id": "a"}}},
			[]merge.Edit{
				{Op: preparer.OpUpsert, Path: key("l"), Unique: "id", Value: object{"id": "a", "v": int64(2)}},
				{Op: preparer.OpUpsert, Path: key("l"), Unique: "id", Value: object{"id": "c"}},
				{Op: preparer.OpUpsert, Path: key("new"), Unique: "id", Value: object{"id": "d"}},
			},
			object{"l": []any{object{"id": "a", "v": int64(2)}, object{"id": "b"}, object{"id": "c"}}, "new": []any{object{"id": "d"}}},
		},
		"keys that have to be quoted": {
			object{"a.b": object{"c d": "1"}, "": object{"\"": "2"}},
			[]merge.Edit{{Op: preparer.OpSet, Path: key("a.b", "c d"), Value: "x\n\"'\\\t\u0001é\U0001F600"}, {Op: preparer.OpSet, Path: key("", "on"), Value: "no"}},
			object{"a.b": object{"c d": "x\n\"'\\\t\u0001é\U0001F600"}, "": object{"\"": "2", "on": "no"}},
		},
		"numbers keep their kind": {
			object{"i": int64(math.MaxInt64), "f": 1.0},
			[]merge.Edit{{Op: preparer.OpSet, Path: key("n"), Value: int64(math.MinInt64)}, {Op: preparer.OpSet, Path: key("e"), Value: 1.5e300}},
			object{"i": int64(math.MaxInt64), "f": 1.0, "n": int64(math.MinInt64), "e": 1.5e300},
		},
	}
	for name, c := range cases {
		for _, format := range formats {
			t.Run(name+" "+string(format), func(t *testing.T) {
				t.Parallel()
				base, err := merge.Encode(format, c.base)
				if err != nil {
					t.Fatal(err)
				}
				out := apply(t, format, string(base), c.edits...)
				got, want := parse(t, format, out), c.want
				if format == preparer.JSON || format == preparer.JSONC {
					got, want = whole(got).(object), whole(want).(object)
				}
				same(t, want, got)
				if !strings.HasSuffix(out, "\n") {
					t.Errorf("no newline at the end of %q", out)
				}
			})
		}
	}
}

// whole makes floats without fraction integers: JSON does not tell them apart.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case object:
		out := object{}
		for k := range v {
			out[k] = whole(v[k])
		}
		return out
	}
	return v
}

// A base that already says what the edits want comes back byte for byte, comments, order and all.
func TestNothingChanged(t *testing.T) {
	t.Parallel()
	for format, base := range map[preparer.Format]string{
		preparer.TOML:  "# c\r\nb = 1 # d\r\na = ['x']\r\n[t]\r\n",
		preparer.YAML:  "\ufeff# c\nb:   1 # d\na: [ x ]\nt: {}",
		preparer.JSON:  "{ \"b\":1, \"a\":[ \"x\"], \"t\":{}}",
		preparer.JSONC: "{ \"b\":1, // c\n \"a\":[ \"x\",], \"t\":{},}",
	} {
		out := apply(t, format, base,
			merge.Edit{Op: preparer.OpSet, Path: key("b"), Value: int64(1)},
			merge.Edit{Op: preparer.OpReplace, Path: key("t"), Value: object{}},
			merge.Edit{Op: preparer.OpAppend, Path: key("a"), List: preparer.ListIDs, Items: []any{"x"}},
			merge.Edit{Op: preparer.OpDelete, Path: key("z")},
			merge.Edit{Op: preparer.OpKeep, Path: key("t")},
			merge.Edit{Op: preparer.OpSplice, Path: key("s"), Value: ""},
			merge.Edit{Op: preparer.OpRebase, Path: key("a", "b", "*"), RebaseTo: "/h"},
		)
		same(t, base, out)
	}
}

func TestEmptyBase(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		if out, err := merge.Apply(format, nil, nil, merge.Env{}); out == nil || err != nil {
			t.Errorf("%s: %v, %v", format, out, err)
		}
		for _, base := range []string{"", "\n", "\ufeff", " \r\n"} {
			out := apply(t, format, base, merge.Edit{Op: preparer.OpSet, Path: key("a"), Value: true})
			same(t, object{"a": true}, parse(t, format, out))
			same(t, object{}, parse(t, format, apply(t, format, base)))
		}
	}
}

// Edits that no base could make right are refused as a fault of the layout.
func TestBadEdits(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]merge.Edit{
		"no path":                  {Op: preparer.OpDelete},
		"unknown":                  {Op: "twist", Path: key("a")},
		"wildcard in set":          {Op: preparer.OpSet, Path: key("a", "*"), Value: true},
		"wildcard in append":       {Op: preparer.OpAppend, Path: key("*"), Items: []any{"x"}},
		"wildcard in splice":       {Op: preparer.OpSplice, Path: key("*"), Value: "x"},
		"value of a foreign type":  {Op: preparer.OpSet, Path: key("a"), Value: struct{}{}},
		"string that is not utf-8": {Op: preparer.OpSet, Path: key("a"), Value: []any{"\xff"}},
		"key that is not utf-8":    {Op: preparer.OpReplace, Path: key("a"), Value: object{"\xff": true}},
		"null in toml":             {Op: preparer.OpSet, Path: key("a"), Value: nil},
		"upsert without object":    {Op: preparer.OpUpsert, Path: key("a"), Unique: "id", Value: "x"},
		"upsert without key":       {Op: preparer.OpUpsert, Path: key("a"), Unique: "id", Value: object{"x": "y"}},
		"splice without text":      {Op: preparer.OpSplice, Path: key("a"), Value: true},
		"rebase to a relative dir": {Op: preparer.OpRebase, Path: key("a"), RebaseTo: "x"},
		"require of what":          {Op: preparer.OpRequire, Path: key("a"), Target: "socket"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, preparer.TOML, "", fault.LayoutRefused, []string{"home:x/config"}, x)
		})
	}
	if _, err := merge.Encode(preparer.JSON, object{"a": math.Inf(1)}); err == nil {
		t.Error("json took an infinite number")
	}
	if _, err := merge.Parse(preparer.Shell, nil, "x"); err == nil {
		t.Error("parsed a shell document")
	}
}

// What an edit cannot work with is named by file, key path, kind and line, and never by value.
func TestH13_WrongKind(t *testing.T) {
	t.Parallel()
	bases := map[preparer.Format]string{
		preparer.TOML: "# c\n[s]\nl = 'sk-canary'\n",
		preparer.JSON: "{\n \"s\": {\n\"l\": \"sk-canary\"}}",
		preparer.YAML: "# c\ns:\n  l: sk-canary\n",
	}
	for format, base := range bases {
		for _, x := range []merge.Edit{
			{Op: preparer.OpAppend, Path: key("s", "l"), Items: []any{"x"}},
			{Op: preparer.OpUpsert, Path: key("s", "l"), Unique: "id", Value: object{"id": "x"}},
			{Op: preparer.OpSet, Path: key("s", "l", "deeper"), Value: true},
			{Op: preparer.OpReplace, Path: key("s", "l", "deeper"), Value: true},
			{Op: preparer.OpKeep, Path: key("s", "*")},
		} {
			t.Run(string(format)+" "+string(x.Op), func(t *testing.T) {
				t.Parallel()
				refused(t, format, base, fault.Unparsable, []string{"home:x/config", "s/l", "a string", "line 3"}, x)
				if _, err := merge.Apply(format, []byte(base), []merge.Edit{x}, merge.Env{}); strings.Contains(err.Error(), "canary") {
					t.Errorf("the message holds a value: %v", err)
				}
			})
		}
	}
	refused(t, preparer.TOML, "a = { b = { c = [1] } }\n", fault.Unparsable, []string{"a/b/c", "a list", "line 1"},
		merge.Edit{Op: preparer.OpSplice, Path: key("a", "b", "c"), Value: "x"})
	refused(t, preparer.JSON, "{\"a\":\n{\"b\": 1}}", fault.Unparsable, []string{"a/b", "a number", "line 2"},
		merge.Edit{Op: preparer.OpSplice, Path: key("a", "b"), Value: "x"})
}
