package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	modelplan "github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// boundPlan is the plan that an invocation runs on.
type boundPlan struct {
	*access.Access
	plan     modelplan.Plan
	key      modelplan.Key
	endpoint modelendpoint.Endpoint
}

// boundTo gives the plan that was named, or the one of the agent that was, and makes of it what the other flags would have
// said. It has no plan where an agent runs on the client's own login.
func (a *app) boundTo(ctx context.Context, b *binding, s *core.Session, m preparer.Model, in string) (*boundPlan, error) {
	const itself = "leave them away, or leave --plan and --agent away"
	switch {
	case b.upstream != "" || b.keyName != "" || b.protocol != "":
		return nil, usage(itself, "a plan says itself what --upstream, --key-env and --protocol say")
	case b.facts.given():
		return nil, usage("change the plan, with `greenroom plans edit`", "a plan says itself what --context and --images say")
	case len(b.models) > 1:
		return nil, usage("give the one to begin with; the plan has the others", "--model was given twice with a plan")
	case b.named != "" && b.agent != "":
		return nil, usage("name one of them", "--plan and --agent are both given")
	}
	c, err := a.accessConfig()
	if err != nil {
		return nil, err
	}
	p := new(boundPlan)
	if p.Access, err = access.Open(ctx, c); err != nil {
		return nil, err
	}
	in = cmp.Or(in, access.Personal)
	model := ""
	if len(b.models) == 1 {
		model = b.models[0]
	}
	if b.agent != "" {
		err = a.asAgent(ctx, p, b, s, m, in, &model)
	} else {
		p.plan, err = p.Find(ctx, in, b.named)
	}
	if err == nil && p.plan.ID != "" {
		err = p.read(ctx, b, in, model)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// asAgent makes the session that of an agent, and says which plan it gets.
func (a *app) asAgent(ctx context.Context, p *boundPlan, b *binding, s *core.Session, m preparer.Model, in string, model *string) error {
	found, err := p.FindAgent(ctx, in, b.agent)
	if err != nil {
		return err
	}
	if found.Harness != s.Provider {
		return usage("as in: greenroom run "+paint.Clean(found.Harness)+" --agent "+quoted(found.Name), "the agent is of another client")
	}
	if b.native {
		found.OnPlanUnavailable = agent.Native
	}
	choice, err := found.Resolve(harnessOf(s.Provider, m), func(id string) (modelplan.Plan, error) { return p.Plan(ctx, in, id) })
	if err != nil {
		return err
	}
	s.Agent = canon.Agent{
		Name: found.Name, Description: found.Description, Instructions: found.Instructions, Skills: found.Skills, Tools: found.Tools,
	}
	if choice.NotUsed != nil {
		instead := "your own login is used"
		if choice.Plan != nil {
			instead = "the plan " + paint.Clean(choice.Plan.Name) + " is used"
		}
		fmt.Fprintf(a.Stderr, "%s %s instead of the agent's plan: %s\n", a.notes.Warn("greenroom:"), instead, paint.Clean(choice.NotUsed.Error()))
	}
	if choice.Plan == nil {
		return nil
	}
	p.plan = *choice.Plan
	*model = cmp.Or(*model, choice.Model)
	return nil
}

// harnessOf is a client that there is an adapter for.
func harnessOf(provider string, m preparer.Model) agent.Harness {
	return agent.Harness{ID: provider, Name: provider, Enabled: true, Available: true, Model: m}
}

func (p *boundPlan) read(ctx context.Context, b *binding, workspace, model string) (err error) {
	if p.plan, p.key, err = p.PlanWithKey(ctx, workspace, p.plan.ID); err != nil && !errors.Is(err, problem.Unreadable) {
		return err
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
