package page

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/agent"
)

// agentForm is an agent while it is typed.
type agentForm struct {
	form
	ID                string // "" for a new agent
	Client            string
	Clients           []string // to choose from, while none is chosen
	TakesPlans        bool     // the client does
	Name, Description string
	Route             string
	Fallbacks         []fallback
	Groups            []group
	Plans             bool // there are plans that the client takes
	Otherwise         string
	Instructions      string
	Conditions        string
	Explicit          bool // it has the skills and tools that are listed, and no others
	Skills, Tools     string
}

// fallback is one of the plans that stand in, while it is typed.
type fallback struct {
	N     int // from 1
	Route string
}

func (p *Page) showAgentForm(w http.ResponseWriter, v *visit, status int, f agentForm) error {
	h, err := p.Providers.Harness(v.Context(), f.Client)
	if err != nil {
		return err
	}
	f.TakesPlans = h.Model.Protocol != ""
	chosen := []agent.Route{readRoute(f.Route)}
	for _, one := range f.Fallbacks {
		chosen = append(chosen, readRoute(one.Route))
	}
	if f.Groups, err = p.groups(v.Context(), v.workspace, h, chosen...); err != nil {
		return err
	}
	f.Plans = len(f.Groups) > 0
	for len(f.Fallbacks) < 2 || f.Fallbacks[len(f.Fallbacks)-1].Route != "" && len(f.Fallbacks) < 16 {
		f.Fallbacks = append(f.Fallbacks, fallback{N: len(f.Fallbacks) + 1})
	}
	title := "New agent"
	if f.ID != "" {
		title = "Edit agent"
	}
	p.show(w, v, "agent-form", status, frame{Title: title, Section: "agents"}, f)
	return nil
}

// newAgent asks which client the agent is, and then for the rest.
func (p *Page) newAgent(w http.ResponseWriter, v *visit) error {
	f := agentForm{Client: v.URL.Query().Get("client"), Otherwise: string(agent.Native), Route: v.URL.Query().Get("model")}
	if f.Client == "" {
		var err error
		if f.Clients, err = p.clients(v); err != nil {
			return err
		}
	}
	return p.showAgentForm(w, v, http.StatusOK, f)
}

func (p *Page) editAgent(w http.ResponseWriter, v *visit) error {
	a, err := p.Access.Agent(v.Context(), v.workspace, v.PathValue("id"))
	if err != nil {
		return err
	}
	f := agentForm{
		ID: a.ID, Client: a.Harness, Name: a.Name, Description: a.Description, Route: routeValue(agent.Route{Plan: a.Plan, Model: a.Model}),
		Otherwise: string(a.OnPlanUnavailable), Instructions: a.Instructions, Conditions: strings.Join(a.CallConditions, "\n"),
		Explicit: a.CapabilitiesExplicit != nil && *a.CapabilitiesExplicit, Skills: strings.Join(a.Skills, "\n"), Tools: strings.Join(a.Tools, "\n"),
		form: form{Revision: revisionText(a.Revision)},
	}
	for i, r := range a.Fallbacks {
		f.Fallbacks = append(f.Fallbacks, fallback{i + 1, routeValue(r)})
	}
	return p.showAgentForm(w, v, http.StatusOK, f)
}

func readAgentForm(v *visit) agentForm {
	get := v.PostForm.Get
	f := agentForm{
		ID: v.PathValue("id"), Client: get("harnessAgentTargetId"), Name: get("name"), Description: get("description"), Route: get("modelPlanId"),
		Otherwise: get("onPlanUnavailable"), Instructions: unixLines(get("instructions")), Conditions: get("callConditions"),
		Explicit: get("explicit") == "true", Skills: get("skills"), Tools: get("tools"), form: form{Revision: get("revision")},
	}
	for n := 1; n <= 16; n++ {
		if r := get("fallback-" + strconv.Itoa(n)); r != "" {
			f.Fallbacks = append(f.Fallbacks, fallback{len(f.Fallbacks) + 1, r})
		}
	}
	return f
}

// unixLines are lines as a person typed them; browsers send them with ends of another system.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

func (f agentForm) spec() agent.Spec {
	r := readRoute(f.Route)
	s := agent.Spec{
		Name: f.Name, Description: unixLines(f.Description), Harness: f.Client, Plan: r.Plan, Model: r.Model,
		OnPlanUnavailable: agent.Otherwise(f.Otherwise), Instructions: f.Instructions, CallConditions: lines(f.Conditions),
		CapabilitiesExplicit: &f.Explicit, Skills: lines(f.Skills), Tools: lines(f.Tools),
	}
	for _, one := range f.Fallbacks {
		s.Fallbacks = append(s.Fallbacks, readRoute(one.Route))
	}
	return s
}

func (p *Page) createAgent(w http.ResponseWriter, v *visit) error {
	f := readAgentForm(v)
	h, err := p.Providers.Harness(v.Context(), f.Client)
	if err != nil {
		return err
	}
	a, err := p.Access.CreateAgent(v.Context(), v.workspace, h, f.spec())
	if err != nil {
		return p.agentMistake(w, v, f, err)
	}
	return v.to(w, "agent-created", "agents", a.ID)
}

func (p *Page) saveAgent(w http.ResponseWriter, v *visit) error {
	from, err := revision(v)
	if err != nil {
		return err
	}
	old, err := p.Access.Agent(v.Context(), v.workspace, v.PathValue("id"))
	if err != nil {
		return err
	}
	f := readAgentForm(v)
	f.Client = old.Harness // an agent stays what it is
	h, err := p.Providers.Harness(v.Context(), f.Client)
	if err != nil {
		return err
	}
	if _, err := p.Access.UpdateAgent(v.Context(), v.workspace, f.ID, from, h, f.spec()); err != nil {
		return p.agentMistake(w, v, f, err)
	}
	return v.to(w, "agent-saved", "agents", f.ID)
}

func (p *Page) agentMistake(w http.ResponseWriter, v *visit, f agentForm, err error) error {
	m, ok := mistakeOf(err)
	if !ok {
		return err
	}
	switch m.Field {
	case "defaultModel":
		m.Field = "modelPlanId" // both are one field here
	case "":
		now, err := p.Access.Agent(v.Context(), v.workspace, f.ID)
		if err != nil {
			return err
		}
		f.Revision = revisionText(now.Revision)
	}
	f.Mistake = m
	status := http.StatusBadRequest
	if m.Field == "" {
		status = http.StatusPreconditionFailed
	}
	return p.showAgentForm(w, v, status, f)
}
