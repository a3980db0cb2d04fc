package launchtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/greenroom-agents/greenroom/core/launch/internal/control"
	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// streamAgent speaks stream-json, in which its process is one conversation.
type streamAgent struct {
	faults
	conn    *control.Conn
	session string

	mu     sync.Mutex
	model  string
	mode   string // of permissions
	effort string
	next   int                // of messages and requests
	cancel context.CancelFunc // of the running turn
}

func runStream(f faults) error {
	if id := f.with["resume"]; id != "" && (f.flags["forget"] || strings.HasPrefix(id, "no-such-")) {
		return errors.New("there is no such conversation: " + id)
	}
	a := &streamAgent{faults: f, session: cmp.Or(f.with["resume"], f.with["session-id"]), model: models()[0], mode: "default"}
	if a.with["resume"] != "" && a.with["drift"] != "" {
		a.mode = drifted
	}
	a.conn = control.New(os.Stdout, a)
	return a.conn.Serve(os.Stdin)
}

// Stray implements control.Handler.
func (a *streamAgent) Stray([]byte) error { return errors.New("no message") }

// Message implements control.Handler.
func (a *streamAgent) Message(kind string, raw json.RawMessage) {
	if kind != "user" || a.with["hang"] == "user" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.mu.Lock()
	a.cancel = cancel
	a.mu.Unlock()
	go func() {
		defer cancel()
		a.turn(ctx, raw)
	}()
}

func (a *streamAgent) turn(ctx context.Context, raw json.RawMessage) {
	var q struct {
		Message struct {
			Content []block
		}
	}
	if err := json.Unmarshal(raw, &q); err != nil || len(q.Message.Content) == 0 {
		return
	}
	a.mu.Lock()
	model, mode := a.model, a.mode
	a.mu.Unlock()
	tools, servers := []string{"Bash", "mcp__user__look"}, map[string]string{"user": "connected", "extra": "connected"}
	if a.with["resume"] != "" {
		switch a.with["drift"] {
		case driftTools:
			tools[0] = "PowerShell"
		case driftServers:
			servers = map[string]string{"user": "failed"}
		}
	}
	told := []any{}
	for name, status := range servers {
		told = append(told, map[string]any{"name": name, "status": status})
	}
	a.send(map[string]any{"type": "system", "subtype": "init", "model": model, "permissionMode": mode, "tools": tools, "mcp_servers": told})
	t := &script{faults: a.faults, voice: a, prompt: raw, stop: "end_turn", value: func(name string) string {
		a.mu.Lock()
		defer a.mu.Unlock()
		return map[string]string{"permission_mode": a.mode, "effort": a.effort, "model": a.model}[name]
	}}
	err := t.run(ctx, instructions(q.Message.Content))
	result := map[string]any{"type": "result", "subtype": "success", "is_error": false, "stop_reason": t.stop,
		"usage": map[string]any{"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 2}, "modelUsage": map[string]any{model: map[string]any{"contextWindow": 1000}}}
	var fail *jsonrpc.Error
	switch {
	case errors.As(err, &fail):
		result["is_error"], result["result"] = true, fail.Message
		if fail.Code == -32000 {
			result["api_error_status"] = 401
		}
	case t.stop == "cancelled":
		result["is_error"], result["subtype"] = true, "error_during_execution"
	}
	a.send(result)
}

// Request implements control.Handler.
func (a *streamAgent) Request(ctx context.Context, subtype string, raw json.RawMessage) (any, error) {
	switch subtype {
	case a.with["hang"]:
		<-ctx.Done()
		return nil, ctx.Err()
	case a.with["refuse"]:
		return nil, errors.New("method not found")
	case a.with["garble"]:
		return []string{"something", "else"}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch subtype {
	case "initialize":
		return map[string]any{"models": []any{map[string]any{"value": "small"}, map[string]any{"value": "large"}}}, nil
	case "interrupt":
		if a.cancel != nil && !a.flags["ignore-cancel"] {
			a.cancel()
		}
		return nil, nil
	case "set_model":
		var q struct{ Model string }
		if err := json.Unmarshal(raw, &q); err != nil || q.Model == "no-such-model" {
			return nil, errors.New("no such model")
		}
		a.model = q.Model
		return nil, nil
	case "set_permission_mode":
		var q struct{ Mode string }
		if err := json.Unmarshal(raw, &q); err != nil || strings.HasPrefix(q.Mode, "no-such-") {
			return nil, errors.New("no such mode")
		}
		if a.with["resume"] != "" && a.with["drift"] == driftStuck {
			return nil, errors.New("it cannot be set any more")
		}
		if a.with["resume"] == "" || a.with["drift"] != driftDeaf {
			a.mode = q.Mode
		}
		return map[string]any{"mode": q.Mode}, nil
	case "apply_flag_settings":
		var q struct {
			Settings struct{ EffortLevel string }
		}
		if err := json.Unmarshal(raw, &q); err == nil && !strings.HasPrefix(q.Settings.EffortLevel, "no-such-") {
			a.effort = q.Settings.EffortLevel
		}
		return nil, nil
	case "get_settings":
		return map[string]any{"applied": map[string]any{"effort": cmp.Or(a.effort, "high")}}, nil
	}
	return nil, errors.New("unsupported: " + subtype)
}

func (a *streamAgent) send(message map[string]any) {
	message["session_id"] = a.session
	_ = a.conn.Send(context.Background(), message)
}

func (a *streamAgent) number() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next++
	return a.next
}

// say tells a text in pieces, and then whole, as the real client does.
func (a *streamAgent) say(_ context.Context, kind, what string) {
	id := fmt.Sprint("msg-", a.number())
	delta, block := map[string]any{"type": "text_delta", "text": what}, map[string]any{"type": "text", "text": what}
	if kind == thought {
		delta, block = map[string]any{"type": "thinking_delta", "thinking": what}, map[string]any{"type": "thinking", "thinking": what}
	}
	a.send(map[string]any{"type": "stream_event", "event": map[string]any{"type": "message_start", "message": map[string]any{"id": id}}})
	a.send(map[string]any{"type": "stream_event", "event": map[string]any{"type": "content_block_delta", "delta": delta}})
	a.send(map[string]any{"type": "assistant", "message": map[string]any{"id": id, "content": []any{block}}})
}

// names are tools of the kinds.
var names = map[string]string{"execute": "Bash", "edit": "Edit", "read": "Read"}

func (a *streamAgent) tool(_ context.Context, id, kind, title string) {
	a.send(map[string]any{"type": "assistant", "message": map[string]any{"id": fmt.Sprint("msg-", a.number()), "content": []any{
		map[string]any{"type": "tool_use", "id": id, "name": names[kind], "input": map[string]any{"command": title}}}}})
}

func (a *streamAgent) done(_ context.Context, id, output string) {
	a.send(map[string]any{"type": "user", "message": map[string]any{"content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": output}}}})
}

