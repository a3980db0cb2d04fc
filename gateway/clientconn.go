package gateway

import (
	"context"
	"net"
	"sync"
)

// clientConn is the connection of a client. While it is corked it collects what is written to it: net/http makes up to
// three writes of the events that are at hand, and each is a system call here and another one at the client.
type clientConn struct {
	*net.TCPConn
	buffers *sync.Pool // of *[]byte
	held    *[]byte    // what waits, nil while the connection is not corked
}

// Write is only called by whoever answers a request, and by net/http before and after that.
func (c *clientConn) Write(p []byte) (int, error) {
	if c.held == nil {
		return c.TCPConn.Write(p)
	}
	*c.held = append(*c.held, p...)
	return len(p), nil
}

func (c *clientConn) cork() { c.held = borrow(c.buffers) }

// uncork writes what was collected.
func (c *clientConn) uncork() error {
	if c.held == nil {
		return nil
	}
	held := c.held
	c.held = nil
	_, err := c.TCPConn.Write(*held)
	giveBack(c.buffers, held)
	return err
}

// borrow gives an empty buffer of a pool.
func borrow(pool *sync.Pool) *[]byte {
	if b, ok := pool.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// giveBack puts a buffer back, unless it has grown so that it is better forgotten.
func giveBack(pool *sync.Pool, b *[]byte) {
	if *b = (*b)[:0]; cap(*b) > keptBuffer {
		*b = nil
	}
	pool.Put(b)
}

// clientListener gives connections that can be corked.
type clientListener struct {
	net.Listener
	buffers *sync.Pool
}

func (l *clientListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &clientConn{TCPConn: tcp, buffers: l.buffers}, err
	}
	return c, err
}

type clientConnKey struct{}

// withClientConn puts the connection where the handler of its requests finds it.
func withClientConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, clientConnKey{}, c)
}

// deliver writes a piece of an answer and waits until the connection has taken it.
func (c *call) deliver(text []byte) error {
	c.arm()
	conn, ok := c.ctx.Value(clientConnKey{}).(*clientConn)
	if ok = ok && len(text) <= keptBuffer; ok {
		conn.cork()
	}
	n, err := c.w.Write(text)
	c.event.ResponseBytes += int64(n)
	if err == nil {
		err = c.rc.Flush()
	}
	if ok {
		if e := conn.uncork(); err == nil {
			err = e
		}
	}
	return err
}
