package skill

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// aside begins the name of a bundle that is being collected, in front of its digest.
const aside = ".collecting-"

// Collect removes bundles that were published before a time and that no session leases, and gives their digests. leased
// answers the digests that are leased now. It is asked again once a bundle stands aside: one that was leased meanwhile is
// put back. A preparation therefore puts its bundle once more after it has recorded its lease, and one of the two sees
// the other, in whatever processes they are. When leased fails, nothing is removed.
func (s *Store) Collect(ctx context.Context, before time.Time, leased func() (map[string]bool, error)) (removed []string, err error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, fault.Wrap(ctx.Err(), fault.Deadline, "collect skills", "store", "the time was up")
	}
	defer func() { s.turn <- struct{}{} }()
	if _, err := s.tree.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	lock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	held, err := leased()
	if err != nil {
		return nil, err
	}
	entries, err := s.tree.List(s.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return removed, fault.Wrap(ctx.Err(), fault.Deadline, "collect skills", "store", "the time was up")
		}
		digest, begun := strings.CutPrefix(e.Name(), aside)
		if !isDigest(digest) || !begun && held[digest] {
			continue
		}
		if !begun {
			info, err := s.tree.Lstat(s.at(digest))
			if err != nil {
				return removed, err
			}
			if !info.ModTime().Before(before) {
				continue
			}
			if err := s.tree.Rename(s.at(digest), s.at(aside+digest)); err != nil {
				return removed, err
			}
		}
		gone, err := s.settle(digest, leased)
		if err != nil {
			return removed, err
		}
		if gone {
			removed = append(removed, digest)
		}
	}
	return removed, nil
}

// settle puts a bundle that stands aside back when somebody leases it, and removes it otherwise.
func (s *Store) settle(digest string, leased func() (map[string]bool, error)) (gone bool, err error) {
	at, rel := s.at(aside+digest), s.at(digest)
	held, err := leased()
	if err != nil {
		return false, errors.Join(err, s.tree.Rename(at, rel))
	}
	if _, err := s.tree.Lstat(rel); held[digest] && errors.Is(err, fs.ErrNotExist) {
		return false, s.tree.Rename(at, rel)
	}
	return !held[digest], s.tree.RemoveAll(at)
}

func isDigest(name string) bool {
	return len(name) == 64 && strings.Trim(name, "0123456789abcdef") == ""
}
