package fsroot

import (
	"os"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Make opens the directory at an absolute path, and makes it and the parents that are missing first, all with the same
// exact mode; 0 is 0700. Directories that are there keep theirs.
func Make(path string, o Options) (*Tree, error) {
	if !filepath.IsAbs(path) {
		return nil, fault.New(fault.Invalid, "make directory", "directory", "the path is not absolute")
	}
	base, rest := filepath.Clean(path), ""
	for {
		if _, err := os.Stat(base); err == nil || base == filepath.Dir(base) {
			break
		}
		base, rest = filepath.Dir(base), filepath.Join(filepath.Base(base), rest)
	}
	tree, err := OpenWith(base, o)
	if err != nil || rest == "" {
		return tree, err
	}
	defer tree.Close()
	rel := filepath.ToSlash(rest)
	if _, err := tree.MkdirAll(rel, 0o700); err != nil {
		return nil, err
	}
	return OpenWith(path, o)
}
