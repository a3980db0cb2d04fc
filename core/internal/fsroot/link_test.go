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

func (b brokenLinker) Junction(dir *os.Root, target, name string) error {
	return b.Symlink(dir, target, name)
}

func (b brokenLinker) Hard(dir *os.Root, target, name string) error {
	return b.Symlink(dir, target, name)
}

// windows is a system where this user may make no symbolic links. A symbolic link stands for a junction.
type windows struct{ junction, hard error }

func (w windows) Symlink(*os.Root, string, string) error { return syscall.EPERM }

func (w windows) Junction(dir *os.Root, target, name string) error {
	if w.junction != nil {
		return w.junction
	}
	return dir.Symlink(target, name)
}

func (w windows) Hard(dir *os.Root, target, name string) error {
	if w.hard != nil {
		return w.hard
	}
	return os.Link(target, filepath.Join(dir.Name(), name))
}

func TestH20_JunctionsAndHardLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, file, behind := filepath.Join(dir, "user", "folder"), filepath.Join(dir, "user", "file"), filepath.Join(dir, "user", "behind")
	put(t, filepath.Join(folder, "x"), "theirs")
	put(t, file, "theirs")
	must(t, os.Symlink("file", behind))
	none := filepath.Join(dir, "none")
	for name, c := range map[string]struct {
		target string
		linker windows
		want   fsroot.LinkKind
		err    error
	}{
		"directory":                        {target: folder, want: fsroot.Junction},
		"file":                             {target: file, want: fsroot.Hard},
		"file behind a link":               {target: behind, want: fsroot.Hard},
		"nothing":                          {target: none, err: fsroot.ErrNoLinks},
		"relative":                         {target: "user/file", err: fsroot.ErrNoLinks},
		"directory of another machine":     {target: folder, linker: windows{junction: syscall.EINVAL}, err: fsroot.ErrNoLinks},
		"file of another disk":             {target: file, linker: windows{hard: syscall.EXDEV}, err: fsroot.ErrNoLinks},
		"file, and no space left":          {target: file, linker: windows{hard: syscall.ENOSPC}, err: fault.StateFull},
		"directory, and no space is there": {target: folder, linker: windows{junction: syscall.ENOSPC}, err: fault.StateFull},
	} {
		for before, lay := range map[string]func(at string){
			"nothing": func(string) {}, "a file": func(at string) { put(t, at, "old") }, "a link": func(at string) { must(t, os.Symlink("nowhere", at)) },
			"the link": func(at string) { must(t, os.Symlink(c.target, at)) },
		} {
			root := t.TempDir()
			lay(filepath.Join(root, "at"))
			tree := openWith(t, root, fsroot.Options{Linker: c.linker})
			kind, err := tree.Link(c.target, "at")
			if c.err != nil {
				if !errors.Is(err, c.err) || tree.Leads("at", c.target) && before != "the link" {
					t.Errorf("%s over %s: %v, want %v", name, before, err, c.err)
				}
				continue
			}
			if err != nil || kind != c.want || !tree.Leads("at", c.target) || tree.Leads("at", none) || tree.Leads("none", c.target) {
				t.Errorf("%s over %s: %q, %v", name, before, kind, err)
			}
			must(t, tree.Remove("at"))
		}
	}
	if content(t, file) != "theirs" || content(t, filepath.Join(folder, "x")) != "theirs" {
		t.Error("something of the user's went with a link")
	}
	// A directory is never replaced.
	root := t.TempDir()
	put(t, filepath.Join(root, "at", "x"), "kept")
	tree := openWith(t, root, fsroot.Options{Linker: windows{}})
	if _, err := tree.Link(file, "at"); err == nil || content(t, filepath.Join(root, "at", "x")) != "kept" {
		t.Errorf("a directory gave way: %v", err)
	}
}

// Where symbolic links work, no other kind is tried.
func TestH20_SymbolicLinksComeFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "x")
	tree := open(t, dir, nil)
	for _, target := range []string{filepath.Join(dir, "file"), dir, filepath.Join(dir, "none")} {
		if kind, err := tree.Link(target, "at"); kind != fsroot.Symbolic || err != nil || !tree.Leads("at", target) {
			t.Errorf("%q, %v", kind, err)
		}
	}
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
