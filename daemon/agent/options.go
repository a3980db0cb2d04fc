package agent

import "github.com/greenroom-agents/greenroom/daemon/plan"

// Applies says when a session that runs gets a model that is chosen for it.
type Applies string

// The ways. The endpoint of a session is that of its plan, so that a model of another plan needs another session.
const (
	InSession    Applies = "session" // with its next request
	InNewSession Applies = "new_session"
)

// Option is a model that can be chosen for sessions of an agent.
type Option struct {
	Plan      plan.Plan
	Model     plan.Model
	AppliesTo Applies
}

// Options are the models that a session of the agent can have: those of the plan that it gets, and those of the agent's
// other plans that can be used. Without a plan there are none, since the client knows its own. Errors are those of Resolve.
func (a Agent) Options(h Harness, lookup Lookup) (Choice, []Option, error) {
	choice, err := a.Resolve(h, lookup)
	if err != nil || choice.Plan == nil {
		return choice, nil, err
	}
	var all []Option
	add := func(p plan.Plan, applies Applies) {
		for _, m := range p.Models {
			all = append(all, Option{p, m, applies})
		}
	}
	add(*choice.Plan, InSession)
	seen := map[string]bool{choice.Plan.ID: true}
	for _, route := range a.Routes() {
		if p, err := lookup(route.Plan); err == nil && !seen[p.ID] && Usable(h, p, "") == nil {
			seen[p.ID] = true
			add(p, InNewSession)
		}
	}
	return choice, all, nil
}
