package binding

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Binding is a session that is bound. It is safe for concurrent use.
type Binding struct {
	binder  *Binder
	request Request
	model   preparer.Model
	notUsed error
	instead *modelendpoint.Endpoint // what there is when no plan can be used: one that is none
	fresh   bool                    // there was no such session before

	mu       sync.Mutex
	ended    bool
	snap     store.Snapshot
	prepared *core.Prepared
	endpoint *modelendpoint.Endpoint // as the client was told of it
	handle   *gateway.Handle         // nil where nothing stands between client and endpoint
}

// Prepared is the session as it was prepared last.
func (x *Binding) Prepared() *core.Prepared {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.prepared
}

// Snapshot is what the session is bound to.
func (x *Binding) Snapshot() store.Snapshot {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.snap
}

// NotUsed says why the plan that was meant is not used; nil when it is, or when none was meant.
func (x *Binding) NotUsed() error { return x.notUsed }

// Through says whether the client reaches its endpoint through the gateway.
func (x *Binding) Through() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.handle != nil
}

// Admit goes before a turn, in the form of [launch.Options.Admit]: a session that it gives takes the place of the one that
// runs; nil is that nothing has changed. An error fails the turn, and leaves the session with what it had, for no turn: the
// next one tries again, so that none begins on what is known to be old. Errors: [problem.AccessRevoked] when the plan is
// gone, [problem.PlanUnusable] when it speaks another protocol by now, [problem.Unreadable], and for all that may go well the
// next time [problem.SwapFailed], marked so, with its cause.
func (x *Binding) Admit(ctx context.Context, running *core.Prepared) (*core.Prepared, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return nil, revoked()
	}
	if x.snap.Plan == "" {
		return nil, nil
	}
	p, key, err := x.binder.c.Access.PlanWithKey(ctx, x.snap.Workspace, x.snap.Plan)
	switch {
	case errors.Is(err, problem.PlanNotFound):
		if x.handle != nil {
			x.handle.Revoke() // the turn before it has ended, and what the client still runs is no turn
		}
		return nil, revoked()
	case p.Revision > 0 && (p.Revision == x.snap.Revision || !p.Enabled): // disabled, it goes on with what it has
		if running != nil && running != x.prepared {
			return x.prepared, nil // it was moved on for a turn that could not be begun then
		}
		return nil, nil
	case errors.Is(err, problem.Unreadable):
		return nil, err
	case err != nil:
		return nil, x.failed(ctx, err)
	}
	next := x.snap
	if p.Fingerprint(key) == x.snap.Fingerprint {
		next.Revision = p.Revision
		stored, err := x.binder.c.Access.BindSession(ctx, x.snap.Generation, next)
		if err != nil {
			return nil, x.failed(ctx, err)
		}
		x.snap = stored
		return nil, nil
	}
	h := agent.Harness{ID: x.request.Session.Provider, Enabled: true, Available: true, Model: x.model}
	if err := agent.Usable(h, p, ""); err != nil {
		return nil, err
	}
	if !p.Has(next.Model) {
		next.Model = p.Effective()
		x.binder.c.Logger.Warn("the model of a session is none of its plan's any more", "workspace", next.Workspace, "session", next.Session, "model", next.Model)
	}
	if err := x.replaceWith(ctx, next, &p, key); err != nil {
		return nil, x.failed(ctx, err)
	}
	return x.prepared, nil
}

// failed is that a session could not be moved on. What else it was bound to meanwhile is what the next turn moves it on from:
// whoever begins the turns of a session says what it is bound to, and its host sees to it that one does.
func (x *Binding) failed(ctx context.Context, err error) error {
	if errors.Is(err, problem.SessionConflict) {
		now, lost := x.binder.c.Access.Session(context.WithoutCancel(ctx), x.snap.Workspace, x.snap.Session)
		if lost == nil || errors.Is(lost, problem.SessionNotFound) {
			x.snap.Generation = now.Generation
		}
	}
	return problem.Wrap(err, problem.SwapFailed, "the session could not go on with what its plan is now: "+err.Error()).
		WithHint("nothing of the turn was begun; try it again").Again()
}

// Refused is which refusal of the plan's key the endpoint's last answer was, in the form of [launch.Options.Refused]. It is 0
// where nothing stands between client and endpoint, since nobody sees it then.
func (x *Binding) Refused() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.handle == nil {
		return 0
	}
	return x.handle.Refused()
}

// Claim records of a turn that has finished that its agent says so, which is for a person to accept. One that was cancelled,
// refused or cut short claims nothing. turn is its id as the host knows it, which no other turn of the session ever has: what
// was accepted is the turn of that id. Errors: [problem.InvalidAcceptance], [problem.SessionNotFound] after End.
func (x *Binding) Claim(ctx context.Context, turn string) error {
	snap := x.Snapshot()
	_, err := x.binder.c.Access.Accept(ctx, snap.Workspace, snap.Session, acceptance.AgentClaimed, turn, acceptance.Program)
	return err
}

