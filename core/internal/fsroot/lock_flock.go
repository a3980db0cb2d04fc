//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fsroot

import (
	"errors"
	"os"
	"syscall"
)

// lockName is no name at all: the directory itself is locked.
const lockName = ""

func (t *Tree) openLock() (*os.File, error) { return openDir(t.root) }

func lockRoot(*os.Root) (*os.Root, error) { return nil, nil }

func lockCurrent(*os.Root, *os.File) bool { return true }

func lockFile(f *os.File, mode LockMode) (held bool, err error) {
	how := syscall.LOCK_EX | syscall.LOCK_NB
	if mode == Shared {
		how = syscall.LOCK_SH | syscall.LOCK_NB
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var locked error
	if err := conn.Control(func(fd uintptr) {
		for {
			if locked = syscall.Flock(int(fd), how); locked != syscall.EINTR {
				return
			}
		}
	}); err != nil {
		return false, err
	}
	if errors.Is(locked, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return locked == nil, locked
}

// unlock gives the lock back before it closes the handle: a process that is being started at this moment may hold a
// duplicate of the handle, and closing ours would leave the lock with it for a while.
func unlock(l *Lock) error {
	conn, err := l.file.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { _ = syscall.Flock(int(fd), syscall.LOCK_UN) })
	}
	return errors.Join(err, l.file.Close())
}
