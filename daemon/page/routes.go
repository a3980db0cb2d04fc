package page

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// maxOptions bounds a list of models to choose from. When there are more, the plans are offered with their defaults.
const maxOptions = 3000

// group is a plan whose models can be chosen.
type group struct {
	Label   string
	Options []choice
}

// chosen are groups, and the value that is chosen of them.
type chosen struct {
	Groups []group
	Chosen string
}

// routeValue is how a form says a plan and a model of it. Ids of plans have no spaces.
func routeValue(r agent.Route) string {
	if r.Plan == "" {
		return ""
	}
	return strings.TrimSpace(r.Plan + " " + r.Model)
}

func readRoute(text string) agent.Route {
	id, model, _ := strings.Cut(strings.TrimSpace(text), " ")
	return agent.Route{Plan: id, Model: model}
}

// groups are the models that sessions of a client can have, by their plans. What is chosen already is among them, also
// when it cannot be used now.
func (p *Page) groups(ctx context.Context, workspace string, h agent.Harness, already ...agent.Route) ([]group, error) {
	all, err := p.Access.Plans(ctx, workspace)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(one plan.Plan) bool { return agent.Usable(h, one, "") != nil })
	slices.SortStableFunc(all, func(x, y plan.Plan) int { return strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)) })
	total := 0
	for _, one := range all {
		total += len(one.Models) + 1
	}
	var list []group
	there := map[string]bool{"": true}
	for _, one := range all {
		g := group{Label: one.Name}
		add := func(model, name string) {
			value := routeValue(agent.Route{Plan: one.ID, Model: model})
			g.Options, there[value] = append(g.Options, choice{Value: value, Name: name}), true
		}
		if effective := one.Effective(); effective != "" {
			add("", "the default of "+one.Name+" (now "+effective+")")
		} else {
			add("", "the default of "+one.Name+" (it has no model yet)")
		}
		for _, m := range one.Models {
			if total <= maxOptions || slices.Contains(already, agent.Route{Plan: one.ID, Model: m.ID}) {
				add(m.ID, m.Name)
			}
		}
		list = append(list, g)
	}
	lost := group{Label: "Cannot be used now"}
	for _, r := range already {
		if value := routeValue(r); !there[value] {
			there[value] = true
			name := r.Plan
			if one, err := p.Access.Plan(ctx, workspace, r.Plan); err == nil {
				name = one.Name
			}
			lost.Options = append(lost.Options, choice{Value: value, Name: strings.TrimSpace(r.Model + " of " + name)})
		}
	}
	if len(lost.Options) > 0 {
		list = append(list, lost)
	}
	return list, nil
}

// named is a route for people.
type named struct {
	Plan, Model string
	ID          string // of the plan
	Problem     string // why it cannot be used, "" when it can
	Hint        string
}

func (p *Page) named(ctx context.Context, workspace string, h agent.Harness, r agent.Route) named {
	n := named{Plan: r.Plan, Model: r.Model, ID: r.Plan}
	one, err := p.Access.Plan(ctx, workspace, r.Plan)
	if err == nil {
		n.Plan = one.Name
		if n.Model == "" {
			n.Model = one.Effective()
		}
		err = agent.Usable(h, one, r.Model)
	}
	if m, ok := errors.AsType[*problem.Error](err); ok {
		n.Problem, n.Hint = sentence(m.Error()), sentence(m.Hint)
	} else if err != nil {
		n.Problem = "It cannot be read."
	}
	return n
}
