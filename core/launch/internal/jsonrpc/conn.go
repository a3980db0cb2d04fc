package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

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
	w   *lines.Writer
	h   Handler
	ctx context.Context
	end context.CancelCauseFunc

	mu      sync.Mutex
	calls   map[string]chan *message
	next    int64
	serving sync.WaitGroup
	busy    chan struct{} // holds a token for each request that is being answered
}

// New makes a connection that writes to w. [Conn.Serve] reads.
func New(w io.Writer, h Handler) *Conn {
	ctx, end := context.WithCancelCause(context.Background())
	return &Conn{w: lines.NewWriter(w), h: h, ctx: ctx, end: end, calls: map[string]chan *message{}, busy: make(chan struct{}, requests)}
}

// Serve reads until r ends or the connection breaks, and says why it ended: nil at the end of r. Requests that are being
// answered are waited for.
func (c *Conn) Serve(r io.Reader) error {
	err := lines.Read(r, lines.Limit, c.handle)
	c.Close(err)
	c.serving.Wait()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Close ends every call with an error that says why.
func (c *Conn) Close(why error) {
	if why == nil || errors.Is(why, io.EOF) {
		why = lines.ErrClosed
	}
	c.end(why)
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.ctx.Done() }

// Call asks for something and waits for the answer, which is decoded into result unless that is nil. The raw answer is
// given back too.
func (c *Conn) Call(ctx context.Context, method string, params, result any) (json.RawMessage, error) {
	p, err := raw(params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	answer := make(chan *message, 1)
	c.mu.Lock()
	c.next++
	id := strconv.FormatInt(c.next, 10)
	c.calls[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	if err := c.write(ctx, &message{ID: json.RawMessage(id), Method: method, Params: p}); err != nil {
		// What was answered was read, whatever was seen first of the end behind it.
		select {
		case m := <-answer:
			return take(method, m, result)
		default:
			return nil, fmt.Errorf("%s: %w", method, err)
		}
	}
	select {
	case m := <-answer:
		return take(method, m, result)
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case <-c.ctx.Done():
		// The answer may have been the last thing that was said.
		select {
		case m := <-answer:
			return take(method, m, result)
		default:
			return nil, fmt.Errorf("%s: %w", method, context.Cause(c.ctx))
		}
	}
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
	m.Version = "2.0"
	line, err := lines.Encode(m)
	if err != nil {
		return err
	}
	return c.w.Write(ctx, c.ctx, line)
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
			c.serving.Go(func() { c.answer(&m); <-c.busy })
		default:
			return c.write(c.ctx, &message{ID: m.ID, Error: &Error{Code: InternalError, Message: "too many requests at once"}})
		}
	case m.Method != "":
		c.h.Notify(m.Method, m.Params)
	case m.hasID():
		c.mu.Lock()
		waiting := c.calls[string(m.ID)]
		delete(c.calls, string(m.ID))
		c.mu.Unlock()
		// An answer that nobody waits for is late, or made up.
		if waiting != nil {
			waiting <- &m
		}
	}
	return nil
}

func (c *Conn) answer(m *message) {
	result, err := c.h.Request(c.ctx, m.Method, m.Params)
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
	_ = c.write(c.ctx, reply)
}
