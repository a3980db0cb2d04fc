package socket

import (
	"errors"
)

// Name is the name of the socket in a data directory, and LockName that of the file whose lock the daemon holds.
const (
	Name     = "daemon.sock"
	LockName = "daemon.lock"
)

// The errors of this package.
var (
	// ErrBusy says that another daemon holds the lock.
	ErrBusy = errors.New("another daemon serves this data directory")
	// ErrNone says that no daemon listens.
	ErrNone = errors.New("no daemon listens on this data directory")
	// ErrStranger says that the other end is another user's.
	ErrStranger = errors.New("the other end of the socket is another user's")
)
