//go:build linux || darwin || freebsd

package checkup

import (
	"errors"
	"os"
	"syscall"
)

// excludes tries whether a lock on a directory keeps a second opener out.
func excludes(dir string) error {
	first, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer first.Close()
	second, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer second.Close()
	if err := syscall.Flock(int(first.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	err = syscall.Flock(int(second.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil
	case err == nil:
		return errors.New("two openers got one lock")
	}
	return err
}

func freeBytes(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(uint64(s.Bavail) * uint64(s.Bsize)), true
}