func (a *streamAgent) question(ctx context.Context, what string) (string, error) {
	var answer json.RawMessage
	err := a.conn.Call(ctx, map[string]any{"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "tool_use_id": "q", "input": map[string]any{
		"questions": []any{map[string]any{"question": colour, "header": what, "options": []any{
			map[string]any{"label": "red", "description": "warm"}, map[string]any{"label": "blue", "description": "cold"}}}}}}, &answer)
	return string(answer), err
}

func (a *streamAgent) request(ctx context.Context, subtype string) (string, error) {
	var answer json.RawMessage
	err := a.conn.Call(ctx, map[string]any{"subtype": subtype, "message": "something"}, &answer)
	return string(answer), err
}

func (a *streamAgent) ask(ctx context.Context, id, kind, title string) (string, error) {
	var r struct {
		Behavior  string
		Interrupt bool
		Updated   []struct{ Destination string } `json:"updatedPermissions"`
	}
	err := a.conn.Call(ctx, map[string]any{"subtype": "can_use_tool", "tool_name": names[kind], "tool_use_id": id, "input": map[string]any{"command": title},
		"permission_suggestions": []any{
			map[string]any{"type": "addRules", "behavior": "allow", "destination": "localSettings"},
			map[string]any{"type": "setMode", "mode": "acceptEdits", "destination": "session"},
		}}, &r)
	switch {
	case err != nil:
		return "", err
	case r.Behavior == "allow" && len(r.Updated) == 1 && r.Updated[0].Destination == "session":
		return "a1", nil
	case r.Behavior == "allow":
		return "o1", nil
	case r.Interrupt:
		a.mu.Lock()
		a.cancel()
		a.mu.Unlock()
		return "cancelled", nil
	}
	return "n1", nil
}
