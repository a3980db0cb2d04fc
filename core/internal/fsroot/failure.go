package fsroot

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Errors that have no class of their own in package fault.
var (
	// ErrLocked means that somebody else holds the lock. The class is [fault.Busy].
	ErrLocked = errors.New("locked by another process")
	// ErrGone means that the directory was removed or replaced while it was being locked. Open it again.
	ErrGone = errors.New("directory was removed or replaced")
	// ErrTooLarge means that a file is longer than the limit. The class is [fault.Unreadable].
	ErrTooLarge = errors.New("larger than the limit")
	// ErrNoLinks means that the system or the file system makes no symbolic links, for anybody or for this user. The
	// class is [fault.StateWrite].
	ErrNoLinks = errors.New("symbolic links are not available")
)

// errSwapped means that a name changed its meaning between looking at it and opening it.
var errSwapped = errors.New("replaced while it was being opened")

// failure is an error without a class. Its text is that of the cause, which is free of paths.
type failure struct {
	op, subject string
	err         error
}

func (f *failure) Error() string { return f.op + ": " + f.subject + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// bare takes the wrappings that name a path off an error.
func bare(err error) error {
	for {
		switch e := err.(type) {
		case *fs.PathError:
			err = e.Err
		case *os.LinkError:
			err = e.Err
		case *os.SyscallError:
			err = e.Err
		default:
			return err
		}
	}
}

// first is the first error. Unlike with a joined one, its text can still be freed of paths.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func reading(err error, op, subject string) error {
	if err == nil {
		return nil
	}
	cause := bare(err)
	if cause == fs.ErrNotExist || cause == error(syscall.ENOENT) { // by far the most frequent
		return &failure{op, subject, cause}
	}
	switch {
	case errors.As(cause, new(*fault.Error)) || errors.As(cause, new(*failure)):
		return cause
	case isLoop(cause):
		return fault.Wrap(cause, fault.Unreadable, op, subject, "links form a loop")
	case errors.Is(cause, fs.ErrPermission):
		return fault.Wrap(cause, fault.Unreadable, op, subject, "permission denied")
	case isDevice(cause):
		return fault.Wrap(cause, fault.Unreadable, op, subject, "input/output error")
	}
	return &failure{op, subject, cause}
}

func writing(err error, op, subject string) error {
	if err == nil {
		return nil
	}
	cause := bare(err)
	switch {
	case errors.As(cause, new(*fault.Error)) || errors.As(cause, new(*failure)):
		return cause
	case isFull(cause):
		return fault.Wrap(cause, fault.StateFull, op, subject, "no space left, or a quota is used up")
	case isReadOnly(cause):
		return fault.Wrap(cause, fault.StateWrite, op, subject, "file system is read-only")
	case errors.Is(cause, fs.ErrPermission):
		return fault.Wrap(cause, fault.StateWrite, op, subject, "permission denied")
	case isDevice(cause):
		return fault.Wrap(cause, fault.StateWrite, op, subject, "input/output error")
	}
	return &failure{op, subject, cause}
}

// subject names a path of the tree in a message.
func (t *Tree) subject(rel string) string {
	if rel == "." {
		if t.label == "" {
			return "directory"
		}
		return strings.TrimRight(t.label, "/:")
	}
	return t.label + rel
}
