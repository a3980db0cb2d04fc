package shelf

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// aside begins the name of an entry that is being collected, in front of its digest.
const aside = ".collecting-"

// lockTries is how often a lock is tried again whose directory was replaced while waiting for it.
const lockTries = 3

// Shelf is such a directory. Its methods are for one caller at a time, which [Shelf.Enter] sees to.
type Shelf struct {
	tree *fsroot.Tree
	dir  string
	what string // what entries are called in errors
	// turn holds one token. A tree serves one caller at a time, and waiting for it has to end with the context.
	turn chan struct{}
}

// New is the shelf at dir of a tree, which must stay open and be used by nobody else meanwhile. what is what its entries
// are called in errors.
func New(tree *fsroot.Tree, dir, what string) *Shelf {
	s := &Shelf{tree: tree, dir: dir, what: what, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Dir is the path of the shelf in its tree.
func (s *Shelf) Dir() string { return s.dir }

// At is the path, in the tree, of a name on the shelf.
func (s *Shelf) At(name string) string { return s.dir + "/" + name }

// Enter waits until nobody else of this process is at the shelf. leave lets the next one in.
func (s *Shelf) Enter(ctx context.Context, op string) (leave func(), err error) {
	select {
	case <-s.turn:
		return func() { s.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, s.Late(ctx, op)
	}
}

// Late is the error of an operation whose time was up.
func (s *Shelf) Late(ctx context.Context, op string) error {
	return fault.Wrap(ctx.Err(), fault.Deadline, op+" "+s.what, "store", "the time was up")
}

// Lock excludes other processes that make or collect entries.
func (s *Shelf) Lock(ctx context.Context) (*fsroot.Lock, error) {
	for try := 1; ; try++ {
		sub, err := s.tree.Sub(s.dir)
		if err != nil {
			return nil, err
		}
		lock, err := sub.Lock(ctx, fsroot.Exclusive, true)
		if closed := sub.Close(); err == nil && closed != nil {
			return nil, errors.Join(closed, lock.Unlock())
		}
		if !errors.Is(err, fsroot.ErrGone) || try == lockTries {
			return lock, err
		}
	}
}

// Collect removes entries that were published before a time and that no session leases, and gives their digests. leased
// answers the digests that are leased now. It is asked again once an entry stands aside: one that was leased meanwhile is
// put back. A preparation therefore looks for its entry once more after it has recorded its lease, and one of the two sees
// the other, in whatever processes they are. When leased fails, nothing is removed.
func (s *Shelf) Collect(ctx context.Context, before time.Time, leased func() (map[string]bool, error)) (removed []string, err error) {
	leave, err := s.Enter(ctx, "collect")
	if err != nil {
		return nil, err
	}
	defer leave()
	if _, err := s.tree.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	lock, err := s.Lock(ctx)
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
			return removed, s.Late(ctx, "collect")
		}
		digest, begun := strings.CutPrefix(e.Name(), aside)
		if !IsDigest(digest) || !begun && held[digest] {
			continue
		}
		if !begun {
			info, err := s.tree.Lstat(s.At(digest))
			if err != nil {
				return removed, err
			}
			if !info.ModTime().Before(before) {
				continue
			}
			if err := s.tree.Rename(s.At(digest), s.At(aside+digest)); err != nil {
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

// settle puts an entry that stands aside back when somebody leases it, and removes it otherwise.
func (s *Shelf) settle(digest string, leased func() (map[string]bool, error)) (gone bool, err error) {
	at, rel := s.At(aside+digest), s.At(digest)
	held, err := leased()
	if err != nil {
		return false, errors.Join(err, s.tree.Rename(at, rel))
	}
	if _, err := s.tree.Lstat(rel); held[digest] && errors.Is(err, fs.ErrNotExist) {
		return false, s.tree.Rename(at, rel)
	}
	return !held[digest], s.tree.RemoveAll(at)
}

// IsDigest says whether a name is that of an entry.
func IsDigest(name string) bool {
	return len(name) == 64 && strings.Trim(name, "0123456789abcdef") == ""
}
