package access

import (
	"context"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// FindAgent gives the agent that a person means; see [PickAgent].
func (a *Access) FindAgent(ctx context.Context, workspace, said string) (agent.Agent, error) {
	all, err := a.Agents(ctx, workspace)
	if err != nil {
		return agent.Agent{}, err
	}
	return PickAgent(all, said)
}

// PickAgent gives the one of some agents that a person means: by its id, by its name, or by the beginning of its id. Errors:
// [problem.AgentNotFound], also when several are meant.
func PickAgent(all []agent.Agent, said string) (agent.Agent, error) {
	return pick(all, said, "agent", problem.AgentNotFound, func(g agent.Agent) (string, string) { return g.ID, g.Name })
}

// PickPlan does so with plans. Errors: [problem.PlanNotFound].
func PickPlan(all []plan.Plan, said string) (plan.Plan, error) {
	return pick(all, said, "plan", problem.PlanNotFound, func(p plan.Plan) (string, string) { return p.ID, p.Name })
}

// pick gives the one that is meant. An id counts more than a name, and a name more than the beginning of an id.
func pick[T any](all []T, said, what string, code problem.Code, of func(T) (id, name string)) (T, error) {
	said = strings.TrimSpace(said)
	var named, near []T
	for _, one := range all {
		switch id, name := of(one); {
		case id == said:
			return one, nil
		case strings.EqualFold(name, said):
			named = append(named, one)
		case said != "" && strings.HasPrefix(id, said):
			near = append(near, one)
		}
	}
	if len(named) == 0 {
		named = near
	}
	var none T
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
		e := problem.New(code, "", "there is no "+what+" "+strconv.Quote(said))
		if len(all) == 0 {
			return none, e.WithHint("this workspace has no " + what + "s")
		}
		var names []string
		for _, one := range all[:min(len(all), 8)] {
			_, name := of(one)
			names = append(names, name)
		}
		return none, e.WithHint("there are: " + strings.Join(names, ", "))
	}
	var ids []string
	for _, one := range named {
		id, _ := of(one)
		ids = append(ids, id)
	}
	return none, problem.New(code, "", strconv.Quote(said)+" is several "+what+"s").WithHint("name one by its id: " + strings.Join(ids, ", "))
}
