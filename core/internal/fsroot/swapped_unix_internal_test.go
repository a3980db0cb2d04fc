//go:build unix

package fsroot

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// What stands at a name when it is opened is not what was looked at.
func TestH15_WhatWasSwappedInIsNotUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(path("d"), 0o700), os.MkdirAll(path("other"), 0o700), os.Symlink("other", path("dirlink")),
		os.WriteFile(path("f"), nil, 0o600), os.WriteFile(path("otherfile"), nil, 0o600), os.Symlink("otherfile", path("filelink")),
		syscall.Mkfifo(path("fifo"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	seen := func(name string) os.FileInfo {
		info, err := root.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	directory, file := seen("d"), seen("f")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for name, swapped := range map[string]bool{"d": false, "other": true, "dirlink": true} {
			d, err := sameDir(root, name, directory)
			if errors.Is(err, errSwapped) != swapped || (err == nil) == swapped {
				t.Errorf("directory %s: %v", name, err)
			}
			if err == nil {
				d.Close()
			}
		}
		for name, swapped := range map[string]bool{"f": false, "otherfile": true, "filelink": true, "fifo": true} {
			f, _, err := sameFile(root, name, file)
			if errors.Is(err, errSwapped) != swapped || (err == nil) == swapped {
				t.Errorf("file %s: %v", name, err)
			}
			if err == nil {
				f.Close()
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("blocked")
	}
}

// A file is compared with what was looked at, and where another took its place meanwhile, that one is: a link or what is no file
// is never read.
func TestH15_WhatWasSwappedInIsNotCompared(t *testing.T) {
	t.Parallel()
	const bytes = "the same as ever"
	for name, c := range map[string]struct {
		swap func(path string) error
		same bool
		code fault.Code
	}{
		"nothing":  {func(string) error { return nil }, true, ""},
		"an equal": {func(path string) error { return os.WriteFile(path, []byte(bytes), 0o600) }, true, ""},
		"another":  {func(path string) error { return os.WriteFile(path, []byte("the same as even"), 0o600) }, false, ""},
		"a longer": {func(path string) error { return os.WriteFile(path, []byte(bytes+"!"), 0o600) }, false, ""},
		"an empty": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, false, ""},
		"a link": {func(path string) error {
			return errors.Join(os.WriteFile(path+"2", []byte(bytes), 0o600), os.Symlink("f2", path))
		}, false, fault.LinkRefused},
		"a FIFO": {func(path string) error { return syscall.Mkfifo(path, 0o600) }, false, fault.NotRegular},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte(bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		tree, err := Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		info, err := tree.Lstat("f")
		if err != nil {
			t.Fatal(err)
		}
		if name != "nothing" {
			// The old one stays, so that its number is not given to the new one.
			if err := errors.Join(os.Rename(path, filepath.Join(dir, "seen")), c.swap(path)); err != nil {
				t.Fatal(err)
			}
		}
		same, err := tree.Holds("f", info, []byte(bytes))
		if same != c.same || fault.CodeOf(err) != c.code && err != nil || (err != nil) != (c.code != "") {
			t.Errorf("%s: %v, %v", name, same, err)
		}
		tree.Close()
	}
}
