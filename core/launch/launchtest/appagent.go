package launchtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	set    map[string]any
	back   bool
	count  int                // of threads, turns and items
	cancel context.CancelFunc // of the running turn
}

func runAppserver(f faults) error {
	a := &appAgent{faults: f, model: models()[0], set: map[string]any{"approvalPolicy": "on-request", "sandboxPolicy": map[string]any{"type": "readOnly"}}}
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
		ApprovalPolicy          string
		SandboxPolicy           map[string]any
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
		a.back = true
		if a.with["drift"] != "" {
			a.set["approvalPolicy"] = drifted
		}
		return a.thread(q.ThreadID), nil
	case "turn/start":
		if strings.HasPrefix(q.Model+q.Effort, "no-such-") || len(q.Input) == 0 {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "no such value"}
		}
		if q.Model != "" {
			a.model = q.Model
		}
		if q.ApprovalPolicy != "" && a.back && a.with["drift"] == driftStuck {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "it cannot be set any more"}
		}
		if q.Effort != "" {
			a.set["effort"] = q.Effort
		}
		if q.ApprovalPolicy != "" && !(a.back && a.with["drift"] == driftDeaf) {
			a.set["approvalPolicy"] = q.ApprovalPolicy
		}
		if q.SandboxPolicy != nil {
			a.set["sandboxPolicy"] = q.SandboxPolicy
		}
		settings := maps.Clone(a.set)
		settings["model"] = a.model
		a.tell(q.ThreadID, "thread/settings/updated", map[string]any{"threadSettings": settings})
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
	servers := map[string]string{"user": "ready", "extra": "ready"}
	if a.back && a.with["drift"] == driftServers {
		servers = map[string]string{"user": "failed"}
	}
	for name, status := range servers {
		a.tell(id, "mcpServer/startupStatus/updated", map[string]any{"name": name, "status": "starting"})
		a.tell(id, "mcpServer/startupStatus/updated", map[string]any{"name": name, "status": status})
	}
	return map[string]any{"thread": map[string]any{"id": id}, "model": a.model, "reasoningEffort": a.set["effort"],
		"approvalPolicy": a.set["approvalPolicy"], "sandbox": a.set["sandboxPolicy"]}
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
	if name == "model" {
		return a.model
	}
	text, _ := a.set[name].(string)
	return text
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

func (v appVoice) request(ctx context.Context, method string) (string, error) {
	answer, err := v.conn.Call(ctx, method, map[string]any{"threadId": v.thread, "title": "something"}, nil)
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
