package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	modelplan "github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// boundPlan is the plan that an invocation runs on.
type boundPlan struct {
	*access.Access
	plan     modelplan.Plan
	key      modelplan.Key
	endpoint modelendpoint.Endpoint
}

// planOf gives the plan that was named, and makes of it what the other flags would have said.
func (a *app) planOf(ctx context.Context, b *binding, in string) (*boundPlan, error) {
	switch {
	case b.upstream != "" || b.keyName != "" || b.protocol != "":
		return nil, usage("leave them away, or leave --plan away", "--plan says itself what --upstream, --key-env and --protocol say")
	case b.facts.given():
		return nil, usage("change the plan, with `greenroom plans edit`", "--plan says itself what --context and --images say")
	case len(b.models) > 1:
		return nil, usage("give the one to begin with; the plan has the others", "--model was given twice with --plan")
	}
	c, err := a.accessConfig()
	if err != nil {
		return nil, err
	}
	p := new(boundPlan)
	if p.Access, err = access.Open(ctx, c); err != nil {
		return nil, err
	}
	if err := p.read(ctx, b, cmp.Or(in, access.Personal)); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *boundPlan) read(ctx context.Context, b *binding, workspace string) error {
	found, err := p.Find(ctx, workspace, b.named)
	if err != nil {
		return err
	}
	if p.plan, p.key, err = p.PlanWithKey(ctx, workspace, found.ID); err != nil && !errors.Is(err, problem.Unreadable) {
		return err
	}
	model := ""
	if len(b.models) == 1 {
		model = b.models[0]
	}
	if p.endpoint, err = p.plan.Endpoint(p.key, model); err != nil {
		return err
	}
	b.upstream, b.models = p.endpoint.BaseURL, nil
	for _, m := range p.endpoint.Models {
		b.models = append(b.models, m.ID)
		if m.Images {
			b.facts.images = append(b.facts.images, m.ID)
		}
	}
	return nil
}

// during has the store know that a session runs on the plan while something is done in it, so that the credential of its
// revision stays and a person sees what they would disturb. A session that is kept and run again begins with the plan as
// it is then.
func (p *boundPlan) during(ctx context.Context, s core.Session, do act) (act, error) {
	snap := store.Snapshot{
		Workspace: p.plan.Workspace, Session: s.Workspace + "/" + s.ID, Plan: p.plan.ID, Revision: p.plan.Revision,
		Fingerprint: p.plan.Fingerprint(p.key), Model: p.endpoint.Default, Harness: s.Provider, Cwd: s.Cwd,
	}
	old, err := p.Session(ctx, snap.Workspace, snap.Session)
	if err != nil && !errors.Is(err, problem.SessionNotFound) {
		return nil, err
	}
	return func(ctx context.Context, h *core.Host, prepared *core.Prepared) (status int, err error) {
		if _, err := p.BindSession(ctx, old.Generation, snap); err != nil {
			return 0, err
		}
		defer func() {
			err = errors.Join(err, p.EndSession(context.WithoutCancel(ctx), snap.Workspace, snap.Session))
		}()
		return do(ctx, h, prepared)
	}, nil
}
