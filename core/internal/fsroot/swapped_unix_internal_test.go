//go:build unix

package fsroot

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
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