// End ends what the session has of the plan: its route and every request on it, and the hold on the key. The session
// itself stays prepared, with what a person accepted of it; where it was cleaned up before, that goes too. It may be repeated.
func (x *Binding) End(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
	if x.handle != nil {
		x.handle.Revoke()
	}
	err := x.binder.c.Access.EndSession(ctx, x.snap.Workspace, x.snap.Session)
	if _, gone := x.binder.c.Host.Session(ctx, x.request.Session.Ref()); errors.Is(gone, core.ErrNotFound) {
		err = errors.Join(err, x.binder.c.Access.EndSessionAnywhere(ctx, x.snap.Session))
	}
	return err
}

// replace is replaceWith for a plan whose key was not read yet, or for none.
func (x *Binding) replace(ctx context.Context, next store.Snapshot, p *plan.Plan) error {
	var key plan.Key
	if p != nil {
		now, k, err := x.binder.c.Access.PlanWithKey(ctx, next.Workspace, p.ID)
		if err != nil {
			return err
		}
		*p, key = now, k
	}
	return x.replaceWith(ctx, next, p, key)
}

// replaceWith puts a session on a plan in the place of what there is: it opens a route, prepares, stores, and only then
// makes the route good, which ends the one before.
func (x *Binding) replaceWith(ctx context.Context, next store.Snapshot, p *plan.Plan, key plan.Key) (err error) {
	s := x.request.Session
	s.Endpoint = x.instead
	var handle *gateway.Handle
	if p != nil {
		next.Revision, next.Fingerprint = p.Revision, p.Fingerprint(key)
		if s.Endpoint, handle, err = x.open(*p, key, next.Model); err != nil {
			return err
		}
	}
	prepared, err := x.binder.c.Host.Prepare(ctx, s)
	if err == nil {
		next, err = x.binder.c.Access.BindSession(ctx, next.Generation, next)
	}
	if err != nil {
		if handle != nil {
			handle.Discard()
		}
		x.restore(context.WithoutCancel(ctx), prepared)
		return err
	}
	x.binder.c.Logger.Info("a session is bound", "workspace", next.Workspace, "session", next.Session, "generation", next.Generation, "revision", next.Revision)
	x.prepared, x.endpoint = prepared, s.Endpoint
	before := x.handle
	x.snap, x.handle = next, handle
	switch {
	case handle != nil:
		return handle.Commit() // which a gateway refuses that was closed
	case before != nil:
		before.Revoke()
	}
	return nil
}

// restore makes the files of the session those of the binding that stays. made is what was prepared in vain, nil for
// nothing.
func (x *Binding) restore(ctx context.Context, made *core.Prepared) {
	s := x.request.Session
	var err error
	switch {
	case x.prepared != nil:
		s.Endpoint = x.endpoint
		_, err = x.binder.c.Host.Prepare(ctx, s)
	case made != nil && x.fresh:
		_, err = x.binder.c.Host.Cleanup(ctx, s.Ref(), core.CleanupOptions{})
	}
	if err != nil {
		x.binder.c.Logger.Error("a session could not be put back on its plan", "workspace", s.Workspace, "session", s.ID, "error", err.Error())
	}
}

var kinds = map[preparer.Protocol]gateway.Kind{
	preparer.OpenAI: gateway.KindChatPassthrough, preparer.Anthropic: gateway.KindMessagesPassthrough,
}

// open gives the endpoint that the client is told of, and the route to it where there is one.
func (x *Binding) open(p plan.Plan, key plan.Key, model string) (*modelendpoint.Endpoint, *gateway.Handle, error) {
	e, err := p.Endpoint(key, model)
	if err != nil {
		return nil, nil, err
	}
	passage, err := modelendpoint.PassageFor(x.model, p.Protocol, x.request.Shield)
	if err != nil || passage == modelendpoint.Direct {
		return &e, nil, err
	}
	route := gateway.Route{
		Workspace: x.request.Session.Workspace, Session: x.request.Session.ID, Kind: kinds[p.Protocol], BaseURL: e.BaseURL, APIKey: e.Key.Reveal(),
		Vision: map[string]bool{}, Revision: strconv.FormatInt(p.Revision, 10), Dialect: x.request.Dialect,
	}
	told := modelendpoint.Route{Protocol: p.Protocol}
	if passage == modelendpoint.Translated {
		route.Kind, route.StatusMode, told.Protocol = gateway.KindResponses, gateway.StatusAgent, preparer.Responses
	}
	if modelendpoint.AuthFor(p.Protocol, e.BaseURL) == preparer.APIKey {
		route.Auth = gateway.AuthAPIKey
	}
	for _, m := range e.Models {
		route.Models = append(route.Models, m.ID)
		route.Vision[m.ID] = m.Images
	}
	handle, err := x.binder.gateway.Register(route)
	if err != nil {
		return nil, nil, err
	}
	told.BaseURL, told.Token = handle.BaseURL(), modelendpoint.NewKey(handle.Token())
	through := e.Through(told)
	return &through, handle, nil
}
