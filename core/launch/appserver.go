package launch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/handshake"
	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Info says who drives a client, which its vendor may see.
type Info struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// Pipes is the client's standard input and output.
type Pipes struct {
	In  io.Writer // what the client reads
	Out io.Reader // what it writes
}

// Appserver is a client of the Codex app-server protocol that was told what was prepared for it. It is safe for concurrent
// use, and ends with the client's output.
type Appserver struct {
	conn    *jsonrpc.Conn
	cwd     string
	version string // of the client, "" when it is not known
}

// RPCError is what a client answers in the place of a result. Its words may name paths.
type RPCError = jsonrpc.Error

// deaf hears nothing and grants nothing.
type deaf struct{}

func (deaf) Notify(string, json.RawMessage) {}
func (deaf) Stray([]byte) error             { return nil }
func (deaf) Request(context.Context, string, json.RawMessage) (any, error) {
	return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "not supported"}
}

// Thread is one conversation of a client.
type Thread struct {
	ID string
}

// OpenAppserver shakes hands with a client of the Codex app-server protocol and does what the layout of the session asks
// for: in order, and all of it before there can be a thread. The caller has started the client with [core.Prepared.Command]
// and its TransportArgs, holds a lease on the session, and ends the client when this fails.
func OpenAppserver(ctx context.Context, p *core.Prepared, pipes Pipes, who Info) (*Appserver, error) {
	if p.Transport != preparer.CodexAppServer {
		return nil, fault.New(fault.Invalid, "start client", p.Provider, "it does not speak the app-server protocol")
	}
	a := &Appserver{conn: jsonrpc.New(pipes.In, deaf{}), cwd: p.Cwd, version: p.Version}
	go func() { _ = a.conn.Serve(pipes.Out) }() // calls say why it ended
	if err := a.shake(ctx, p, who); err != nil {
		return nil, err
	}
	return a, nil
}

// shake does all that comes before the first conversation.
func (a *Appserver) shake(ctx context.Context, p *core.Prepared, who Info) error {
	var object struct{} // nothing in it matters here, but that it is one
	if err := a.call(ctx, "initialize", map[string]any{"clientInfo": who}, &object); err != nil {
		return err
	}
	if err := a.conn.Notify(ctx, "initialized", nil); err != nil {
		return a.broken("initialized", err)
	}
	for _, step := range handshake.List(p.Handshake()) {
		if err := a.step(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

func (a *Appserver) step(ctx context.Context, s handshake.Step) error {
	switch s.Kind {
	case preparer.SnapshotTree:
		return s.Do(ctx)
	case preparer.ExtraRoots:
		for _, dir := range s.Roots {
			// The client takes a directory that is not there without a word.
			if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
				return fault.Wrap(err, fault.SkillsMissing, "start client", "skill roots", "a directory of skills is not there").
					WithHint("prepare the session again")
			}
		}
		return a.call(ctx, "skills/extraRoots/set", map[string]any{"extraRoots": s.Roots}, nil)
	case preparer.VerifySkills:
		return a.verify(ctx, s.Skills)
	}
	return fault.New(fault.Handshake, "start client", string(s.Kind), "is a step that this version does not know")
}

// Start begins a conversation. Params are the client's own for it (thread/start); the directory is the session's.
func (a *Appserver) Start(ctx context.Context, params map[string]any) (Thread, error) {
	t, _, err := a.thread(ctx, "", params)
	return t, err
}

// Resume goes on with a conversation that the client has stored (thread/resume).
func (a *Appserver) Resume(ctx context.Context, id string, params map[string]any) (Thread, error) {
	t, _, err := a.thread(ctx, id, params)
	return t, err
}

// thread begins a conversation, or goes on with one, and gives how it is set up.
func (a *Appserver) thread(ctx context.Context, id string, params map[string]any) (Thread, appSettings, error) {
	method, all := "thread/start", map[string]any{}
	maps.Copy(all, params)
	all["cwd"] = a.cwd
	if id != "" {
		method, all["threadId"] = "thread/resume", id
	}
	var result struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
		appSettings
		// What is called otherwise than in a turn.
		Effort  json.RawMessage `json:"reasoningEffort"`
		Sandbox json.RawMessage `json:"sandbox"`
	}
	if err := a.call(ctx, method, all, &result); err != nil {
		return Thread{}, appSettings{}, err
	}
	if result.Thread.ID == "" {
		return Thread{}, appSettings{}, fault.New(fault.Handshake, "start client", method, "the client names no thread")
	}
	result.appSettings.Effort, result.appSettings.Sandbox = result.Effort, result.Sandbox
	return Thread{ID: result.Thread.ID}, result.appSettings, nil
}

func (a *Appserver) call(ctx context.Context, method string, params, result any) error {
	_, err := a.conn.Call(ctx, method, params, result)
	return a.broken(method, err)
}

// broken gives the error of a call its class.
func (a *Appserver) broken(method string, err error) error {
	var said *RPCError
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	version := a.version
	if version != "" {
		version = ", version " + version + ","
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said) && said.Code == jsonrpc.MethodNotFound:
		return fault.Wrap(err, fault.Handshake, "start client", method, "the client"+version+" does not know it").WithHint("install a newer version of the client")
	case errors.As(err, &said):
		return fault.Wrap(err, fault.Handshake, "start client", method, "the client refused it")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Deadline, "start client", method, "the client did not answer in time")
	case errors.As(err, &syntax), errors.As(err, &shape):
		return fault.Wrap(err, fault.Handshake, "start client", method, "the client answered something else")
	}
	return fault.Wrap(err, fault.Handshake, "start client", method, "the client ended, or closed its pipes")
}
