package fsroot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// calls are all calls that take a path, on the path they are given.
func calls(tree *fsroot.Tree) map[string]func(string) error {
	return map[string]func(string) error{
		"Sub":       func(p string) error { _, err := tree.Sub(p); return err },
		"Lstat":     func(p string) error { _, err := tree.Lstat(p); return err },
		"ReadFile":  func(p string) error { _, _, err := tree.ReadFile(p, 100); return err },
		"Readlink":  func(p string) error { _, err := tree.Readlink(p); return err },
		"List":      func(p string) error { _, err := tree.List(p); return err },
		"Mkdir":     func(p string) error { return tree.Mkdir(p, 0o700) },
		"MkdirAll":  func(p string) error { _, err := tree.MkdirAll(p, 0o700); return err },
		"WriteFile": func(p string) error { return tree.WriteFile(p, []byte("mine"), fsroot.WriteOptions{}) },
		"Fresh":     func(p string) error { return tree.WriteFile(p, []byte("mine"), fsroot.WriteOptions{Fresh: true}) },
		"Symlink":   func(p string) error { return tree.Symlink("target", p) },
		"From":      func(p string) error { return tree.Rename(p, "elsewhere") },
		"To":        func(p string) error { return tree.Rename("file", p) },
		"Remove":    tree.Remove,
		"RemoveAll": tree.RemoveAll,
		"Chmod":     func(p string) error { return tree.Chmod(p, 0o600) },
		"Sync":      tree.Sync,
	}
}

func TestH15_NoCallFollowsALinkInThePath(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{"in the tree": "real", "out of the tree": "../user", "to the tree": ".", "dangling": "nothing"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "user", "x"), "theirs")
			put(t, filepath.Join(dir, "tree", "real", "x"), "theirs")
			put(t, filepath.Join(dir, "tree", "file"), "a file")
			put(t, filepath.Join(dir, "tree", "x"), "theirs")
			must(t, os.Symlink(target, filepath.Join(dir, "tree", "link")))
			before := shape(t, dir)
			tree := openWith(t, filepath.Join(dir, "tree"), fsroot.Options{Label: "state"})
			for call, f := range calls(tree) {
				for _, path := range []string{"link/x", "link/x/y"} {
					err := f(path)
					if !errors.Is(err, fault.LinkRefused) {
						t.Errorf("%s(%q) = %v", call, path, err)
					}
					wantNoPath(t, err, dir)
				}
			}
			if diff := cmp.Diff(before, shape(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestH15_NoCallFollowsALinkAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{"file": "real/x", "directory": "real", "user file": "../user/x", "user directory": "../user", "dangling": "nothing"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "user", "x"), "theirs")
			put(t, filepath.Join(dir, "tree", "real", "x"), "theirs")
			link := filepath.Join(dir, "tree", "link")
			tree := open(t, filepath.Join(dir, "tree"), nil)
			for call, f := range calls(tree) {
				os.Remove(link)
				os.Remove(filepath.Join(dir, "tree", "elsewhere"))
				put(t, filepath.Join(dir, "tree", "file"), "a file")
				must(t, os.Symlink(target, link))
				err := f("link")
				switch call {
				case "Sub", "ReadFile", "List", "MkdirAll", "Chmod", "Sync":
					wantCode(t, err, fault.LinkRefused, dir)
				case "Mkdir", "Fresh":
					if !errors.Is(err, fs.ErrExist) {
						t.Errorf("%s = %v", call, err)
					}
				default:
					must(t, err)
				}
				for _, theirs := range []string{"user/x", "tree/real/x"} {
					if got := content(t, filepath.Join(dir, theirs)); got != "theirs" {
						t.Errorf("after %s %s holds %q", call, theirs, got)
					}
				}
			}
		})
	}
}

