package skill

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// make makes the bundle at rel, unless somebody else has made it meanwhile, and says whether a damaged one stood there.
// One process makes bundles at a time, so what another has left half-made is found under a fixed name and removed.
func (s *Store) make(ctx context.Context, rel string, c content) (repaired bool, err error) {
	lock, err := s.shelf.Lock(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	_, err = s.checked(ctx, rel, c)
	switch {
	case err == nil:
		return false, nil
	case ctx.Err() != nil:
		return false, err
	case !errors.Is(err, fs.ErrNotExist):
		repaired = true
	default:
		// A file can be missing in a bundle that is there.
		_, err := s.tree.Lstat(rel)
		repaired = err == nil
	}
	if err := s.tree.RemoveAll(s.at(making)); err != nil {
		return false, err
	}
	if err := s.write(ctx, c); err != nil {
		return false, errors.Join(err, s.tree.RemoveAll(s.at(making)))
	}
	if repaired {
		if err := s.tree.RemoveAll(s.at(damaged)); err != nil {
			return false, err
		}
		if err := s.tree.Rename(rel, s.at(damaged)); err != nil {
			return false, err
		}
	}
	if err := s.tree.Rename(s.at(making), rel); err != nil {
		// Who does not know our lock may have published the same one meanwhile.
		if _, other := s.checked(ctx, rel, c); other != nil {
			return false, err
		}
		return false, s.tree.RemoveAll(s.at(making))
	}
	return repaired, s.tree.Sync(s.shelf.Dir())
}

// write writes the bundle beside its place, makes it durable, and takes the right to write away.
func (s *Store) write(ctx context.Context, c content) error {
	if err := s.tree.Mkdir(s.at(making), 0o700); err != nil {
		return err
	}
	for _, dir := range c.dirs {
		if err := s.tree.Mkdir(join(s.at(making), dir), 0o700); err != nil {
			return err
		}
	}
	for _, name := range c.paths {
		if ctx.Err() != nil {
			return s.shelf.Late(ctx, "store")
		}
		o := fsroot.WriteOptions{Mode: 0o444, Fresh: true, Sync: true}
		if err := s.tree.WriteFile(join(s.at(making), name), c.files[name], o); err != nil {
			return err
		}
	}
	for _, dir := range slices.Backward(slices.Concat([]string{"."}, c.dirs)) {
		if err := s.tree.Sync(join(s.at(making), dir)); err != nil {
			return err
		}
		if err := s.tree.Chmod(join(s.at(making), dir), 0o555); err != nil {
			return err
		}
	}
	return nil
}
