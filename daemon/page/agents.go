package page

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

type agentRow struct {
	agent.Agent
	Available bool
	Route     *named // nil for the client's own login
}

type agentList struct {
	Agents  []agentRow
	Paging  paging
	Clients []string // that agents can be
}

func (p *Page) clients(v *visit) ([]string, error) {
	all, err := p.Providers(v.Context())
	var ids []string
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	slices.Sort(ids)
	return ids, err
}

func (p *Page) listAgents(w http.ResponseWriter, v *visit) error {
	all, err := p.Access.Agents(v.Context(), v.workspace)
	if err != nil {
		return err
	}
	b := agentList{}
	if b.Clients, err = p.clients(v); err != nil {
		return err
	}
	q := strings.TrimSpace(v.URL.Query().Get("q"))
	found := slices.DeleteFunc(slices.Clone(all), func(a agent.Agent) bool { return !holds(q, a.Name, a.ID, a.Harness, a.Description) })
	slices.SortStableFunc(found, func(x, y agent.Agent) int { return cmp.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)) })
	some, paging := paged(v, len(all), found, url.Values{"q": {q}})
	b.Paging = paging
	for _, a := range some {
		row := agentRow{Agent: a, Available: slices.Contains(b.Clients, a.Harness)}
		if a.Plan != "" {
			h, err := p.Providers.Harness(v.Context(), a.Harness)
			if err != nil {
				return err
			}
			n := p.named(v.Context(), v.workspace, h, agent.Route{Plan: a.Plan, Model: a.Model})
			row.Route = &n
		}
		b.Agents = append(b.Agents, row)
	}
	p.show(w, v, "agents", http.StatusOK, frame{Title: "Agents", Section: "agents"}, b)
	return nil
}

type agentShown struct {
	Agent     agent.Agent
	Available bool
	Routes    []named
	Choice    agent.Choice
	Trouble   *mistake // why its sessions would be refused now
	NotUsed   string   // why its plan is not used
	Now, Anew []agent.Option
	form
}

func (p *Page) agentShown(v *visit) (b agentShown, err error) {
	ctx := v.Context()
	if b.Agent, err = p.Access.Agent(ctx, v.workspace, v.PathValue("id")); err != nil {
		return b, err
	}
	h, err := p.Providers.Harness(ctx, b.Agent.Harness)
	if err != nil {
		return b, err
	}
	b.Available, b.Revision = h.Available, revisionText(b.Agent.Revision)
	for _, r := range b.Agent.Routes() {
		b.Routes = append(b.Routes, p.named(ctx, v.workspace, h, r))
	}
	var options []agent.Option
	b.Choice, options, err = b.Agent.Options(h, func(id string) (plan.Plan, error) { return p.Access.Plan(ctx, v.workspace, id) })
	if e, ok := errors.AsType[*problem.Error](err); ok {
		b.Trouble = &mistake{What: sentence("The client " + e.Detail), Hint: sentence(e.Hint)}
		if e.Code == problem.PlanUnusable || e.Code == problem.PlanNotFound {
			b.Trouble.What = sentence(e.Error())
		}
		err = nil
	}
	if b.Choice.NotUsed != nil {
		b.NotUsed = sentence(b.Choice.NotUsed.Error())
	}
	for _, o := range options {
		if o.AppliesTo == agent.InSession {
			b.Now = append(b.Now, o)
		} else {
			b.Anew = append(b.Anew, o)
		}
	}
	return b, err
}

func (p *Page) showAgent(w http.ResponseWriter, v *visit) error {
	b, err := p.agentShown(v)
	if err != nil {
		return err
	}
	p.show(w, v, "agent", http.StatusOK, frame{Title: b.Agent.Name, Section: "agents"}, b)
	return nil
}

func (p *Page) askDeleteAgent(w http.ResponseWriter, v *visit) error {
	b, err := p.agentShown(v)
	if err != nil {
		return err
	}
	p.show(w, v, "agent-delete", http.StatusOK, frame{Title: "Delete " + b.Agent.Name, Section: "agents"}, b)
	return nil
}

func (p *Page) deleteAgent(w http.ResponseWriter, v *visit) error {
	from, err := revision(v)
	if err != nil {
		return err
	}
	if err := p.Access.DeleteAgent(v.Context(), v.workspace, v.PathValue("id"), from); err != nil {
		return err
	}
	return v.to(w, "agent-deleted", "agents")
}
