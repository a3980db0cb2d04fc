package fsroot_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

func TestSymlinkReplacesFilesAndLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "user", "x"), "theirs")
	put(t, filepath.Join(dir, "tree", "file"), "old")
	must(t, os.Symlink("../user/x", filepath.Join(dir, "tree", "link")))
	must(t, os.Symlink("../user", filepath.Join(dir, "tree", "dirlink")))
	tree := open(t, filepath.Join(dir, "tree"), nil)
	for _, name := range []string{"file", "link", "dirlink", "free"} {
		for _, target := range []string{"/nowhere/at/all", "../user"} {
			must(t, tree.Symlink(target, name))
			if got, err := tree.Readlink(name); err != nil || got != target {
				t.Errorf("%s leads to %q, %v", name, got, err)
			}
		}
	}
	if got := content(t, filepath.Join(dir, "user", "x")); got != "theirs" {
		t.Errorf("the user's file holds %q", got)
	}
	if diff := cmp.Diff([]string{".", "dirlink", "file", "free", "link"}, keys(shape(t, filepath.Join(dir, "tree")))); diff != "" {
		t.Error(diff)
	}
	if _, err := tree.Readlink("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("link that is not there: %v", err)
	}
}

type brokenLinker struct{ err error }

func (b brokenLinker) Symlink(dir *os.Root, target, name string) error {
	if _, err := dir.Lstat(name); err == nil {
		return &os.LinkError{Op: "symlink", Old: target, New: filepath.Join(dir.Name(), name), Err: syscall.EEXIST}
	}
	return &os.LinkError{Op: "symlink", Old: target, New: filepath.Join(dir.Name(), name), Err: b.err}
}

func TestH20_LinksThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for errno, none := range map[syscall.Errno]bool{syscall.EPERM: true, syscall.ENOSYS: true, syscall.EACCES: false, syscall.ENOSPC: false} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "file"), "old")
		before := shape(t, dir)
		tree := openWith(t, dir, fsroot.Options{Linker: brokenLinker{errno}})
		for _, name := range []string{"free", "file"} {
			err := tree.Symlink("target", name)
			if errors.Is(err, fsroot.ErrNoLinks) != none || !errors.Is(err, errno) {
				t.Errorf("%v gave %v", errno, err)
			}
			code := fault.StateWrite
			if errno == syscall.ENOSPC {
				code = fault.StateFull
			}
			wantCode(t, err, code, dir)
			if none && !strings.Contains(err.Error(), errno.Error()) {
				t.Errorf("%q does not say what the system said", err)
			}
		}
		if diff := cmp.Diff(before, shape(t, dir)); diff != "" {
			t.Error(diff)
		}
	}
}
