//go:build !linux

package fsroot

import (
	"io/fs"
	"os"
	"path/filepath"
)

// readSeen reads the file at a path whose description is known. errSwapped says that another one stands there by now, which
// was not read.
func readSeen(path string, seen fs.FileInfo, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(seen, info) || !info.Mode().IsRegular() {
		return nil, errSwapped
	}
	return slurp(f, info.Size(), limit)
}

// Unchanged says whether what a path leads to is what info described, by identity, size and time of change.
func Unchanged(path string, info fs.FileInfo) bool {
	now, err := os.Stat(path)
	if info == nil {
		return err != nil
	}
	return err == nil && os.SameFile(info, now) && info.Mode() == now.Mode() && info.Size() == now.Size() && info.ModTime().Equal(now.ModTime())
}

// Resolve is the path of what an absolute path leads to, with all links resolved.
func Resolve(path string) (string, error) { return filepath.EvalSymlinks(path) }
