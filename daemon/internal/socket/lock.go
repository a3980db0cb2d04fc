package socket

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// Held is the lock of a data directory. It ends with Close, or with the process.
type Held struct {
	dir   string
	close func() error
}

// Lock keeps daemons, and rotations, away from a data directory, which there has to be. Errors: [ErrBusy], and those of the
// system.
func Lock(dir string) (*Held, error) {
	f, err := os.OpenFile(filepath.Join(dir, LockName), os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Held{dir, sync.OnceValue(f.Close)}, nil
}

// Close gives the lock up. It may be repeated.
func (h *Held) Close() error { return h.close() }
