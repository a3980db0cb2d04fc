package binding

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Host is what prepares sessions; a *core.Host is one.
type Host interface {
	Descriptor(ctx context.Context, provider string) (preparer.Descriptor, error)
	Session(ctx context.Context, r core.Ref) (core.Info, error)
	Prepare(ctx context.Context, s core.Session) (*core.Prepared, error)
	Cleanup(ctx context.Context, r core.Ref, o core.CleanupOptions) (*core.Report, error)
}

var _ Host = (*core.Host)(nil)

// Config says how sessions are bound. Access, Host, Now and Random are required.
type Config struct {
	Access *access.Access
	Host   Host
	// Address and PassthroughAddress are what the gateway listens on, for clients of the Responses API and for others; "" is a
	// free loopback port.
	Address, PassthroughAddress string
	// Proxy is that of requests to endpoints; see [gateway.Config].
	Proxy func(*http.Request) (*url.URL, error)
	// Observer is told of the requests that go through the gateway; nil is none.
	Observer gateway.Observer
	// Logger gets structured logs, without secrets. nil: none.
	Logger *slog.Logger
	Now    func() time.Time
	Random io.Reader
}

// Binder binds sessions. It has one gateway for all of them, and is safe for concurrent use.
type Binder struct {
	c       Config
	gateway *gateway.Server
}

// New makes a Binder, whose gateway listens on free loopback ports until Close.
func New(c Config) (*Binder, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	g, err := gateway.Listen(gateway.Config{
		Address: c.Address, PassthroughAddress: cmp.Or(c.PassthroughAddress, "127.0.0.1:0"), Proxy: c.Proxy, Observer: c.Observer, Now: c.Now, Random: c.Random,
	})
	if err != nil {
		return nil, err
	}
	return &Binder{c, g}, nil
}

// Close ends the gateway, and every request that runs through it.
func (b *Binder) Close(ctx context.Context) error { return b.gateway.Close(ctx) }

// BaseURL is where clients of the Responses API reach the gateway.
func (b *Binder) BaseURL() string { return b.gateway.BaseURL() }

// Request is a session that is wanted.
type Request struct {
	// Session is what is prepared. Endpoint, and with an Agent the definition of the agent, are filled in.
	Session core.Session
	// Workspace is that of the plan and the agent.
	Workspace string
	// Agent is the id of the agent whose session it is. Plan is the id of the plan that was named for the session instead.
	Agent, Plan string
	// Model is what it begins with. "": the agent's, or the plan's default.
	Model string
	// Otherwise says what becomes of a session whose Plan cannot be used. An agent says so itself, and is overruled by Native.
	Otherwise modelendpoint.OtherWay
	// Shield keeps the key from clients that could have it, by a gateway that passes everything on.
	Shield bool
	// Dialect is how the endpoint wants its requests; nil is what is known of its host.
	Dialect *dialect.Dialect
}

