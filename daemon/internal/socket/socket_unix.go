//go:build linux || darwin

package socket

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Listen listens on the socket of the data directory, which whoever holds the lock owns the name of, until the listener is
// closed. That has to be before the lock is.
func (h *Held) Listen(ctx context.Context) (net.Listener, error) {
	dir := h.dir
	if err := os.Remove(filepath.Join(dir, Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var l net.Listener
	err := in(dir, func(path string) (err error) {
		l, err = new(net.ListenConfig).Listen(ctx, "unix", path)
		return err
	})
	if err != nil {
		return nil, err
	}
	u := l.(*net.UnixListener)
	u.SetUnlinkOnClose(false) // it would remove by a name that may be good in that moment only
	d := &door{UnixListener: u, path: filepath.Join(dir, Name)}
	if err := os.Chmod(d.path, 0o600); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// door is a listener that lets nobody else in.
type door struct {
	*net.UnixListener
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
		err := d.UnixListener.Close()
		if gone := os.Remove(d.path); err == nil && !errors.Is(gone, fs.ErrNotExist) {
			err = gone
		}
		d.ended = err
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
