package launch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/launch/internal/control"
	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
	"github.com/greenroom-agents/greenroom/core/launch/internal/lines"
)

// streamClient speaks the stream-json protocol, in which a process is one conversation.
type streamClient struct {
	side
	conn *control.Conn

	mu     sync.Mutex
	models []string
	now    *streamTurn // the one that runs
}

// streamTurn is a turn that runs in the client.
type streamTurn struct {
	ended    chan streamSaid // holds one
	tools    map[string]Tool // by id
	streamed string          // the message whose text comes in pieces
	fill     Tokens          // of the last answer of the model
	model    string          // that answers
	refused  bool            // the client says that the credential is, known to who reads
}

func newStreamClient(w io.Writer, to side) *streamClient {
	s := &streamClient{side: to}
	s.conn = control.New(w, s)
	return s
}

// streamArgs are the arguments by which a process gets its conversation.
func streamArgs(id string, resumed bool) []string {
	if resumed {
		return []string{"--resume", id}
	}
	return []string{"--session-id", id}
}

// newUUID is a random id of version 4.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (s *streamClient) serve(r io.Reader) error { return s.conn.Serve(r) }

func (s *streamClient) handshake(ctx context.Context) error {
	var r struct {
		Models []struct {
			Value string `json:"value"`
		} `json:"models"`
	}
	if err := s.conn.Call(ctx, map[string]any{"subtype": "initialize"}, &r); err != nil {
		return err
	}
	for _, m := range r.Models {
		s.models = append(s.models, m.Value)
	}
	return nil
}

func (s *streamClient) begin(context.Context) (Conversation, error) {
	return Conversation{ID: s.conversation, Models: s.models}, nil
}

func (s *streamClient) resume(ctx context.Context, _ string) (Conversation, error) {
	return s.begin(ctx)
}

func (s *streamClient) prompt(ctx context.Context, conversation string, blocks []Block) (EndReason, error) {
	content := make([]map[string]any, len(blocks))
	for i, b := range blocks {
		content[i] = map[string]any{"type": "text", "text": b.Text}
	}
	t := &streamTurn{ended: make(chan streamSaid, 1), tools: map[string]Tool{}}
	s.mu.Lock()
	s.now = t
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now = nil
		s.mu.Unlock()
	}()
	err := s.conn.Send(ctx, map[string]any{"type": "user", "session_id": conversation, "parent_tool_use_id": nil,
		"message": map[string]any{"role": "user", "content": content}})
	if err != nil {
		return "", err
	}
	select {
	case said := <-t.ended:
		return said.outcome()
	case <-s.conn.Done():
		// The end of the turn may have been the last thing that was said.
		select {
		case said := <-t.ended:
			return said.outcome()
		default:
			return "", lines.ErrClosed
		}
	case <-ctx.Done():
		return Cancelled, nil
	}
}

func (s *streamClient) cancel(ctx context.Context, _ string) error {
	return s.conn.Call(ctx, map[string]any{"subtype": "interrupt"}, nil)
}

// setModel holds from the next turn on, at whose beginning the client says which model answers. It takes any name.
func (s *streamClient) setModel(ctx context.Context, _, model string) error {
	if model == "" {
		return fault.New(ErrUnsupported, "set model", s.p.Provider, "the client has no name for no model")
	}
	return s.conn.Call(ctx, map[string]any{"subtype": "set_model", "model": model}, nil)
}

// The options that the client takes.
const (
	streamMode   = "permission_mode" // how it goes about permissions
	streamEffort = "effort"          // how much the model thinks
)

func (s *streamClient) set(ctx context.Context, _, option, value string) error {
	var now string
	switch option {
	case streamMode:
		var r struct {
			Mode string `json:"mode"`
		}
		if err := s.conn.Call(ctx, map[string]any{"subtype": "set_permission_mode", "mode": value}, &r); err != nil {
			return err
		}
		now = r.Mode
	case streamEffort:
		// The client passes over a value that it does not know, so it is asked what holds.
		err := s.conn.Call(ctx, map[string]any{"subtype": "apply_flag_settings", "settings": map[string]any{"effortLevel": value}}, nil)
		if err != nil {
			return err
		}
		var r struct {
			Applied struct {
				Effort string `json:"effort"`
			} `json:"applied"`
		}
		if err := s.conn.Call(ctx, map[string]any{"subtype": "get_settings"}, &r); err != nil {
			return err
		}
		now = r.Applied.Effort
	default:
		return fault.New(ErrUnsupported, "set option", s.p.Provider, "the client has no such option")
	}
	if now != value {
		return fault.New(ErrFault, "set option", s.p.Provider, "the client keeps another value than it was told")
	}
	return nil
}

// Request implements control.Handler.
func (s *streamClient) Request(ctx context.Context, subtype string, raw json.RawMessage) (any, error) {
	switch subtype {
	case "can_use_tool":
	case "elicitation":
		return s.elicit(ctx, raw), nil
	case "request_user_dialog":
		return map[string]any{"behavior": "cancelled"}, nil
	default:
		return nil, fmt.Errorf("%s is not supported", subtype)
	}
	var q streamAsks
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "malformed"}
	}
	if q.Name == streamQuestion {
		return s.question(ctx, q, raw), nil
	}
	tool := streamTool(q.ToolUseID, q.Name, q.Input)
	tool.Status = Pending
	always := q.always()
	offers := []Answer{AllowOnce}
	if len(always) > 0 {
		offers = append(offers, AllowAlways)
	}
	switch answer := s.permit(ctx, Request{Tool: tool, Offers: offers, Raw: raw}, raw); answer {
	case AllowOnce:
		return map[string]any{"behavior": "allow", "updatedInput": q.Input}, nil
	case AllowAlways:
		return map[string]any{"behavior": "allow", "updatedInput": q.Input, "updatedPermissions": always}, nil
	default:
		return map[string]any{"behavior": "deny", "message": "the user did not allow this", "interrupt": answer == CancelTurn}, nil
	}
}
