//go:build linux || darwin

package socket

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// Listen takes the lock of a data directory and listens on its socket, until the listener is closed. Errors: [ErrBusy], and
// those of the system.
func Listen(ctx context.Context, dir string) (net.Listener, error) {
	lock, err := Lock(dir)
	if err != nil {
		return nil, err
	}
	// Who has the lock owns the name.
	if err := os.Remove(filepath.Join(dir, Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, lock.Close())
	}
	var l net.Listener
	err = in(dir, func(path string) (err error) {
		l, err = new(net.ListenConfig).Listen(ctx, "unix", path)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	u := l.(*net.UnixListener)
	u.SetUnlinkOnClose(false) // it would remove by a name that may be good in that moment only
	d := &door{UnixListener: u, lock: lock, path: filepath.Join(dir, Name)}
	if err := os.Chmod(d.path, 0o600); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Lock keeps daemons away from a data directory until it is closed. Errors: [ErrBusy], and those of the system.
func Lock(dir string) (io.Closer, error) {
	lock, err := os.OpenFile(filepath.Join(dir, LockName), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrBusy
		}
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// door is a listener that holds the lock, and lets nobody else in.
type door struct {
	*net.UnixListener
	lock  io.Closer
	path  string
	once  sync.Once
	ended error
}

func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if ours(c) {
			return c, nil
		}
		_ = c.Close()
	}
}

// Close may be repeated: a second time the name may be the next daemon's already.
func (d *door) Close() error {
	d.once.Do(func() {
		// The socket goes before the lock, which the next daemon needs.
		err := d.UnixListener.Close()
		if gone := os.Remove(d.path); err == nil && !errors.Is(gone, fs.ErrNotExist) {
			err = gone
		}
		d.ended = errors.Join(err, d.lock.Close())
	})
	return d.ended
}

// Dial connects to the daemon of a data directory. Errors: [ErrNone], [ErrStranger].
func Dial(ctx context.Context, dir string) (net.Conn, error) {
	var c net.Conn
	err := in(dir, func(path string) (err error) {
		c, err = new(net.Dialer).DialContext(ctx, "unix", path)
		return err
	})
	if err != nil {
		return nil, errors.Join(ErrNone, err)
	}
	if !ours(c.(*net.UnixConn)) {
		return nil, errors.Join(ErrStranger, c.Close())
	}
	return c, nil
}

// ours says whether the other end is a process of this user's.
func ours(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	uid, known := -1, errors.New("not asked")
	if err := raw.Control(func(fd uintptr) { uid, known = peer(int(fd)) }); err != nil || known != nil {
		return false
	}
	return uid == os.Geteuid()
}
