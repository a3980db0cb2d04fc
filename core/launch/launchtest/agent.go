package launchtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/acp-go-sdk"

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// agent speaks the Agent Client Protocol.
type agent struct {
	faults
	conn *jsonrpc.Conn

	mu       sync.Mutex
	sessions int
	back     bool               // it goes on with a conversation
	set      map[string]string  // what the host has set
	cancel   context.CancelFunc // of the running turn
}

// faults are what an agent does wrong.
type faults struct {
	flags map[string]bool
	with  map[string]string // flags that have a value
}

func faultsOf(args []string) faults {
	f := faults{flags: map[string]bool{}, with: map[string]string{}}
	for i := 0; i < len(args); i++ {
		switch flag := strings.TrimLeft(args[i], "-"); flag {
		case "hang", "refuse", "garble", "version-number", "session-id", "resume", "drift":
			if i+1 < len(args) {
				i++
				f.with[flag] = args[i]
			}
		default:
			f.flags[flag] = true
		}
	}
	return f
}

// wrong is the answer to a request of JSON-RPC that is to be answered wrongly, or never.
func (f faults) wrong(ctx context.Context, method string) (answer any, err error, wrong bool) {
	switch method {
	case f.with["hang"]:
		<-ctx.Done()
		return nil, ctx.Err(), true
	case f.with["refuse"]:
		return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "method not found"}, true
	case f.with["garble"]:
		return json.RawMessage(`["something", "else"]`), nil, true
	}
	return nil, nil, false
}

// run is the agent's main function.
func run(args []string) int {
	f := faultsOf(args)
	if f.flags["ignore-term"] {
		signal.Ignore(syscall.SIGTERM)
	}
	var err error
	switch {
	case f.flags[streamArg]:
		err = runStream(f)
	case f.flags[appArg]:
		err = runAppserver(f)
	default:
		a := &agent{faults: f, set: map[string]string{}}
		a.conn = jsonrpc.New(os.Stdout, a)
		err = a.conn.Serve(os.Stdin)
	}
	if f.flags["ignore-eof"] {
		select {}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakeagent:", err)
		return 1
	}
	return 0
}

// Stray implements jsonrpc.Handler.
func (a *agent) Stray([]byte) error { return errors.New("no message") }

// Notify implements jsonrpc.Handler.
func (a *agent) Notify(method string, _ json.RawMessage) {
	if method != acp.AgentMethodSessionCancel || a.flags["ignore-cancel"] {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancel != nil {
		a.cancel()
	}
}

// Request implements jsonrpc.Handler.
func (a *agent) Request(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if answer, err, wrong := a.wrong(ctx, method); wrong {
		return answer, err
	}
	switch method {
	case acp.AgentMethodInitialize:
		return a.initialize()
	case acp.AgentMethodSessionNew:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.sessions++
		return map[string]any{"sessionId": fmt.Sprintf("s-%d-%d", os.Getpid(), a.sessions), "configOptions": a.options()}, nil
	case acp.AgentMethodSessionResume, acp.AgentMethodSessionLoad:
		return a.load(ctx, params)
	case acp.AgentMethodSessionSetConfigOption:
		var q struct{ ConfigID, Value string }
		if err := json.Unmarshal(params, &q); err != nil || strings.HasPrefix(q.Value, "no-such-") || q.ConfigID == "model" && !slices.Contains(models(), q.Value) {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "no such value"}
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		switch {
		case a.back && a.with["drift"] == driftStuck, a.back && a.with["drift"] == driftLies && q.Value != drifted && a.set[q.ConfigID] == "":
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "it cannot be set any more"}
		case !a.back || a.with["drift"] != driftDeaf:
			a.set[q.ConfigID] = q.Value
		}
		return map[string]any{"configOptions": a.options()}, nil
	case acp.AgentMethodSessionPrompt:
		return a.prompt(ctx, params)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "method not found"}
}

func (a *agent) initialize() (any, error) {
	version := 1
	if n, err := strconv.Atoi(a.with["version-number"]); err == nil {
		version = n
	}
	sessions := map[string]any{"resume": map[string]any{}}
	if a.flags["no-resume"] || a.flags["replay"] {
		sessions = map[string]any{}
	}
	return map[string]any{"protocolVersion": version, "agentCapabilities": map[string]any{
		"loadSession": !a.flags["no-resume"], "sessionCapabilities": sessions}}, nil
}

// options are what can be set, and how it stands. The caller holds the lock.
func (a *agent) options() []any {
	option := func(id, category string, values ...string) any {
		list := []any{}
		for _, v := range values {
			list = append(list, map[string]any{"value": v, "name": v})
		}
		return map[string]any{"id": id, "name": id, "category": category, "type": "select", "currentValue": cmp.Or(a.set[id], values[0]), "options": list}
	}
	modes := []string{"default", "plan", drifted}
	if a.back && a.with["drift"] != "" {
		slices.Reverse(modes)
	}
	return []any{option("model", "model", models()...), option("mode", "mode", modes...)}
}

