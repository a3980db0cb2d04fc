//go:build !linux && !darwin

package socket

import (
	"context"
	"errors"
	"net"
)

// Listen is not to be had here.
func (*Held) Listen(context.Context) (net.Listener, error) { return nil, errors.ErrUnsupported }

// Dial finds nobody.
func Dial(context.Context, string) (net.Conn, error) { return nil, ErrNone }
