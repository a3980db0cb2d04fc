package binding

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
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
	fresh   bool // the session was not bound before

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

// Admit goes before a turn, in the form of [launch.Options.Admit]: a session that it gives takes the place of the one that
// runs; nil is that nothing has changed. An error fails the turn, and leaves the binding as it was. Errors:
// [problem.AccessRevoked] when the plan is gone, [problem.PlanUnusable] when it speaks another protocol by now,
// [problem.Unreadable], [problem.SessionConflict], and those of core.
func (x *Binding) Admit(ctx context.Context, _ *core.Prepared) (*core.Prepared, error) {
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
		return nil, revoked()
	case p.Revision == x.snap.Revision && p.Revision > 0:
		return nil, nil
	case p.Revision > 0 && !p.Enabled:
		return nil, nil // it goes on with what it has
	case err != nil:
		return nil, err
	}
	next := x.snap
	if p.Fingerprint(key) == x.snap.Fingerprint {
		next.Revision = p.Revision
		stored, err := x.binder.c.Access.BindSession(ctx, x.snap.Generation, next)
		if err == nil {
			x.snap = stored
		}
		return nil, err
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
		return nil, err
	}
	return x.prepared, nil
}

// CheckModel says whether the session can go on with a model: one of its plan's, from the next request on. Errors:
// [problem.PlanUnusable], whose hint says what is to be done for a model of another plan.
func (x *Binding) CheckModel(ctx context.Context, model string) error {
	snap := x.Snapshot()
	if snap.Plan == "" {
		return nil // the client knows its own
	}
	p, _, err := x.binder.c.Access.PlanAt(ctx, snap.Workspace, snap.Plan, snap.Revision)
	if err != nil && !errors.Is(err, problem.Unreadable) {
		return err
	}
	if p.Has(model) {
		return nil
	}
	return problem.New(problem.PlanUnusable, "model", "is none of the plan's").
		WithHint("it has " + p.Listing() + "; a model of another plan needs a new session")
}

// End ends what the session has of the plan: its route and every request on it, and the hold on the key. The session
// itself stays prepared. It may be repeated.
func (x *Binding) End(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
	if x.handle != nil {
		x.handle.Revoke()
	}
	return x.binder.c.Access.EndSession(ctx, x.snap.Workspace, x.snap.Session)
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
	s.Endpoint = nil
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
	x.prepared, x.endpoint = prepared, s.Endpoint
	before := x.handle
	x.snap, x.handle = next, handle
	switch {
	case handle != nil:
		return handle.Commit()
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
	case x.snap.Generation > 0:
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
		Vision: map[string]bool{}, Revision: strconv.FormatInt(p.Revision, 10),
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
