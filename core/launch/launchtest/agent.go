package launchtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/acp-go-sdk"

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// agent is the fake agent.
type agent struct {
	conn  *jsonrpc.Conn
	flags map[string]bool
	with  map[string]string // flags that have a value

	mu       sync.Mutex
	sessions int
	cancel   context.CancelFunc // of the running turn
}

// run is the agent's main function.
func run(args []string) int {
	a := &agent{flags: map[string]bool{}, with: map[string]string{}}
	for i := 0; i < len(args); i++ {
		switch flag := strings.TrimLeft(args[i], "-"); flag {
		case "hang", "refuse", "garble", "version-number":
			if i+1 < len(args) {
				i++
				a.with[flag] = args[i]
			}
		default:
			a.flags[flag] = true
		}
	}
	if a.flags["ignore-term"] {
		signal.Ignore(syscall.SIGTERM)
	}
	a.conn = jsonrpc.New(os.Stdout, a)
	err := a.conn.Serve(os.Stdin)
	if a.flags["ignore-eof"] {
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
	switch method {
	case a.with["hang"]:
		<-ctx.Done()
		return nil, ctx.Err()
	case a.with["refuse"]:
		return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "method not found"}
	case a.with["garble"]:
		return json.RawMessage(`["something", "else"]`), nil
	}
	switch method {
	case acp.AgentMethodInitialize:
		return a.initialize()
	case acp.AgentMethodSessionNew:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.sessions++
		return map[string]any{"sessionId": fmt.Sprintf("s-%d-%d", os.Getpid(), a.sessions), "configOptions": options("small")}, nil
	case acp.AgentMethodSessionResume, acp.AgentMethodSessionLoad:
		return a.load(ctx, params)
	case acp.AgentMethodSessionSetConfigOption:
		var q struct{ Value string }
		if err := json.Unmarshal(params, &q); err != nil || q.Value == "no-such-model" {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "no such model"}
		}
		return map[string]any{"configOptions": options(q.Value)}, nil
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

func options(model string) []any {
	return []any{map[string]any{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": model,
		"options": []any{map[string]any{"value": "small", "name": "Small"}, map[string]any{"value": "large", "name": "Large"}}}}
}

func (a *agent) load(ctx context.Context, params json.RawMessage) (any, error) {
	var q struct{ SessionID string }
	if err := json.Unmarshal(params, &q); err != nil || a.flags["forget"] || !strings.HasPrefix(q.SessionID, "s-") {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "there is no such conversation"}
	}
	if a.flags["replay"] {
		a.update(ctx, q.SessionID, map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": "said long ago"}})
	}
	return map[string]any{"configOptions": options("small")}, nil
}

func (a *agent) update(ctx context.Context, session string, update map[string]any) {
	_ = a.conn.Notify(ctx, acp.ClientMethodSessionUpdate, map[string]any{"sessionId": session, "update": update})
}

// prompt carries out the instructions of a prompt.
func (a *agent) prompt(ctx context.Context, params json.RawMessage) (any, error) {
	var q struct {
		SessionID string
		Prompt    []struct{ Text string }
	}
	if err := json.Unmarshal(params, &q); err != nil || len(q.Prompt) == 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "malformed"}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	a.cancel = cancel
	a.mu.Unlock()
	t := &script{a: a, session: q.SessionID, prompt: params, stop: "end_turn"}
	for line := range strings.Lines(q.Prompt[0].Text) {
		if err := t.do(ctx, strings.TrimSuffix(line, "\n")); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			t.stop = "cancelled"
			break
		}
	}
	return map[string]any{"stopReason": t.stop}, nil
}

// wait sleeps until the turn is cancelled.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
