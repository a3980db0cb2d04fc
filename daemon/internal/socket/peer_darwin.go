package socket

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// peer is the user of the other end, as the kernel knows it.
func peer(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// in does something with the path of the socket. One that is too long (103 bytes) is refused by the system.
func in(dir string, do func(path string) error) error { return do(filepath.Join(dir, Name)) }