func TestPathsMustBeClean(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a", "b"), "x")
	put(t, filepath.Join(dir, "file"), "x")
	before := shape(t, dir)
	tree := open(t, dir, nil)
	for call, f := range calls(tree) {
		for _, path := range []string{"", "/", "a/", "a//b", "./a", "a/.", "..", "a/../a", "../" + filepath.Base(dir), "/etc", "a\x00b"} {
			if err := f(path); !errors.Is(err, fault.Invalid) {
				t.Errorf("%s(%q) = %v", call, path, err)
			}
		}
	}
	for call, f := range calls(tree) {
		switch call {
		case "Mkdir", "WriteFile", "Fresh", "Symlink", "From", "To", "Remove", "RemoveAll":
			if err := f("."); !errors.Is(err, fault.Invalid) {
				t.Errorf("%s of the tree itself = %v", call, err)
			}
		}
	}
	if diff := cmp.Diff(before, shape(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestOpenAndIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real", "sub", "x"), "x")
	put(t, filepath.Join(dir, "file"), "x")
	must(t, os.Symlink("real", filepath.Join(dir, "link")))

	tree := open(t, filepath.Join(dir, "link"), nil)
	if tree.Path() != filepath.Join(dir, "link") {
		t.Errorf("path is %q", tree.Path())
	}
	same := open(t, filepath.Join(dir, "real"), nil)
	dev, ino := tree.Identity()
	dev2, ino2 := same.Identity()
	if dev != dev2 || ino != ino2 || ino == 0 {
		t.Errorf("identity %d %d and %d %d", dev, ino, dev2, ino2)
	}
	sub, err := tree.Sub("sub")
	must(t, err)
	must(t, tree.Close())
	must(t, tree.Close())
	if got, _, err := sub.ReadFile("x", 10); err != nil || string(got) != "x" {
		t.Errorf("subtree of a closed tree read %q, %v", got, err)
	}
	if _, subIno := sub.Identity(); subIno == ino {
		t.Error("subtree has the identity of its tree")
	}
	must(t, sub.Close())

	_, err = fsroot.Open(filepath.Join(dir, "none"), nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open of nothing: %v", err)
	}
	wantNoPath(t, err, dir)
	_, err = fsroot.Open(filepath.Join(dir, "file"), nil)
	wantCode(t, err, fault.NotRegular, dir)
	_, err = fsroot.OpenWith(dir, fsroot.Options{Rand: strings.NewReader("short")})
	if err == nil {
		t.Error("opened without randomness")
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "d", "five"), "12345")
	put(t, filepath.Join(dir, "empty"), "")
	tree := open(t, dir, nil)
	for name, c := range map[string]struct {
		rel   string
		limit int64
		want  string
		err   error
	}{
		"fits exactly":      {"d/five", 5, "12345", nil},
		"one too long":      {"d/five", 4, "", fsroot.ErrTooLarge},
		"zero limit":        {"d/five", 0, "", fsroot.ErrTooLarge},
		"negative limit":    {"empty", -1, "", fsroot.ErrTooLarge},
		"huge limit":        {"d/five", 1<<63 - 1, "12345", nil},
		"empty":             {"empty", 0, "", nil},
		"directory":         {"d", 5, "", fault.NotRegular},
		"tree":              {".", 5, "", fault.NotRegular},
		"nothing":           {"none", 5, "", fs.ErrNotExist},
		"nothing below":     {"none/x", 5, "", fs.ErrNotExist},
		"below a file":      {"empty/x", 5, "", fault.NotRegular},
		"too large by code": {"d/five", 4, "", fault.Unreadable},
	} {
		got, info, err := tree.ReadFile(c.rel, c.limit)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err == nil && info.Size() != int64(len(c.want)) {
			t.Errorf("%s: size %d", name, info.Size())
		}
		wantNoPath(t, err, dir)
	}
}

func TestListIsSorted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"d/c", "d/a", "d/b/x", "d/B"} {
		put(t, filepath.Join(dir, name), "")
	}
	tree := open(t, dir, nil)
	entries, err := tree.List("d")
	must(t, err)
	var got []string
	for _, entry := range entries {
		got = append(got, fmt.Sprint(entry.Name(), entry.IsDir()))
	}
	if diff := cmp.Diff([]string{"Bfalse", "afalse", "btrue", "cfalse"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := tree.List("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("list of nothing: %v", err)
	}
}

// A tree believes the directories it has opened, and Sub looks again.
func TestSubFindsAReplacedDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "s", "one", "x"), "old")
	tree := open(t, dir, nil)
	if _, _, err := tree.ReadFile("s/one/x", 10); err != nil {
		t.Fatal(err)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "s")))
	if _, err := tree.Sub("s/one"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Sub of a removed directory: %v", err)
	}
	put(t, filepath.Join(dir, "s", "one", "x"), "new")
	sub, err := tree.Sub("s/one")
	must(t, err)
	defer sub.Close()
	for from, read := range map[string]func() ([]byte, fs.FileInfo, error){
		"subtree": func() ([]byte, fs.FileInfo, error) { return sub.ReadFile("x", 10) },
		"tree":    func() ([]byte, fs.FileInfo, error) { return tree.ReadFile("s/one/x", 10) },
	} {
		if got, _, err := read(); string(got) != "new" {
			t.Errorf("%s reads %q, %v", from, got, err)
		}
	}
	must(t, os.Rename(filepath.Join(dir, "s"), filepath.Join(dir, "moved")))
	must(t, os.Symlink("moved", filepath.Join(dir, "s")))
	if _, err := tree.Sub("s/one"); !errors.Is(err, fault.LinkRefused) {
		t.Errorf("Sub through a link put in place: %v", err)
	}
}

// More directories than a tree holds open, so that it has to let go of some.
func TestManyDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tree := open(t, dir, nil)
	name := func(i int) string { return fmt.Sprintf("d%d/e/f", i) }
	for i := range 150 {
		_, err := tree.MkdirAll(name(i), 0o700)
		must(t, err)
		must(t, tree.WriteFile(name(i)+"/x", fmt.Append(nil, i), fsroot.WriteOptions{Fresh: true}))
		must(t, tree.WriteFile(name(i)+"/x", fmt.Append(nil, i), fsroot.WriteOptions{Expect: expectation(t, tree, name(i)+"/x", fmt.Append(nil, i))}))
	}
	for i := range 150 {
		if i%2 == 0 {
			must(t, tree.Rename(name(i), name(i+1)+"/moved"))
		}
	}
	for i := range 150 {
		path := name(i) + "/x"
		if i%2 == 0 {
			path = name(i+1) + "/moved/x"
		}
		if got, _, err := tree.ReadFile(path, 10); !bytes.Equal(got, fmt.Append(nil, i)) {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
	}
}
