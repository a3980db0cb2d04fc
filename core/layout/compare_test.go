package layout_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/layout"
	"github.com/greenroom-agents/greenroom/core/manifest"
)

// What differs is found whatever stands beside it: below a directory whose name begins another's, in one that is the client's
// alone, in a file of the same length; and what is not wanted any more goes, children first, in whatever order a record has it.
func TestCompareFindsWhatDiffers(t *testing.T) {
	t.Parallel()
	node := func(path string, kind manifest.Kind, data string) layout.Node {
		n := layout.Node{Path: path, Kind: kind, Mode: 0o700, Custody: manifest.Ours, Login: -1}
		if kind == manifest.File {
			n.Mode, n.Data = 0o600, []byte(data)
		}
		return n
	}
	long := string(make([]byte, 20000))
	tree := &layout.Tree{Nodes: []layout.Node{
		node("a", manifest.Dir, ""), node("a-b", manifest.Dir, ""), node("a.txt", manifest.File, "one"), node("a/c", manifest.File, "two"),
		node("long", manifest.File, long), node("z", manifest.Dir, ""),
	}}
	prev := append(tree.Entries(), manifest.Entry{Path: "y/file", Kind: manifest.File}, manifest.Entry{Path: "y", Kind: manifest.Dir})
	for name, c := range map[string]struct {
		change func(path func(string) string) error
		want   bool
	}{
		"nothing":                    {func(func(string) string) error { return nil }, false},
		"a file, in its length":      {func(p func(string) string) error { return os.WriteFile(p("a/c"), []byte("owt"), 0o600) }, true},
		"the end of a long one":      {func(p func(string) string) error { return os.WriteFile(p("long"), []byte(long[1:]+"x"), 0o600) }, true},
		"a long one cut":             {func(p func(string) string) error { return os.Truncate(p("long"), 8<<10) }, true},
		"a mode":                     {func(p func(string) string) error { return os.Chmod(p("z"), 0o755) }, true},
		"a directory gone":           {func(p func(string) string) error { return os.Remove(p("a-b")) }, true},
		"what a client put in there": {func(p func(string) string) error { return os.WriteFile(p("z/theirs"), nil, 0o600) }, false},
	} {
		dir := t.TempDir()
		root, err := fsroot.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Everything().Apply(root); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "y"), 0o700), os.WriteFile(filepath.Join(dir, "y/file"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		root.Close()
		if err := c.change(func(rel string) string { return filepath.Join(dir, rel) }); err != nil {
			t.Fatal(err)
		}
		if root, err = fsroot.Open(dir, nil); err != nil {
			t.Fatal(err)
		}
		changes, err := tree.Compare(root, tree.Entries())
		if err != nil || changes.Any() != c.want {
			t.Errorf("%s: changes %v, %v", name, changes.Any(), err)
		}
		changes, err = tree.Compare(root, prev)
		if err != nil || !changes.Any() {
			t.Fatalf("%s: what is not wanted any more stays: %v", name, err)
		}
		if err := changes.Apply(root); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if changes, err = tree.Compare(root, tree.Entries()); err != nil || changes.Any() {
			t.Errorf("%s: mended, it differs still: %v", name, err)
		}
		var left []string
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if diff := cmp.Diff([]string{"a", "a-b", "a.txt", "long", "z"}, left); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		root.Close()
	}
}
