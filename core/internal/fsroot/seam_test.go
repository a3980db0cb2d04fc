package fsroot_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// work makes every kind of change once or more. No call in it fails by itself.
func work(tree *fsroot.Tree) error {
	write := func(rel, text string, o fsroot.WriteOptions) error { return tree.WriteFile(rel, []byte(text), o) }
	for _, step := range []func() error{
		func() error { _, err := tree.MkdirAll("d/e", 0o700); return err },
		func() error { return write("d/e/fresh", "fresh", fsroot.WriteOptions{Fresh: true, Mode: 0o777}) },
		func() error { return write("d/kept", "new", fsroot.WriteOptions{Sync: true}) },
		func() error { return write("d/once", "once", fsroot.WriteOptions{New: true}) },
		func() error { return tree.Symlink("fresh", "d/e/link") },
		func() error { return tree.Rename("d/once", "d/twice") },
		func() error { return tree.Chmod("d/e/fresh", 0o600) },
		func() error { return tree.Sync("d") },
		func() error { return tree.Remove("d/twice") },
		func() error { return tree.RemoveAll("d/e") },
		func() error { return tree.RemoveAll("old") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func workplace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "d", "kept"), "old")
	put(t, filepath.Join(dir, "old", "a", "x"), "x")
	return dir
}

func TestSeamSeesEachCall(t *testing.T) {
	t.Parallel()
	var seen []string
	seam := &fsroot.Seam{}
	seam.Before = func(n int64, op, name string) error {
		if n != seam.Count() {
			t.Errorf("call %d is counted as %d", n, seam.Count())
		}
		if op != fsroot.OpChmod || name != "d/e/fresh" { // whether the first is needed depends on the umask
			seen = append(seen, op+" "+name)
		}
		return nil
	}
	dir := workplace(t)
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, os.Chmod(filepath.Join(dir, "old", "a"), 0o700))
	tree := open(t, dir, seam)
	must(t, work(tree))
	sub, err := tree.Sub("sub")
	must(t, err)
	defer sub.Close()
	must(t, sub.Mkdir("x", 0o700))
	want := []string{
		"mkdir d/e",
		"create d/e/fresh", "write d/e/fresh",
		"create d/kept", "write d/kept", "sync d/kept", "rename d/kept", "sync d/kept",
		"create d/once", "write d/once", "link d/once", "remove d/once",
		"symlink d/e/link",
		"rename d/once",
		"sync d",
		"remove d/twice",
		"remove d/e/link", "remove d/e/fresh", "remove d/e",
		"remove old/a/x", "remove old/a", "remove old",
		"mkdir sub/x",
	}
	// The order within a directory is the file system's.
	sorted := func(names []string) map[string]int {
		m := map[string]int{}
		for _, name := range names {
			m[name]++
		}
		return m
	}
	if diff := cmp.Diff(sorted(want), sorted(seen)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:16], seen[:16]); diff != "" {
		t.Error(diff)
	}
	var none *fsroot.Seam
	if none.Count() != 0 {
		t.Error("no seam counts")
	}
}

// Whatever call fails, the caller hears of it, the file is the old or the new one, and no temporary name stays unless
// removing that is what failed.
func TestEachCallMayFail(t *testing.T) {
	t.Parallel()
	failed := errors.New("injected")
	count := int64(1)
	for n := int64(1); n <= count; n++ {
		dir := workplace(t)
		op := ""
		seam := &fsroot.Seam{Before: func(i int64, what, _ string) error {
			if i == n {
				op = what
				return failed
			}
			return nil
		}}
		tree := open(t, dir, seam)
		err := work(tree)
		if op == "" {
			must(t, err)
			break
		}
		count = n + 1
		if !errors.Is(err, failed) {
			t.Errorf("call %d, %s: error is %v", n, op, err)
		}
		if got := content(t, filepath.Join(dir, "d", "kept")); got != "old" && got != "new" {
			t.Errorf("call %d, %s: file holds %q", n, op, got)
		}
		if found := temps(t, dir); len(found) > 0 && op != fsroot.OpRemove {
			t.Errorf("call %d, %s: left %v", n, op, found)
		}
	}
	if count < 20 {
		t.Errorf("only %d calls", count)
	}
}

// A replacement that is cut short after the temporary file exists is cleaned up, one call at a time.
func TestReplacementCutShort(t *testing.T) {
	t.Parallel()
	failed := errors.New("injected")
	for _, op := range []string{fsroot.OpCreate, fsroot.OpWrite, fsroot.OpSync, fsroot.OpLink, fsroot.OpRename, fsroot.OpSymlink} {
		for name, change := range map[string]func(*fsroot.Tree) error{
			"replace": func(tree *fsroot.Tree) error {
				return tree.WriteFile("file", []byte("new"), fsroot.WriteOptions{Sync: true})
			},
			"new": func(tree *fsroot.Tree) error {
				return tree.WriteFile("none", []byte("new"), fsroot.WriteOptions{New: true})
			},
			"fresh": func(tree *fsroot.Tree) error {
				return tree.WriteFile("none", []byte("new"), fsroot.WriteOptions{Fresh: true})
			},
			"link": func(tree *fsroot.Tree) error { return tree.Symlink("new", "file") },
		} {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "file"), "old")
			before := shape(t, dir)
			hit := false
			tree := open(t, dir, &fsroot.Seam{Before: func(_ int64, what, _ string) error {
				if what == op && !hit {
					hit = true
					return failed
				}
				return nil
			}})
			err := change(tree)
			if !hit {
				continue
			}
			if !errors.Is(err, failed) {
				t.Errorf("%s, %s: %v", name, op, err)
			}
			if diff := cmp.Diff(before, shape(t, dir)); diff != "" {
				t.Errorf("%s, %s: %s", name, op, diff)
			}
		}
	}
}
