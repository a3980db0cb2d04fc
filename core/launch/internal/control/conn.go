package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
	"github.com/greenroom-agents/greenroom/core/launch/internal/lines"
)

// Handler takes what the other side asks for and tells.
type Handler interface {
	// Message takes a message that is no request and no answer. It is called in order, and the next message is not read
	// before it returns.
	Message(kind string, raw json.RawMessage)
	// Request answers a request. It runs beside everything else; ctx ends with the connection, or when the request is
	// withdrawn. The text of an error goes to the other side.
	Request(ctx context.Context, subtype string, raw json.RawMessage) (any, error)
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
	calls   map[string]chan answer
	asked   map[string]context.CancelFunc // the requests that are being answered
	next    int64
	serving sync.WaitGroup
}

// envelope is any message.
type envelope struct {
	Type      string          `json:"type"`
	RequestID string          `json:"request_id,omitempty"`
	Request   json.RawMessage `json:"request,omitempty"`
	Response  *answer         `json:"response,omitempty"`
}

type answer struct {
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	Response  json.RawMessage `json:"response,omitempty"`
	Error     string          `json:"error,omitempty"`
}

// New makes a connection that writes to w. [Conn.Serve] reads.
func New(w io.Writer, h Handler) *Conn {
	ctx, end := context.WithCancelCause(context.Background())
	return &Conn{w: lines.NewWriter(w), h: h, ctx: ctx, end: end, calls: map[string]chan answer{}, asked: map[string]context.CancelFunc{}}
}

// Serve reads until r ends or the connection breaks, and says why it ended: nil at the end of r. Requests that are being
// answered are waited for.
func (c *Conn) Serve(r io.Reader) error {
	err := lines.Read(r, lines.Limit, c.handle)
	if errors.Is(err, io.EOF) {
		c.end(lines.ErrClosed)
		err = nil
	} else {
		c.end(err)
	}
	c.serving.Wait()
	return err
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.ctx.Done() }

// Call asks for something, which is a JSON object with a subtype, and waits for the answer, which is decoded into result
// unless that is nil. What the other side answers in the place of a result is a *jsonrpc.Error.
func (c *Conn) Call(ctx context.Context, request map[string]any, result any) error {
	what := fmt.Sprint(request["subtype"])
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	waiting := make(chan answer, 1)
	c.mu.Lock()
	c.next++
	id := "greenroom-" + strconv.FormatInt(c.next, 10)
	c.calls[id] = waiting
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	if err := c.Send(ctx, envelope{Type: "control_request", RequestID: id, Request: body}); err != nil {
		// What was answered was read, whatever was seen first of the end behind it.
		select {
		case a := <-waiting:
			return a.take(what, result)
		default:
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	select {
	case a := <-waiting:
		return a.take(what, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	case <-c.ctx.Done():
		// The answer may have been the last thing that was said.
		select {
		case a := <-waiting:
			return a.take(what, result)
		default:
			return fmt.Errorf("%s: %w", what, context.Cause(c.ctx))
		}
	}
}

func (a answer) take(what string, result any) error {
	if a.Subtype != "success" {
		return fmt.Errorf("%s: %w", what, &jsonrpc.Error{Message: a.Error})
	}
	if result == nil || len(a.Response) == 0 {
		return nil
	}
	if err := json.Unmarshal(a.Response, result); err != nil {
		return fmt.Errorf("%s: the answer is malformed: %w", what, err)
	}
	return nil
}

// Send tells something.
func (c *Conn) Send(ctx context.Context, message any) error {
	line, err := lines.Encode(message)
	if err != nil {
		return err
	}
	return c.w.Write(ctx, c.ctx, line)
}

func (c *Conn) handle(line []byte) error {
	var m envelope
	if err := json.Unmarshal(line, &m); err != nil || m.Type == "" {
		return c.h.Stray(line)
	}
	switch m.Type {
	case "control_request":
		return c.request(m)
	case "control_cancel_request":
		c.mu.Lock()
		if withdraw := c.asked[m.RequestID]; withdraw != nil {
			withdraw()
		}
		c.mu.Unlock()
	case "control_response":
		if m.Response == nil {
			return nil
		}
		c.mu.Lock()
		waiting := c.calls[m.Response.RequestID]
		delete(c.calls, m.Response.RequestID)
		c.mu.Unlock()
		// An answer that nobody waits for is late, or an echo of one of ours.
		if waiting != nil {
			waiting <- *m.Response
		}
	default:
		c.h.Message(m.Type, line)
	}
	return nil
}

func (c *Conn) request(m envelope) error {
	reply := answer{RequestID: m.RequestID, Subtype: "error", Error: "too many requests at once"}
	ctx, withdraw := context.WithCancel(c.ctx)
	c.mu.Lock()
	busy := len(c.asked) >= requests || c.asked[m.RequestID] != nil
	if !busy {
		c.asked[m.RequestID] = withdraw
	}
	c.mu.Unlock()
	if busy {
		withdraw()
		return c.Send(c.ctx, envelope{Type: "control_response", Response: &reply})
	}
	c.serving.Go(func() {
		defer withdraw()
		result, err := c.answer(ctx, m.Request)
		c.mu.Lock()
		delete(c.asked, m.RequestID)
		c.mu.Unlock()
		if err == nil {
			reply.Subtype, reply.Error = "success", ""
			reply.Response, err = json.Marshal(result)
		}
		if err != nil {
			reply = answer{RequestID: m.RequestID, Subtype: "error", Error: err.Error()}
		}
		// When it cannot be written the connection is at its end, and says so itself.
		_ = c.Send(c.ctx, envelope{Type: "control_response", Response: &reply})
	})
	return nil
}

func (c *Conn) answer(ctx context.Context, raw json.RawMessage) (any, error) {
	var r struct {
		Subtype string `json:"subtype"`
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.Subtype == "" {
		return nil, errors.New("the request is malformed")
	}
	return c.h.Request(ctx, r.Subtype, raw)
}
