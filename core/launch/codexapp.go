package launch

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
	"github.com/greenroom-agents/greenroom/core/launch/internal/lines"
)

// appClient speaks the app-server protocol, which is that of [OpenAppserver], in the turns of a [Conn].
type appClient struct {
	side
	app *Appserver

	mu      sync.Mutex
	model   string            // for turns from now on, "" for the conversation's own
	wanted  map[string]string // options, the same
	servers map[string]string // and how they do
	now     *appTurn          // the one that runs
	thread  string            // its conversation
}

// appTurn is a turn that runs in the client.
type appTurn struct {
	id    string
	named chan struct{} // closed when id is known
	ended chan appSaid  // holds one
}

func newAppClient(w io.Writer, to side) *appClient {
	a := &appClient{side: to}
	a.app = &Appserver{conn: jsonrpc.New(w, a), cwd: to.p.Cwd, version: to.p.Version}
	return a
}

func (a *appClient) serve(r io.Reader) error { return a.app.conn.Serve(r) }

func (a *appClient) handshake(ctx context.Context) error {
	return a.app.shake(ctx, a.p, Info{Name: "greenroom", Version: "1"})
}

func (a *appClient) begin(ctx context.Context) (Conversation, error) { return a.converse(ctx, "") }

func (a *appClient) resume(ctx context.Context, id string) (Conversation, error) {
	return a.converse(ctx, id)
}

func (a *appClient) converse(ctx context.Context, id string) (Conversation, error) {
	a.mu.Lock()
	// The client may say something of its servers before it answers.
	a.model, a.wanted, a.servers = "", map[string]string{}, map[string]string{}
	a.mu.Unlock()
	t, as, err := a.app.thread(ctx, id, nil)
	if err != nil {
		return Conversation{}, err
	}
	said := setup{options: as.options()}
	a.mu.Lock()
	a.thread, said.servers = t.ID, maps.Clone(a.servers)
	a.mu.Unlock()
	a.tell(said)
	return Conversation{ID: t.ID, Model: as.Model, Options: said.options}, nil
}

func appInput(blocks []Block) []map[string]any {
	input := make([]map[string]any, len(blocks))
	for i, b := range blocks {
		input[i] = map[string]any{"type": "text", "text": b.Text}
	}
	return input
}

func (a *appClient) prompt(ctx context.Context, conversation string, blocks []Block) (EndReason, error) {
	params := map[string]any{"threadId": conversation, "input": appInput(blocks)}
	t := &appTurn{named: make(chan struct{}), ended: make(chan appSaid, 1)}
	a.mu.Lock()
	if a.model != "" {
		params["model"] = a.model
	}
	for name, value := range a.wanted {
		params[name] = appValue(value)
	}
	a.now, a.thread = t, conversation
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.now = nil
		a.mu.Unlock()
	}()
	var begun appSaid
	if _, err := a.app.conn.Call(ctx, "turn/start", params, &begun); err != nil {
		return "", notBegun{err}
	}
	t.id = begun.Turn.ID
	close(t.named)
	select {
	case said := <-t.ended:
		return said.outcome()
	case <-a.app.conn.Done():
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

func (a *appClient) cancel(ctx context.Context, conversation string) error {
	a.mu.Lock()
	t := a.now
	a.mu.Unlock()
	if t == nil {
		return nil
	}
	select {
	case <-t.named:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := a.app.conn.Call(ctx, "turn/interrupt", map[string]any{"threadId": conversation, "turnId": t.id}, nil)
	return err
}

func (a *appClient) guide(ctx context.Context, conversation string, blocks []Block) error {
	a.mu.Lock()
	t := a.now
	a.mu.Unlock()
	if t == nil {
		return fault.New(fault.Invalid, "guide turn", a.p.Provider, "none runs")
	}
	select {
	case <-t.named:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-a.app.conn.Done():
		return lines.ErrClosed
	}
	_, err := a.app.conn.Call(ctx, "turn/steer", map[string]any{"threadId": conversation, "expectedTurnId": t.id, "input": appInput(blocks)}, nil)
	return err
}

// setModel holds from the next turn on, in which the client is told.
func (a *appClient) setModel(_ context.Context, _, model string) error {
	if model == "" {
		return fault.New(ErrUnsupported, "set model", a.p.Provider, "the client has no name for no model")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.model = model
	return nil
}

// putBack implements lateModel.
func (a *appClient) putBack(model string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.model = model
}

// set holds from the next turn on, in which the client is told, and refuses what it does not know.
func (a *appClient) set(_ context.Context, _, option, value string) error {
	if !slices.Contains([]string{appEffort, appApproval, appSandbox}, option) || value == "" {
		return fault.New(ErrUnsupported, "set option", a.p.Provider, "the client has no such option")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wanted[option] = value
	return nil
}

// Notify implements jsonrpc.Handler.
func (a *appClient) Notify(method string, params json.RawMessage) {
	var said appSaid
	if json.Unmarshal(params, &said) != nil {
		return
	}
	if method == "mcpServer/startupStatus/updated" && said.Name != "" {
		a.mu.Lock()
		a.servers[said.Name] = said.Status
		now := setup{servers: maps.Clone(a.servers)}
		a.mu.Unlock()
		a.tell(now)
		return
	}
	a.mu.Lock()
	t, ours := a.now, said.ThreadID == a.thread
	a.mu.Unlock()
	if method == "thread/settings/updated" && ours {
		a.tell(setup{options: said.Settings.options()})
		if model := said.Settings.Model; model != "" {
			a.emit(Event{Kind: Model, Model: model, Raw: params})
		}
		return
	}
	if t == nil || !ours {
		return // of another conversation, such as that of a helper of the agent's
	}
	if method == "turn/completed" {
		select {
		case t.ended <- said:
		default:
		}
		return
	}
	if e, ok := said.event(method); ok {
		e.Raw = params
		a.emit(e)
	}
}
