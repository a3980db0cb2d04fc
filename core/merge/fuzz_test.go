package merge_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// seed adds the fixtures of one format, and some documents that are small and odd.
func seed(f *testing.F, pattern string, more ...string) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		f.Fatal("no fixtures for " + pattern)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range more {
		f.Add([]byte(text))
	}
}

// fuzzEdits is one edit of each kind that only touches what lies below the key "target".
func fuzzEdits() []merge.Edit {
	k := func(s ...string) preparer.KeyPath { return append(preparer.Key("target"), s...) }
	return []merge.Edit{
		{Op: preparer.OpReplace, Path: k(), Value: map[string]any{"a": int64(1), "b.c": "x\ny\"'"}},
		{Op: preparer.OpSet, Path: k("deep", "er"), Value: true},
		{Op: preparer.OpAppend, Path: k("list"), List: preparer.ListIDs, Items: []any{"on", "0644", "on", ""}},
		{Op: preparer.OpUpsert, Path: k("objects"), Unique: "id", Value: map[string]any{"id": "1", "f": 1.5}},
		{Op: preparer.OpSplice, Path: k("text"), Value: "ours"},
		{Op: preparer.OpDelete, Path: k("a")},
	}
}

func wantTarget() map[string]any {
	return map[string]any{
		"b.c": "x\ny\"'", "deep": map[string]any{"er": true}, "list": []any{"on", "0644", ""},
		"objects": []any{map[string]any{"id": "1", "f": 1.5}},
		"text":    "<!-- GREENROOM BEGIN (managed; do not edit) -->\nours\n<!-- GREENROOM END -->",
	}
}

// applyFuzz edits a document that the fuzzer made and returns nil when it was refused as it may be.
func applyFuzz(t *testing.T, format preparer.Format, data []byte) []byte {
	t.Helper()
	out, err := merge.Apply(format, data, fuzzEdits(), merge.Env{Label: "f"})
	if err != nil {
		if fault.CodeOf(err) != fault.Unparsable || strings.Contains(err.Error(), "cannot be written again") {
			t.Fatalf("refused: %v", err)
		}
		return nil
	}
	again, err := merge.Apply(format, out, fuzzEdits()[1:], merge.Env{Label: "f"})
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("a second time: %v\n%s\n---\n%s", err, out, again)
	}
	values, err := merge.Values(format, out, []preparer.KeyPath{preparer.Key("target")}, "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantTarget(), values["target"]); diff != "" {
		t.Fatalf("target (-want +got):\n%s\n%s", diff, out)
	}
	return out
}

func FuzzTOML(f *testing.F) {
	seed(f, "*.toml", "target = 1\n", "[target]\nx=1\n[[a.b]]\n[[a.b]]\nc={d=[{},{e=[[]]}]}\n",
		"a=inf\nb=-nan\nc=9223372036854775807\nd=1979-05-27T07:32:00.5Z\ne=07:32:00\nf=1979-05-27\ng=1979-05-27 07:32:00\n",
		"'a.b'.\"c\\u0000\" = '''x\r\n'y'''\n", "x=[1,{y=2},[3.0]]\n", "\ufeff\"\"=\"\"\r\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		out := applyFuzz(t, preparer.TOML, data)
		if out == nil {
			return
		}
		var before, after map[string]any
		if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &before); err != nil {
			t.Fatalf("edited what does not parse: %v", err)
		}
		if err := toml.Unmarshal(out, &after); err != nil {
			t.Fatal(err)
		}
		delete(before, "target")
		delete(after, "target")
		if diff := cmp.Diff(before, after, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("other values (-before +after):\n%s", diff)
		}
	})
}

