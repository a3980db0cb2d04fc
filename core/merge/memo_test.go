package merge_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const memoBase = "list = [\"a\"]\nname = \"n\"\n[t]\na = 1\nb = 2\n"

// memoEdits are pairwise different, each in another part of an edit, and each has another result.
func memoEdits() []merge.Edit {
	edits := []merge.Edit{
		{Op: preparer.OpKeep, Path: preparer.Key("t"), Names: []string{"a"}},
		{Op: preparer.OpKeep, Path: preparer.Key("t"), Names: []string{"b"}},
		{Op: preparer.OpAppend, Path: preparer.Key("list"), Items: []any{"b"}},
		{Op: preparer.OpAppend, Path: preparer.Key("list"), Items: []any{"b"}, Head: true},
		{Op: preparer.OpRebase, Path: preparer.Key("name"), RebaseTo: "/one"},
		{Op: preparer.OpRebase, Path: preparer.Key("name"), RebaseTo: "/two"},
		{Op: preparer.OpDelete, Path: preparer.Key("t")},
		{Op: preparer.OpDelete, Path: preparer.Key("list")},
	}
	for _, v := range []any{"x", "true", true, false, int64(1), int64(-1), 1.5, 2.5, []any{}, []any{"x"}, []any{"x", "y"}, []any{[]any{"x"}, "y"},
		map[string]any{"k": "x"}, map[string]any{"k": "y"}, map[string]any{"l": "x"}} {
		edits = append(edits, merge.Edit{Op: preparer.OpSet, Path: preparer.Key("new"), Value: v})
	}
	return edits
}

func TestMemoAnswersAsItWouldAnew(t *testing.T) {
	t.Parallel()
	var memo merge.Memo
	seen := map[string]int{}
	for range 2 {
		for i, e := range memoEdits() {
			for _, base := range []string{memoBase, memoBase + "z = 1\n"} {
				want, err := merge.Apply(preparer.TOML, []byte(base), []merge.Edit{e}, merge.Env{Label: "l"})
				if err != nil {
					t.Fatal(err)
				}
				got, err := memo.Apply(preparer.TOML, []byte(base), []merge.Edit{e}, merge.Env{Label: "l"})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("edit %d: %s", i, diff)
				}
				if other, ok := seen[string(got)]; ok && other != i {
					t.Errorf("edits %d and %d have one result, so the test would not see them confused", i, other)
				}
				seen[string(got)] = i
			}
		}
	}
}

func TestMemoLooksAtTheDiskAgain(t *testing.T) {
	t.Parallel()
	var memo merge.Memo
	there, asked := true, 0
	env := merge.Env{Label: "l", Base: "/base", Stat: func(string) (bool, bool) { asked++; return false, there }}
	require := []merge.Edit{{Op: preparer.OpRequire, Path: preparer.Key("name"), Target: "file"}}
	for i := range 3 {
		if _, err := memo.Apply(preparer.TOML, []byte(memoBase), require, env); err != nil {
			t.Fatal(err)
		}
		if asked != i+1 {
			t.Errorf("asked the disk %d times in %d calls", asked, i+1)
		}
	}
	there = false
	if _, err := memo.Apply(preparer.TOML, []byte(memoBase), require, env); err == nil {
		t.Error("a file that is required and went away was not missed")
	}
}

func TestMemoTellsWhereKeysLead(t *testing.T) {
	t.Parallel()
	var memo merge.Memo
	from, other := filepath.Join(t.TempDir(), "home"), t.TempDir()
	with := fmt.Sprintf("[state]\n%q = 1\n", filepath.Join(from, "hooks.json"))
	for range 2 {
		for _, base := range []string{memoBase, with} {
			for _, to := range []string{filepath.Join(other, "a"), filepath.Join(other, "b")} {
				edits := []merge.Edit{{Op: preparer.OpRekey, Path: preparer.Key("state"), RebaseTo: from, Value: to}}
				want, err := merge.Apply(preparer.TOML, []byte(base), edits, merge.Env{Label: "l"})
				if err != nil {
					t.Fatal(err)
				}
				got, err := memo.Apply(preparer.TOML, []byte(base), edits, merge.Env{Label: "l"})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Error(diff)
				}
			}
		}
	}
	relative := []merge.Edit{{Op: preparer.OpRekey, Path: preparer.Key("state"), RebaseTo: from, Value: "relative"}}
	if _, err := memo.Apply(preparer.TOML, []byte(memoBase), relative, merge.Env{Label: "l"}); err == nil {
		t.Error("a relative place was taken, since another one was remembered")
	}
}

