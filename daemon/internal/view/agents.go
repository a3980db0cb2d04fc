package view

import (
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// Agents lists agents, with the names of their plans.
func (v View) Agents(all []agent.Agent, plans []plan.Plan) {
	if len(all) == 0 {
		v.Line("No agents. %s", v.Style.Dim("Add one: greenroom agents add NAME --client ID"))
		return
	}
	c := paint.Columns{}
	c.Row(v.Style.Dim("NAME"), v.Style.Dim("CLIENT"), v.Style.Dim("MODELS"), v.Style.Dim("DESCRIPTION"))
	for _, a := range all {
		c.Row(v.Style.Accent(paint.Clean(a.Name)), paint.Clean(a.Harness), v.routes(a, plans), paint.Clean(a.Description))
	}
	v.columns(&c)
}

// routes names the plans of an agent. One that cannot be used now is marked.
func (v View) routes(a agent.Agent, plans []plan.Plan) string {
	if a.Plan == "" {
		return v.Style.Dim("own login")
	}
	var names []string
	for _, r := range a.Routes() {
		name := v.Style.Bad("gone")
		for _, p := range plans {
			if p.ID != r.Plan {
				continue
			}
			name = paint.Clean(p.Name)
			if r.Model != "" {
				name += "=" + paint.Clean(r.Model)
			}
			if !p.Enabled || r.Model != "" && !p.Has(r.Model) {
				name = v.Style.Warn(name + "!")
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, ", then ")
}

// Agent shows one agent.
func (v View) Agent(a agent.Agent, plans []plan.Plan) {
	c := paint.Columns{}
	row := func(name, value string) {
		if value != "" {
			c.Row(v.Style.Dim(name), value)
		}
	}
	row("agent", v.Style.Accent(paint.Clean(a.Name))+" "+v.Style.Dim(a.ID))
	row("description", paint.Clean(a.Description))
	row("client", paint.Clean(a.Harness))
	row("models", v.routes(a, plans))
	if a.Plan != "" {
		row("otherwise", map[agent.Otherwise]string{agent.Native: "the client's own login", agent.Fail: "refused"}[a.OnPlanUnavailable])
	}
	row("skills", paint.Clean(strings.Join(a.Skills, ", ")))
	row("tools", paint.Clean(strings.Join(a.Tools, ", ")))
	v.columns(&c)
	if a.Instructions != "" {
		v.Title("Instructions")
		v.Line("%s", paint.CleanLines(strings.TrimSpace(a.Instructions)))
	}
}