func FuzzJSON(f *testing.F) {
	seed(f, "*.json*", `{"target":[1]}`, `{"a":"\ud800","b":1e400,"c":12345678901234567890.10,"\u0000":[[],{}]} `, `{"a":1,"a":2}`,
		"{/* c */\"x\":[1,],}// e", "\ufeff{\"é\\/\":\"\u2028\"}")
	f.Fuzz(func(t *testing.T, data []byte) {
		out := applyFuzz(t, preparer.JSONC, data)
		if out == nil {
			return
		}
		after := jsonTokens(t, out)
		if i := bytes.LastIndex(after, []byte(`"target"`)); i < 0 {
			t.Fatalf("no target: %s", after)
		}
		// The reader of the standard library agrees with ours where it can read the document at all.
		before, ok := compactJSON(bytes.TrimPrefix(data, []byte("\ufeff")))
		if !ok {
			return
		}
		stripped, err := merge.Apply(preparer.JSON, out, []merge.Edit{{Op: preparer.OpDelete, Path: preparer.Key("target")}}, merge.Env{})
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := merge.Apply(preparer.JSON, before, []merge.Edit{
			{Op: preparer.OpSet, Path: preparer.Key("target"), Value: nil},
			{Op: preparer.OpDelete, Path: preparer.Key("target")},
		}, merge.Env{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(jsonTokens(t, wanted)), string(jsonTokens(t, stripped))); diff != "" {
			t.Fatalf("other values (-before +after):\n%s", diff)
		}
	})
}

func FuzzYAML(f *testing.F) {
	seed(f, "*.yaml", "target: 1\n", "a: &x {b: 1}\ntarget: *x\nc: {<<: *x, d: 2}\n", "target: &t {a: [&u 1]}\nz: [*t, *u]\n",
		"# only\n", "--- ~\n", "? [1]\n: 2\n", "a: 1\n---\nb: 2\n", "x: !c y\nz: !!binary aGk=\n", "a: |+\n  t \n\nb: >\n  u\n\n  v\n", "y: [1, # c\n 2]\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		if !roundTrips(data) {
			return // the library alone cannot write it back, and that it is refused has a test of its own
		}
		out := applyFuzz(t, preparer.YAML, data)
		if out == nil {
			return
		}
		var before, after map[any]any
		if yaml.Unmarshal(data, &before) != nil {
			return // tags that the decoder refuses, but that are not ours to judge
		}
		if err := yaml.Unmarshal(out, &after); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		delete(before, "target")
		delete(after, "target")
		if diff := cmp.Diff(before, after, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("other values (-before +after):\n%s\n%s", diff, out)
		}
	})
}

func FuzzBlock(f *testing.F) {
	f.Add([]byte("user\r\ntext"), "ours\nmore", true)
	f.Add([]byte(""), "", false)
	f.Add([]byte("\r\n\n\n"), "\r", true)
	f.Add([]byte("<!-- GREENROOM BEGIN other (managed; do not edit) -->\n"), "x", true)
	f.Add([]byte("a\r"), "b\rc", true)
	f.Fuzz(func(t *testing.T, current []byte, text string, existed bool) {
		m := merge.Marker{ID: "a1"}
		if _, found, err := merge.FindBlock(current, m); found || err != nil {
			return
		}
		with, rec, err := merge.InsertBlock(current, existed, m, text)
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			return
		}
		if rec.Created == existed || rec.Replaced {
			t.Fatalf("record %+v", rec)
		}
		if !bytes.HasPrefix(with, current) {
			t.Fatalf("user text changed: %q", with)
		}
		same, again, err := merge.InsertBlock(with, true, m, text)
		if err != nil || !bytes.Equal(same, with) || again.After(rec) != rec {
			t.Fatalf("a second time: %v %+v %q", err, again, same)
		}
		without, outcome, err := merge.RemoveBlock(with, m, rec)
		if err != nil || outcome != merge.Stripped || !bytes.Equal(without, current) {
			t.Fatalf("%v %s %q", err, outcome, without)
		}
		// What the user adds around the block stays.
		around := append(append([]byte("top\n"), with...), "bottom\n"...)
		rest, outcome, err := merge.RemoveBlock(around, m, rec)
		if err != nil || outcome != merge.Stripped {
			t.Fatalf("%v %s", err, outcome)
		}
		if !bytes.HasPrefix(rest, append([]byte("top\n"), current...)) || !bytes.HasSuffix(rest, []byte("bottom\n")) {
			t.Fatalf("around the block: %q", rest)
		}
		if len(rest) > len("top\n")+len(current)+len("\r\n")+len("bottom\n") {
			t.Fatalf("more than the user's text is left: %q", rest)
		}
	})
}
