//go:build !windows

package adapter

import (
	"os"
	"syscall"
)

// tryLock locks the file until it is closed, which the system does for a process that dies.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
