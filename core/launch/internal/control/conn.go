package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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
	link  *lines.Link
	h     Handler
	calls lines.Calls[answer]

	mu    sync.Mutex
	asked map[string]context.CancelFunc // the requests that are being answered
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

// ours is what the numbers of our requests begin with.
const ours = "greenroom-"

// New makes a connection that writes to w. [Conn.Serve] reads.
func New(w io.Writer, h Handler) *Conn {
	return &Conn{link: lines.NewLink(w), h: h, asked: map[string]context.CancelFunc{}}
}

// Serve reads until r ends or the connection breaks, and says why it ended: nil at the end of r. Requests that are being
// answered are waited for.
func (c *Conn) Serve(r io.Reader) error { return c.link.Serve(r, c.handle) }

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.link.Done() }

// Call asks for something, which is a JSON object with a subtype, and waits for the answer, which is decoded into result
// unless that is nil. What the other side answers in the place of a result is a *jsonrpc.Error.
func (c *Conn) Call(ctx context.Context, request map[string]any, result any) error {
	what := fmt.Sprint(request["subtype"])
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	a, err := c.calls.Ask(ctx, c.link, func(number string) any {
		return envelope{Type: "control_request", RequestID: ours + number, Request: body}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return a.take(what, result)
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
func (c *Conn) Send(ctx context.Context, message any) error { return c.link.Write(ctx, message) }

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
		if number, ok := strings.CutPrefix(m.Response.RequestID, ours); ok { // else an echo, or made up
			c.calls.Answer(number, *m.Response)
		}
	default:
		c.h.Message(m.Type, line)
	}
	return nil
}

func (c *Conn) request(m envelope) error {
	reply := answer{RequestID: m.RequestID, Subtype: "error", Error: "too many requests at once"}
	ctx, withdraw := context.WithCancel(c.link.Context())
	c.mu.Lock()
	busy := len(c.asked) >= requests || c.asked[m.RequestID] != nil
	if !busy {
		c.asked[m.RequestID] = withdraw
	}
	c.mu.Unlock()
	if busy {
		withdraw()
		return c.Send(c.link.Context(), envelope{Type: "control_response", Response: &reply})
	}
	c.link.Go(func() {
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
		_ = c.Send(c.link.Context(), envelope{Type: "control_response", Response: &reply})
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
