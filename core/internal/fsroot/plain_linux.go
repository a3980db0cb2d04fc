package fsroot

import (
	"io"
	"io/fs"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Here the system is called without the handles of package os: their polling and finalizers cost more than the reading of
// a small file.

// readSeen reads the file at a path whose description is known. errSwapped says that another one stands there by now, which
// was not read.
func readSeen(path string, seen fs.FileInfo, limit int64) ([]byte, error) {
	fd, err := again(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|syscall.O_NOCTTY, 0)
	})
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var now syscall.Stat_t
	if _, err := again(func() (int, error) { return 0, syscall.Fstat(fd, &now) }); err != nil {
		return nil, err
	}
	was, ok := seen.Sys().(*syscall.Stat_t)
	if !ok || was.Dev != now.Dev || was.Ino != now.Ino || now.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, errSwapped
	}
	return slurp(handle(fd), now.Size, limit)
}

// handle is an open file that is read.
type handle int

func (h handle) Read(p []byte) (int, error) {
	n, err := again(func() (int, error) { return syscall.Read(int(h), p) })
	if err != nil {
		return 0, err
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// again makes a call until no signal interrupts it.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// Unchanged says whether what a path leads to is what info described, by device, inode, size and times.
func Unchanged(path string, info fs.FileInfo) bool {
	var now syscall.Stat_t
	_, err := again(func() (int, error) { return 0, syscall.Stat(path, &now) })
	if info == nil {
		return err != nil
	}
	was, ok := info.Sys().(*syscall.Stat_t)
	return err == nil && ok && was.Dev == now.Dev && was.Ino == now.Ino && was.Mode == now.Mode && was.Size == now.Size &&
		was.Mtim == now.Mtim && was.Ctim == now.Ctim
}

// Resolve is the path of what an absolute path leads to, with all links resolved. One call says that there is none on the
// way, where the kernel has it.
func Resolve(path string) (string, error) {
	fd, err := again(func() (int, error) {
		return unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	})
	if err != nil {
		return filepath.EvalSymlinks(path)
	}
	syscall.Close(fd)
	return filepath.Clean(path), nil
}
