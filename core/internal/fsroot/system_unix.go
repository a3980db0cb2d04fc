//go:build unix

package fsroot

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	openNonblock = syscall.O_NONBLOCK
	keepsModes   = true
	syncsDirs    = true
	linkModes    = fs.ModeSymlink
)

type systemLinker struct{}

func (systemLinker) Symlink(dir *os.Root, target, name string) error {
	return dir.Symlink(target, name)
}

// A file system that has no symbolic links has no others either.
func (systemLinker) Junction(*os.Root, string, string) error { return syscall.ENOTSUP }

func (systemLinker) Hard(*os.Root, string, string) error { return syscall.ENOTSUP }

func validOnSystem(string) bool { return true }

func identity(info fs.FileInfo) (dev, ino uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev), uint64(st.Ino)
	}
	return 0, 0
}

// Links is the number of hard links to what info describes, or 0 where the system does not tell.
func Links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 0
}

func isOneOf(err error, codes ...syscall.Errno) bool {
	errno, ok := err.(syscall.Errno)
	if !ok {
		var inside syscall.Errno
		if !errors.As(err, &inside) {
			return false
		}
		errno = inside
	}
	for _, code := range codes {
		if errno == code {
			return true
		}
	}
	return false
}

// isFull holds for a limit on the size of a file too, which is a quota of its kind.
func isFull(err error) bool     { return isOneOf(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG) }
func isReadOnly(err error) bool { return isOneOf(err, syscall.EROFS) }
func isDevice(err error) bool   { return isOneOf(err, syscall.EIO) }
func isLoop(err error) bool     { return isOneOf(err, syscall.ELOOP) }
func isNotDir(err error) bool   { return isOneOf(err, syscall.ENOTDIR) }
func isNotEmpty(err error) bool { return isOneOf(err, syscall.ENOTEMPTY, syscall.EEXIST) }

// isUnsupported is how link and symlink say that the file system has none of these. EACCES is not among them.
func isUnsupported(err error) bool {
	return isOneOf(err, syscall.EPERM, syscall.ENOSYS, syscall.ENOTSUP, syscall.EOPNOTSUPP)
}
