package socket

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// longest is the longest path that a socket can have.
const longest = 107

// peer is the user of the other end, as the kernel knows it.
func peer(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// in does something with a path of the socket that is short enough, whatever the directory's is.
func in(dir string, do func(path string) error) error {
	if path := filepath.Join(dir, Name); len(path) <= longest {
		return do(path)
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return do("/proc/self/fd/" + strconv.Itoa(int(f.Fd())) + "/" + Name)
}
