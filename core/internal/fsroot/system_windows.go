package fsroot

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	openNonblock = 0
	keepsModes   = false
	syncsDirs    = false
	// Junctions are irregular to package os.
	linkModes = fs.ModeSymlink | fs.ModeIrregular
)

// validOnSystem refuses what is a path or a stream where a single name is meant.
func validOnSystem(rel string) bool { return !strings.ContainsAny(rel, `\:`) && filepath.IsLocal(rel) }

func identity(fs.FileInfo) (dev, ino uint64) { return 0, 0 }

// Links is the number of hard links to what info describes, or 0 where the system does not tell.
func Links(fs.FileInfo) uint64 { return 0 }

// Codes of the Windows API that package syscall has no name for.
const (
	errorWriteProtect      = syscall.Errno(19)
	errorCRC               = syscall.Errno(23)
	errorHandleDiskFull    = syscall.Errno(39)
	errorNotSupported      = syscall.Errno(50)
	errorInvalidFunction   = syscall.Errno(1)
	errorDiskFull          = syscall.Errno(112)
	errorDirNotEmpty       = syscall.Errno(145)
	errorDirectory         = syscall.Errno(267)
	errorIODevice          = syscall.Errno(1117)
	errorPrivilegeNotHeld  = syscall.Errno(1314)
	errorDiskQuotaExceeded = syscall.Errno(1295)
	errorCantResolveName   = syscall.Errno(1921)
)

func isOneOf(err error, codes ...syscall.Errno) bool {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return false
	}
	for _, code := range codes {
		if errno == code {
			return true
		}
	}
	return false
}

func isFull(err error) bool {
	return isOneOf(err, errorDiskFull, errorHandleDiskFull, errorDiskQuotaExceeded)
}
func isReadOnly(err error) bool { return isOneOf(err, errorWriteProtect) }
func isDevice(err error) bool   { return isOneOf(err, errorCRC, errorIODevice) }
func isLoop(err error) bool     { return isOneOf(err, errorCantResolveName, syscall.ELOOP) }
func isNotDir(err error) bool   { return isOneOf(err, errorDirectory, syscall.ENOTDIR) }
func isNotEmpty(err error) bool { return isOneOf(err, errorDirNotEmpty, syscall.ENOTEMPTY) }

// isUnsupported is how the system says that there are no links of this kind, or none for this user.
func isUnsupported(err error) bool {
	return isOneOf(err, errorPrivilegeNotHeld, errorNotSupported, errorInvalidFunction, syscall.EPERM)
}