func TestMemoReadsAsItWouldAnew(t *testing.T) {
	t.Parallel()
	var memo merge.Memo
	paths := [][]preparer.KeyPath{{preparer.Key("t", "*")}, {preparer.Key("t", "a")}, {preparer.Key("t"), preparer.Key("a")}, {preparer.Key("name"), preparer.Key("list")}}
	for range 2 {
		for _, p := range paths {
			want, err := merge.Values(preparer.TOML, []byte(memoBase), p, "l")
			if err != nil {
				t.Fatal(err)
			}
			got, err := memo.Values(preparer.TOML, []byte(memoBase), p, "l")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v: %s", p, diff)
			}
		}
		whole, err := memo.Parse(preparer.TOML, []byte(memoBase), "l")
		if err != nil || len(whole) != 3 {
			t.Errorf("the document has %d keys, want 3 (%v)", len(whole), err)
		}
		if _, err := memo.Parse(preparer.JSON, []byte(memoBase), "l"); err == nil {
			t.Error("the format made no difference")
		}
	}
}

func TestMemoInsertsAsItWouldAnew(t *testing.T) {
	t.Parallel()
	var memo merge.Memo
	for range 2 {
		for _, current := range []string{"", "rules\r\n", "rules"} {
			for _, existed := range []bool{true, false} {
				for _, marker := range []string{"one", "two"} {
					for _, text := range []string{"text", "text\nmore"} {
						want, wantRecord, err := merge.InsertBlock([]byte(current), existed, merge.Marker{ID: marker}, text)
						if err != nil {
							t.Fatal(err)
						}
						got, record, err := memo.InsertBlock([]byte(current), existed, merge.Marker{ID: marker}, text)
						if err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(string(want), string(got)) + cmp.Diff(wantRecord, record); diff != "" {
							t.Error(diff)
						}
					}
				}
			}
		}
	}
	if _, _, err := memo.InsertBlock(nil, false, merge.Marker{ID: "not valid"}, "text"); err == nil {
		t.Error("an error was not given")
	}
}

func TestMemoEncodesAsItWouldAnew(t *testing.T) {
	t.Parallel()
	var memo merge.Memo
	seen := map[string]int{}
	for range 2 {
		for i, root := range []map[string]any{
			{}, {"a": "x"}, {"a": "1"}, {"a": int64(1)}, {"a": true}, {"a": []any{"x"}}, {"a": []any{"x", "y"}}, {"a": map[string]any{"b": "x"}}, {"b": "x"}, {"a": 1.5},
		} {
			for _, format := range []preparer.Format{preparer.JSON, preparer.TOML} {
				want, err := merge.Encode(format, root)
				if err != nil {
					t.Fatal(err)
				}
				got, err := memo.Encode(format, root)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("document %d: %s", i, diff)
				}
				if other, ok := seen[string(format)+string(got)]; ok && other != i {
					t.Errorf("documents %d and %d are one, so the test would not see them confused", i, other)
				}
				seen[string(format)+string(got)] = i
			}
		}
		if _, err := memo.Encode(preparer.TOML, map[string]any{"a": nil}); err == nil {
			t.Error("an error was not given")
		}
	}
}

func TestMemoForgets(t *testing.T) {
	t.Parallel()
	var memo merge.Memo
	for i := range 500 {
		text := fmt.Sprintf("a = %d\n%s", i, strings.Repeat("#", i))
		got, err := memo.Parse(preparer.TOML, []byte(text), "l")
		if err != nil || got["a"] != int64(i) {
			t.Fatalf("document %d: %v, %v", i, got, err)
		}
	}
}
