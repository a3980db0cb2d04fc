package adapter

import (
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks the file until it is closed, which the system does for a process that dies.
func tryLock(f *os.File) bool {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, new(windows.Overlapped)) == nil
}
