//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package fsroot

import (
	"errors"
	"os"
)

const lockName = ""

func (t *Tree) openLock() (*os.File, error) { return nil, errors.ErrUnsupported }

func lockRoot(*os.Root) (*os.Root, error) { return nil, nil }

func lockCurrent(*os.Root, *os.File) bool { return true }

func lockFile(*os.File, LockMode) (held bool, err error) { return false, errors.ErrUnsupported }

func unlock(l *Lock) error { return l.file.Close() }
