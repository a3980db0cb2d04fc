package fsroot

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// systemLinker links by path: a link made through the root would be a file link whenever its target lies outside. The
// directory is compared before, since its path may lead elsewhere by now.
type systemLinker struct{}

func (systemLinker) Symlink(dir *os.Root, target, name string) error {
	at, err := within(dir, name)
	if err != nil {
		return err
	}
	return os.Symlink(target, at)
}

func (systemLinker) Hard(dir *os.Root, target, name string) error {
	at, err := within(dir, name)
	if err != nil {
		return err
	}
	return os.Link(target, at)
}

// Junction makes a directory and turns it into a mount point.
func (systemLinker) Junction(dir *os.Root, target, name string) error {
	at, err := within(dir, name)
	if err != nil {
		return err
	}
	data := mountPoint(filepath.Clean(target))
	if data == nil {
		return errorNotSupported
	}
	if err := os.Mkdir(at, 0o700); err != nil {
		return err
	}
	if err := setReparse(at, data); err != nil {
		return errors.Join(err, os.Remove(at))
	}
	return nil
}

// within is the path of a name in an open directory.
func within(dir *os.Root, name string) (string, error) {
	named, err := os.Lstat(dir.Name())
	if err != nil {
		return "", err
	}
	held, err := dir.Lstat(".")
	if err != nil {
		return "", err
	}
	if !os.SameFile(named, held) {
		return "", errSwapped
	}
	return filepath.Join(dir.Name(), name), nil
}

const (
	fsctlSetReparsePoint = 0x000900A4
	fileFlagOpenReparse  = 0x00200000
)

func setReparse(path string, data []byte) error {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_EXISTING, fileFlagOpenReparse|syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return os.NewSyscallError("CreateFile", err)
	}
	defer syscall.CloseHandle(h)
	var n uint32
	return os.NewSyscallError("DeviceIoControl", syscall.DeviceIoControl(h, fsctlSetReparsePoint, &data[0], uint32(len(data)), nil, 0, &n, nil))
}
