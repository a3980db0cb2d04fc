package agent

import (
	"errors"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Harness is a client that agents can be.
type Harness struct {
	ID   string
	Name string
	// Enabled is false when its owner switched it off, Available when there is no adapter or client for it.
	Enabled, Available bool
	// Model says which endpoints it takes.
	Model preparer.Model
}

// Choice is what a session of an agent is bound to.
type Choice struct {
	// Plan is nil for the client's own login.
	Plan *plan.Plan
	// Model is what the session begins with, as the plan spells it; "" with the client's own login.
	Model string
	// Primary is false when a fallback took the place of the agent's plan.
	Primary bool
	// NotUsed says why the agent's plan, or the first of them, is not used. nil: it is, or there is none.
	NotUsed error
}

// Lookup gives a plan by its id. One that there is not is a [problem.PlanNotFound].
type Lookup func(id string) (plan.Plan, error)

// Usable says whether sessions of a harness can be bound to a plan with a model, "" for its default. Errors are
// [problem.PlanUnusable], with a [modelendpoint.Unusable] behind them.
func Usable(h Harness, p plan.Plan, model string) error {
	no := func(why error, detail, hint string) error {
		return problem.Wrap(why, problem.PlanUnusable, detail).WithHint(hint)
	}
	if !p.Enabled {
		return no(modelendpoint.Disabled, "the plan is disabled", "enable it")
	}
	if _, err := modelendpoint.PassageFor(h.Model, p.Protocol, false); err != nil {
		return no(err, err.Error(), "choose a plan of the protocol that the client takes")
	}
	if model != "" && !p.Has(model) {
		return no(modelendpoint.Gone, "the model is none of the plan's", "it has "+p.Listing())
	}
	return nil
}

// Resolve says what a session of the agent is bound to: the first usable one of its plan and its fallbacks. Errors are
// [problem.HarnessOff], what lookup gives, and, for an agent that fails without its plan, why the first one cannot be
// used.
func (a Agent) Resolve(h Harness, lookup Lookup) (Choice, error) {
	switch {
	case !h.Available:
		return Choice{}, problem.New(problem.NoDependency, "harnessAgentTargetId", "names a client that is not there")
	case !h.Enabled:
		return Choice{}, problem.New(problem.HarnessOff, "harnessAgentTargetId", "names a client that is switched off")
	}
	var first error
	for i, r := range a.Routes() {
		p, err := lookup(r.Plan)
		if err != nil && !errors.Is(err, problem.PlanNotFound) {
			return Choice{}, err
		}
		if err == nil {
			err = Usable(h, p, r.Model)
		}
		if err == nil {
			c := Choice{Plan: &p, Model: r.Model, Primary: i == 0, NotUsed: first}
			if c.Model == "" {
				c.Model = p.Effective()
			}
			return c, nil
		}
		if first == nil {
			first = err
		}
	}
	if first != nil && a.OnPlanUnavailable == Fail {
		return Choice{}, first
	}
	return Choice{Primary: first == nil, NotUsed: first}, nil
}

// Check says whether the agent can be stored: its harness is there and enabled, and each of its plans can be used by it
// now. Errors are [problem.NoDependency], [problem.HarnessOff] and [problem.AgentPlanWrong].
func (s Spec) Check(h Harness, lookup Lookup) error {
	if _, err := (Agent{}).Resolve(h, nil); err != nil {
		return err
	}
	for i, r := range s.Routes() {
		field := "modelPlanId"
		if i > 0 {
			field = "modelFallbacks"
		}
		p, err := lookup(r.Plan)
		if errors.Is(err, problem.PlanNotFound) {
			return problem.New(problem.NoDependency, field, "names a plan that is not there")
		}
		if err == nil {
			err = Usable(h, p, r.Model)
		}
		if why, ok := errors.AsType[*problem.Error](err); ok && why.Code == problem.PlanUnusable {
			e := problem.New(problem.AgentPlanWrong, field, "names a plan that it cannot use: "+why.Detail)
			e.Hint = why.Hint
			return e
		} else if err != nil {
			return err
		}
	}
	return nil
}
