package fsroot

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// LockMode says who else may hold the lock.
type LockMode uint8

// The modes.
const (
	Exclusive LockMode = iota // nobody
	Shared                    // others that take it shared
)

// Waiting for a lock starts with the first pause and doubles it up to the last.
const (
	firstPause = time.Millisecond
	lastPause  = 50 * time.Millisecond
)

// Lock is a lock on a directory. It ends with Unlock or with the process, whatever ends that, so it is never stale. It
// is bound to the handle it was taken with: two Locks of one process exclude each other like those of two. A Lock that
// is dropped without Unlock is given up at some later time.
type Lock struct {
	once sync.Once
	tree *os.Root
	file *os.File
	mode LockMode
	err  error
}

// Lock locks the directory of the tree. Without wait it fails with [ErrLocked] when somebody else holds the lock; with
// wait it tries until the context ends, and then fails with [ErrLocked] and the context's error. When the directory was
// removed or replaced by the time the lock is held it fails with [ErrGone]. The lock stays when the tree is closed, and
// Unlock may be called from any goroutine.
//
// On Unix the directory itself is locked and nothing is written; a file system that cannot lock directories gives an
// error. On Windows a file in the directory is locked, which Unlock of an exclusive lock removes.
func (t *Tree) Lock(ctx context.Context, mode LockMode, wait bool) (*Lock, error) {
	if err := ctx.Err(); err != nil {
		return nil, &failure{"lock", t.subject("."), err}
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		l, err := t.tryLock(mode)
		if !errors.Is(err, ErrLocked) || !wait {
			return l, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fault.Wrap(errors.Join(ErrLocked, ctx.Err()), fault.Busy, "lock", t.subject("."), "locked by another process until the time was up")
		}
	}
}

func (t *Tree) tryLock(mode LockMode) (*Lock, error) {
	for {
		f, err := t.openLock()
		if err != nil {
			return nil, writing(err, "lock", t.subject("."))
		}
		held, err := lockFile(f, mode)
		if err == nil && held {
			err = t.standing()
		}
		switch {
		case err != nil:
			err = writing(err, "lock", t.subject("."))
		case !held:
			err = fault.Wrap(ErrLocked, fault.Busy, "lock", t.subject("."), "locked by another process")
		case !lockCurrent(t.root, f):
			f.Close() // given up and replaced while it was being opened
			continue
		default:
			// A root of its own, so that the lock outlives the tree.
			var root *os.Root
			if root, err = lockRoot(t.root); err == nil {
				return &Lock{tree: root, file: f, mode: mode}, nil
			}
			err = writing(err, "lock", t.subject("."))
		}
		f.Close()
		return nil, err
	}
}

// standing makes sure that the path still leads to the directory.
func (t *Tree) standing() error {
	look := os.Lstat
	if t.follow {
		look = os.Stat
	}
	info, err := look(t.path)
	switch {
	case err != nil && !errors.Is(absent(err), fs.ErrNotExist):
		return reading(err, "lock", t.subject("."))
	case err != nil || !os.SameFile(info, t.info):
		return &failure{"lock", t.subject("."), ErrGone}
	}
	return nil
}

// Unlock gives the lock up. Calling it again does nothing and returns the same.
func (l *Lock) Unlock() error {
	l.once.Do(func() { l.err = bare(unlock(l)) })
	return l.err
}
