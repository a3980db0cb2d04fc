//go:build !linux && !darwin

package socket

import (
	"context"
	"errors"
	"io"
	"net"
)

// Listen is not to be had here.
func Listen(context.Context, string) (net.Listener, error) { return nil, errors.ErrUnsupported }

// Dial finds nobody.
func Dial(context.Context, string) (net.Conn, error) { return nil, ErrNone }

// Lock has nobody to keep away.
func Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }
