package launchtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// appAgent speaks the protocol of Codex's app-server. What comes before a conversation, [Appserver] answers.
type appAgent struct {
	faults
	conn   *jsonrpc.Conn
	before Appserver

	mu     sync.Mutex
	model  string
	effort string
	count  int                // of threads, turns and items
	cancel context.CancelFunc // of the running turn
}

func runAppserver(f faults) error {
	a := &appAgent{faults: f, model: "small"}
	a.conn = jsonrpc.New(os.Stdout, a)
	return a.conn.Serve(os.Stdin)
}

// Stray implements jsonrpc.Handler.
func (a *appAgent) Stray([]byte) error { return errors.New("no message") }

// Notify implements jsonrpc.Handler.
func (a *appAgent) Notify(string, json.RawMessage) {}

// Request implements jsonrpc.Handler.
func (a *appAgent) Request(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if answer, err, wrong := a.wrong(ctx, method); wrong {
		return answer, err
	}
	var q struct {
		ThreadID, Model, Effort string
		Input                   []block
	}
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "malformed"}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch method {
	case "thread/start":
		a.count++
		return a.thread(fmt.Sprintf("s-%d-%d", os.Getpid(), a.count)), nil
	case "thread/resume":
		if a.flags["forget"] || a.flags["no-resume"] || !strings.HasPrefix(q.ThreadID, "s-") {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "there is no such conversation"}
		}
		if a.flags["replay"] {
			a.tell(q.ThreadID, "item/agentMessage/delta", map[string]any{"delta": "said long ago"})
		}
		return a.thread(q.ThreadID), nil
	case "turn/start":
		if strings.HasPrefix(q.Model+q.Effort, "no-such-") || len(q.Input) == 0 {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "no such value"}
		}
		if q.Model != "" {
			a.model = q.Model
		}
		if q.Effort != "" {
			a.effort = q.Effort
		}
		return a.turn(q.ThreadID, instructions(q.Input), params), nil
	case "turn/steer":
		a.tell(q.ThreadID, "item/agentMessage/delta", map[string]any{"delta": instructions(q.Input)})
		return map[string]any{}, nil
	case "turn/interrupt":
		if a.cancel != nil && !a.flags["ignore-cancel"] {
			a.cancel()
		}
		return map[string]any{}, nil
	}
	result, fail := a.before.answer(request{Method: method, Params: params})
	if fail != nil {
		return nil, fail
	}
	return result, nil
}

func (a *appAgent) thread(id string) any {
	return map[string]any{"thread": map[string]any{"id": id}, "model": a.model}
}

// turn begins a turn, which goes on after it was answered.
func (a *appAgent) turn(thread, prompt string, raw json.RawMessage) any {
	a.count++
	t := map[string]any{"id": fmt.Sprint("turn-", a.count), "status": "inProgress"}
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	go func() {
		defer cancel()
		s := &script{faults: a.faults, voice: appVoice{a, thread}, prompt: raw, stop: "completed", value: a.option}
		err := s.run(ctx, prompt)
		end := map[string]any{"id": t["id"], "status": "completed"}
		var fail *jsonrpc.Error
		switch {
		case errors.As(err, &fail):
			end["status"], end["error"] = "failed", map[string]any{"message": fail.Message}
		case s.stop == "cancelled":
			end["status"] = "interrupted"
		}
		a.tell(thread, "turn/completed", map[string]any{"turn": end})
	}()
	return map[string]any{"turn": t}
}

func (a *appAgent) option(name string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return map[string]string{"model": a.model, "effort": a.effort}[name]
}

func (a *appAgent) tell(thread, method string, params map[string]any) {
	params["threadId"] = thread
	_ = a.conn.Notify(context.Background(), method, params)
}

// appVoice tells of a turn of one thread.
type appVoice struct {
	*appAgent
	thread string
}

func (v appVoice) say(_ context.Context, kind, what string) {
	method := map[string]string{text: "item/agentMessage/delta", thought: "item/reasoning/textDelta"}[kind]
	v.tell(v.thread, method, map[string]any{"delta": what})
}

// items are those that tools of the kinds are.
var items = map[string]string{"execute": "commandExecution", "edit": "fileChange"}

func (v appVoice) tool(_ context.Context, id, kind, title string) {
	v.tell(v.thread, "item/started", map[string]any{"item": map[string]any{"type": items[kind], "id": id, "command": title, "status": "inProgress"}})
}

func (v appVoice) done(_ context.Context, id, output string) {
	v.tell(v.thread, "item/completed", map[string]any{"item": map[string]any{"type": items["execute"], "id": id, "status": "completed", "aggregatedOutput": output}})
}

func (v appVoice) question(ctx context.Context, what string) (string, error) {
	answer, err := v.conn.Call(ctx, "item/tool/requestUserInput", map[string]any{"threadId": v.thread, "questions": []any{
		map[string]any{"id": colour, "question": what, "options": []any{map[string]any{"label": "red"}, map[string]any{"label": "blue"}}}}}, nil)
	return string(answer), err
}

func (v appVoice) ask(ctx context.Context, id, kind, title string) (string, error) {
	var r struct{ Decision string }
	_, err := v.conn.Call(ctx, "item/"+items[kind]+"/requestApproval", map[string]any{"threadId": v.thread, "itemId": id, "command": title}, &r)
	if err == nil && r.Decision == "cancel" {
		v.mu.Lock()
		v.cancel()
		v.mu.Unlock()
	}
	answer, ok := map[string]string{"accept": "o1", "acceptForSession": "a1", "decline": "n1", "cancel": "cancelled"}[r.Decision]
	if err == nil && !ok {
		err = errors.New("no decision: " + r.Decision)
	}
	return answer, err
}