// Begin prepares a session and binds it. A session that is there already, of this process or an earlier one, is prepared
// anew; its old token dies. Errors: [problem.PlanNotFound], [problem.AgentNotFound], [problem.PlanUnusable] and what an
// agent can be refused for, [problem.AccessRevoked] when the session was bound to a plan that is gone or disabled since,
// [problem.SessionConflict], and those of core.
func (b *Binder) Begin(ctx context.Context, r Request) (*Binding, error) {
	old, err := b.c.Access.Session(ctx, r.Workspace, sessionID(r.Session))
	if err != nil && !errors.Is(err, problem.SessionNotFound) {
		return nil, err
	}
	if old.Plan != "" {
		if p, err := b.c.Access.Plan(ctx, r.Workspace, old.Plan); errors.Is(err, problem.PlanNotFound) || err == nil && !p.Enabled {
			return nil, revoked()
		} else if err != nil {
			return nil, err
		}
	}
	d, err := b.c.Host.Descriptor(ctx, r.Session.Provider)
	if err != nil {
		return nil, err
	}
	x := &Binding{binder: b, request: r, model: d.Model}
	if _, err := b.c.Host.Session(ctx, r.Session.Ref()); errors.Is(err, core.ErrNotFound) {
		x.fresh = true
	}
	choice, err := b.choose(ctx, x, r)
	if err != nil {
		return nil, err
	}
	if choice.NotUsed != nil {
		b.c.Logger.Warn("a model plan is not used", "workspace", r.Workspace, "session", r.Session.ID, "code", string(problem.CodeOf(choice.NotUsed)), "reason", choice.NotUsed.Error())
		x.notUsed = choice.NotUsed
		if choice.Plan == nil {
			// Core says in the session's record and diagnostics that it is not on what it was meant for.
			why, known := errors.AsType[modelendpoint.Unusable](choice.NotUsed)
			if !known {
				why = modelendpoint.Gone
			}
			x.instead = &modelendpoint.Endpoint{Unusable: why, Otherwise: modelendpoint.Native}
		}
	}
	snap := store.Snapshot{
		Workspace: r.Workspace, Session: sessionID(r.Session), Generation: old.Generation, Harness: r.Session.Provider, Agent: r.Agent, Cwd: r.Session.Cwd,
	}
	if choice.Plan != nil {
		snap.Plan, snap.Model = choice.Plan.ID, choice.Model
	}
	if err := x.replace(ctx, snap, choice.Plan); err != nil {
		return nil, err
	}
	return x, nil
}

// choose says which plan a session gets.
func (b *Binder) choose(ctx context.Context, x *Binding, r Request) (agent.Choice, error) {
	h := agent.Harness{ID: r.Session.Provider, Enabled: true, Available: true, Model: x.model}
	lookup := func(id string) (plan.Plan, error) { return b.c.Access.Plan(ctx, r.Workspace, id) }
	choice := agent.Choice{Primary: true}
	switch {
	case r.Agent != "":
		a, err := b.c.Access.Agent(ctx, r.Workspace, r.Agent)
		if err != nil {
			return choice, err
		}
		if a.Harness != r.Session.Provider {
			return choice, problem.New(problem.InvalidAgent, "harnessAgentTargetId", "is another client than the session's")
		}
		if r.Otherwise == modelendpoint.Native {
			a.OnPlanUnavailable = agent.Native
		}
		if choice, err = a.Resolve(h, lookup); err != nil {
			return choice, err
		}
		x.request.Session.Agent = canon.Agent{Name: a.Name, Description: a.Description, Instructions: a.Instructions, Skills: a.Skills, Tools: a.Tools}
	case r.Plan != "":
		p, err := lookup(r.Plan)
		if err != nil {
			return choice, err
		}
		if r.Model != "" && !p.Has(r.Model) {
			return choice, notOf(p)
		}
		err = agent.Usable(h, p, "")
		switch {
		case err == nil:
			choice.Plan, choice.Model = &p, p.Effective()
		case r.Otherwise == modelendpoint.Native:
			choice.NotUsed = err
		default:
			return choice, err
		}
	}
	if choice.Plan != nil && r.Model != "" {
		// A model that was asked for is the plan's, or the session is refused; no other plan is tried for it.
		if !choice.Plan.Has(r.Model) {
			return choice, notOf(*choice.Plan)
		}
		choice.Model = modelendpoint.Plain(r.Model)
	}
	return choice, nil
}

func notOf(p plan.Plan) error {
	return problem.New(problem.PlanUnusable, "", "the model is none of the plan's").WithHint("it has " + p.Listing())
}

// sessionID is the name of a session in the store.
func sessionID(s core.Session) string { return s.Workspace + "/" + s.ID }

func revoked() error {
	return problem.New(problem.AccessRevoked, "", "the plan that the session was bound to is gone or disabled").
		WithHint("begin a new session on another plan, or enable this one again")
}
