package fsroot

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// lockName is locked in place of the directory, which Windows cannot lock.
const lockName = TempPrefix + "lock"

const (
	lockfileFailImmediately = 1
	lockfileExclusive       = 2
	errorLockViolation      = syscall.Errno(33)
	errorIOPending          = syscall.Errno(997)
)

func (t *Tree) openLock() (*os.File, error) {
	f, err := t.root.OpenFile(lockName, os.O_RDWR, 0)
	if !errors.Is(err, os.ErrNotExist) {
		return f, err
	}
	if err := t.before(OpCreate, lockName); err != nil {
		return nil, err
	}
	return t.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
}

func lockRoot(root *os.Root) (*os.Root, error) { return root.OpenRoot(".") }

// lockCurrent reports whether the locked file still has its name: its last holder may have removed it since it was
// opened here.
func lockCurrent(root *os.Root, f *os.File) bool {
	named, err := root.Lstat(lockName)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && os.SameFile(named, info)
}

func lockFile(f *os.File, mode LockMode) (held bool, err error) {
	flags := uintptr(lockfileFailImmediately)
	if mode == Exclusive {
		flags |= lockfileExclusive
	}
	call := syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")
	conn, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var locked error
	if err := conn.Control(func(fd uintptr) {
		var at syscall.Overlapped
		if ok, _, errno := call.Call(fd, flags, 0, 1, 0, uintptr(unsafe.Pointer(&at))); ok == 0 {
			locked = errno
		}
	}); err != nil {
		return false, err
	}
	if errors.Is(locked, errorLockViolation) || errors.Is(locked, errorIOPending) {
		return false, nil
	}
	return locked == nil, locked
}

// unlock removes the file while nobody else can hold it, then gives it up. Who has it open finds that out by
// lockCurrent and tries again. That the file stays is no failure: it is found again.
func unlock(l *Lock) error {
	if l.mode == Exclusive {
		l.tree.Remove(lockName)
	}
	return errors.Join(l.file.Close(), l.tree.Close())
}