// The ways in which an agent that goes on with a conversation differs from what it was.
const (
	driftStuck   = "stuck"   // an option cannot be set back
	driftDeaf    = "deaf"    // or stays as it is all the same
	driftLies    = "lies"    // it is what it was, says something else, and cannot become what it is
	driftTools   = "tools"   // it has another tool
	driftServers = "servers" // one of its servers fails, and one is not there
)

// models are those that there are, the first of which answers unless another is set.
func models() []string { return strings.Fields(cmp.Or(os.Getenv(modelsVar), "small large")) }

// drifted is the value of an option that is another one, and modelsVar the variable that names the models that there are.
const (
	drifted   = "drifted"
	modelsVar = "LAUNCHTEST_MODELS"
)

func (a *agent) load(ctx context.Context, params json.RawMessage) (any, error) {
	var q struct{ SessionID string }
	if err := json.Unmarshal(params, &q); err != nil || a.flags["forget"] || !strings.HasPrefix(q.SessionID, "s-") {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "there is no such conversation"}
	}
	if a.flags["replay"] {
		a.update(ctx, q.SessionID, map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": "said long ago"}})
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.back = true
	return map[string]any{"configOptions": a.options()}, nil
}

func (a *agent) update(ctx context.Context, session string, update map[string]any) {
	_ = a.conn.Notify(ctx, acp.ClientMethodSessionUpdate, map[string]any{"sessionId": session, "update": update})
}

// prompt carries out the instructions of a prompt.
func (a *agent) prompt(ctx context.Context, params json.RawMessage) (any, error) {
	var q struct {
		SessionID string
		Prompt    []block
	}
	if err := json.Unmarshal(params, &q); err != nil || len(q.Prompt) == 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "malformed"}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	a.cancel = cancel
	a.mu.Unlock()
	t := &script{faults: a.faults, voice: voice{a, q.SessionID}, prompt: params, stop: "end_turn", value: func(id string) string {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.set[id]
	}}
	if err := t.run(ctx, instructions(q.Prompt)); err != nil {
		return nil, err
	}
	return map[string]any{"stopReason": t.stop}, nil
}

// colour is what a question asks for.
const colour = "colour"

// voice tells of a turn over the Agent Client Protocol.
type voice struct {
	a       *agent
	session string
}

func (v voice) say(ctx context.Context, kind, what string) {
	v.a.update(ctx, v.session, map[string]any{"sessionUpdate": map[string]string{text: "agent_message_chunk", thought: "agent_thought_chunk"}[kind],
		"content": map[string]any{"type": "text", "text": what}})
}

func (v voice) tool(ctx context.Context, id, kind, title string) {
	v.a.update(ctx, v.session, map[string]any{"sessionUpdate": "tool_call", "toolCallId": id, "kind": kind, "title": title, "status": "in_progress"})
}

func (v voice) done(ctx context.Context, id, output string) {
	v.a.update(ctx, v.session, map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed",
		"content": []any{map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": output}}}})
}

func (v voice) question(ctx context.Context, what string) (string, error) {
	answer, err := v.a.conn.Call(ctx, acp.ClientMethodElicitationCreate, map[string]any{"sessionId": v.session, "mode": "form", "message": what,
		"requestedSchema": map[string]any{"type": "object", "required": []string{colour}, "properties": map[string]any{
			colour: map[string]any{"type": "string", "enum": []string{"red", "blue"}}, "size": map[string]any{"type": "integer"}}}}, nil)
	return string(answer), err
}

func (v voice) request(ctx context.Context, method string) (string, error) {
	answer, err := v.a.conn.Call(ctx, method, map[string]any{"sessionId": v.session, "toolCallId": "r1", "title": "something"}, nil)
	return string(answer), err
}

func (v voice) ask(ctx context.Context, id, kind, title string) (string, error) {
	var r acp.RequestPermissionResponse
	_, err := v.a.conn.Call(ctx, acp.ClientMethodSessionRequestPermission, map[string]any{
		"sessionId": v.session, "toolCall": map[string]any{"toolCallId": id, "kind": kind, "title": title, "status": "pending"},
		"options": []any{
			map[string]any{"optionId": "o1", "kind": "allow_once", "name": "Allow"},
			map[string]any{"optionId": "a1", "kind": "allow_always", "name": "Always"},
			map[string]any{"optionId": "n1", "kind": "reject_once", "name": "Reject"},
			map[string]any{"optionId": "n2", "kind": "reject_always", "name": "Never"},
		}}, &r)
	if err != nil {
		return "", err
	}
	if r.Outcome.Selected != nil {
		return string(r.Outcome.Selected.OptionId), nil
	}
	return "cancelled", nil
}

// wait sleeps until the turn is cancelled.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
