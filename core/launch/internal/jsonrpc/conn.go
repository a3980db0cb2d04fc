package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/greenroom-agents/greenroom/core/launch/internal/lines"
)

// Handler takes what the other side asks for and tells.
type Handler interface {
	// Notify takes a notification. It is called in order, and the next message is not read before it returns.
	Notify(method string, params json.RawMessage)
	// Request answers a request. It runs beside everything else; ctx ends with the connection. An *[Error] is passed on,
	// any other error becomes one without its text.
	Request(ctx context.Context, method string, params json.RawMessage) (any, error)
	// Stray takes a line that is no message, such as a warning that a runtime prints. An error ends the connection.
	Stray(line []byte) error
}

// requests is how many requests of the other side are answered at once. More are refused.
const requests = 64

// Conn is a connection. It is safe for concurrent use.
type Conn struct {
	link  *lines.Link
	h     Handler
	calls lines.Calls[*message]
	busy  chan struct{} // holds a token for each request that is being answered
}

// New makes a connection that writes to w. [Conn.Serve] reads.
func New(w io.Writer, h Handler) *Conn {
	return &Conn{link: lines.NewLink(w), h: h, busy: make(chan struct{}, requests)}
}

// Serve reads until r ends or the connection breaks, and says why it ended: nil at the end of r. Requests that are being
// answered are waited for.
func (c *Conn) Serve(r io.Reader) error { return c.link.Serve(r, c.handle) }

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.link.Done() }

// Call asks for something and waits for the answer, which is decoded into result unless that is nil. The raw answer is
// given back too.
func (c *Conn) Call(ctx context.Context, method string, params, result any) (json.RawMessage, error) {
	p, err := raw(params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	m, err := c.calls.Ask(ctx, c.link, func(number string) any {
		return &message{Version: version, ID: json.RawMessage(number), Method: method, Params: p}
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return take(method, m, result)
}

func take(method string, m *message, result any) (json.RawMessage, error) {
	if m.Error != nil {
		return nil, fmt.Errorf("%s: %w", method, m.Error)
	}
	if result != nil && len(m.Result) > 0 {
		if err := json.Unmarshal(m.Result, result); err != nil {
			return nil, fmt.Errorf("%s: the answer is malformed: %w", method, err)
		}
	}
	return m.Result, nil
}

// Notify tells something.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	p, err := raw(params)
	if err == nil {
		err = c.write(ctx, &message{Method: method, Params: p})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (c *Conn) write(ctx context.Context, m *message) error {
	m.Version = version
	return c.link.Write(ctx, m)
}

func (c *Conn) handle(line []byte) error {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return c.h.Stray(line)
	}
	switch {
	case m.Method != "" && m.hasID():
		select {
		case c.busy <- struct{}{}:
			c.link.Go(func() { c.answer(&m); <-c.busy })
		default:
			return c.write(c.link.Context(), &message{ID: m.ID, Error: &Error{Code: InternalError, Message: "too many requests at once"}})
		}
	case m.Method != "":
		c.h.Notify(m.Method, m.Params)
	case m.hasID():
		c.calls.Answer(string(m.ID), &m)
	}
	return nil
}

func (c *Conn) answer(m *message) {
	result, err := c.h.Request(c.link.Context(), m.Method, m.Params)
	reply := &message{ID: m.ID}
	if err == nil {
		if reply.Result, err = raw(result); err == nil && reply.Result == nil {
			reply.Result = json.RawMessage("null")
		}
	}
	if err != nil && !errors.As(err, &reply.Error) {
		reply.Error = &Error{Code: InternalError, Message: "the request failed"}
	}
	// When it cannot be written the connection is at its end, and says so itself.
	_ = c.write(c.link.Context(), reply)
}
