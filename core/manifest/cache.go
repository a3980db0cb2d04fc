package manifest

import (
	"errors"
	"io/fs"
)

// MakeCache makes a directory below the cache root, when it is absent.
func (s *Session) MakeCache(rel string) error {
	rel = "cache/" + rel
	_, err := s.tree.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = s.tree.MkdirAll(rel, 0o700)
	}
	return err
}
