package api

import (
	"net/http"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// agentView is an agent as it is shown, with its client.
type agentView struct {
	agent.Agent
	Harness harnessView `json:"harness"`
}

type harnessView struct {
	ID        string `json:"agentTargetId"`
	Available bool   `json:"available"`
}

// oneAgent answers with an agent of a client that was looked at before: what is stored by now is not to be answered as a
// failure because clients cannot be listed once more.
func oneAgent(w http.ResponseWriter, status int, a agent.Agent, h agent.Harness) error {
	etag(w, a.Revision)
	return answer(w, status, agentView{a, harnessView{a.Spec.Harness, h.Available}})
}

func (s *server) listAgents(w http.ResponseWriter, r *http.Request, in string) error {
	all, err := s.Access.Agents(r.Context(), in)
	if err != nil {
		return err
	}
	providers, err := s.Providers(r.Context())
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, p := range providers {
		there[p.ID] = true
	}
	views := []agentView{}
	for _, a := range all {
		views = append(views, agentView{a, harnessView{a.Spec.Harness, there[a.Spec.Harness]}})
	}
	return answer(w, http.StatusOK, map[string]any{"agents": views})
}

// listBindings shows the agents that were made of the bindings of an earlier installation in the form of those, to programs
// that know no agents. They are changed as agents.
func (s *server) listBindings(w http.ResponseWriter, r *http.Request, in string) error {
	all, err := s.Access.Agents(r.Context(), in)
	if err != nil {
		return err
	}
	type binding struct {
		Target string `json:"agentTargetId"`
		Plan   string `json:"modelPlanId,omitempty"`
		Model  string `json:"defaultModel,omitempty"`
		Agent  string `json:"workspaceAgentId"`
	}
	bindings := []binding{}
	for _, a := range all {
		if a.Source == agent.LegacyBinding {
			bindings = append(bindings, binding{a.Spec.Harness, a.Plan, a.Model, a.ID})
		}
	}
	return answer(w, http.StatusOK, map[string]any{"bindings": bindings})
}

func (s *server) getAgent(w http.ResponseWriter, r *http.Request, in, id string) error {
	a, err := s.Access.Agent(r.Context(), in, id)
	if err != nil {
		return err
	}
	h, err := s.Providers.Harness(r.Context(), a.Spec.Harness)
	if err != nil {
		return err
	}
	return oneAgent(w, http.StatusOK, a, h)
}

func (s *server) createAgent(w http.ResponseWriter, r *http.Request, in string) error {
	var spec agent.Spec
	if err := read(r, problem.InvalidAgent, false, &spec); err != nil {
		return err
	}
	h, err := s.Providers.Harness(r.Context(), spec.Harness)
	if err != nil {
		return err
	}
	a, err := s.Access.CreateAgent(r.Context(), in, h, spec)
	if err != nil {
		return err
	}
	return oneAgent(w, http.StatusCreated, a, h)
}

func (s *server) updateAgent(w http.ResponseWriter, r *http.Request, in, id, ifMatch string) error {
	var spec agent.Spec
	if err := read(r, problem.InvalidAgent, false, &spec); err != nil {
		return err
	}
	from, err := revision(ifMatch)
	if err != nil {
		return err
	}
	h, err := s.Providers.Harness(r.Context(), spec.Harness)
	if err != nil {
		return err
	}
	a, err := s.Access.UpdateAgent(r.Context(), in, id, from, h, spec)
	if err != nil {
		return err
	}
	return oneAgent(w, http.StatusOK, a, h)
}

func (s *server) deleteAgent(w http.ResponseWriter, r *http.Request, in, id, ifMatch string) error {
	from, err := revision(ifMatch)
	if err != nil {
		return err
	}
	if err := s.Access.DeleteAgent(r.Context(), in, id, from); err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]string{"workspaceAgentId": id})
}

// option is a model that can be chosen in the composer.
type option struct {
	ID          string        `json:"id"`
	Value       string        `json:"value"` // as the client spells it
	Label       string        `json:"label"`
	Description string        `json:"description"` // the name of the plan
	AppliesTo   agent.Applies `json:"appliesTo"`
}

// composer gives the models that a session of an agent can have: those of the plan that it gets, at once, and those of the
// agent's other plans in a new session. Without a plan the client knows its own. What an extension says of the rest that a
// person can choose goes along; the models of a plan stand in the place of those that it knows of.
func (s *server) composer(w http.ResponseWriter, r *http.Request, in, id string) error {
	ctx := r.Context()
	a, err := s.Access.Agent(ctx, in, id)
	if err != nil {
		return err
	}
	client, h, err := s.Providers.find(ctx, a.Spec.Harness)
	if err != nil {
		return err
	}
	lookup := func(id string) (plan.Plan, error) { return s.Access.Plan(ctx, in, id) }
	choice, models, err := a.Options(h, lookup)
	if err != nil {
		return err
	}
	options, runtime := []option{}, map[string]any{"source": "provider-native"}
	body := map[string]any{"configurable": false, "modelSwitch": false}
	for _, o := range models {
		options = append(options, option{o.Model.ID, modelendpoint.Address(h.Model.Addressing, o.Model.ID), o.Model.Name, o.Plan.Name, o.AppliesTo})
	}
	if choice.Plan != nil {
		current := modelendpoint.Address(h.Model.Addressing, choice.Model)
		runtime = map[string]any{
			"source": "model-plan", "model": current, "modelPlan": map[string]any{"id": choice.Plan.ID, "name": choice.Plan.Name, "protocol": choice.Plan.Protocol},
		}
		body["current"], body["configurable"], body["modelSwitch"] = current, true, true
	}
	if choice.NotUsed != nil {
		body["planNotUsed"] = choice.NotUsed.Error()
	}
	if c := client.Composer; c != nil {
		if choice.Plan != nil {
			c = c.OnPlan()
		}
		body["composer"] = c
	}
	body["options"], body["runtimeContext"] = options, runtime
	return answer(w, http.StatusOK, body)
}

func (s *server) listSessions(w http.ResponseWriter, r *http.Request, in string) error {
	all, err := s.Access.Sessions(r.Context(), in)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]any{"sessions": all})
}

func (s *server) getAcceptance(w http.ResponseWriter, r *http.Request, in, id string) error {
	a, err := s.Access.Acceptance(r.Context(), in, id)
	if err != nil {
		return err
	}
	body := map[string]any{}
	if a != nil {
		body["acceptance"] = a
	}
	return answer(w, http.StatusOK, body)
}

// accept is that a person accepts a turn. There is no other way to the top of the ladder, and none here to its other steps.
func (s *server) accept(w http.ResponseWriter, r *http.Request, in, id string) error {
	var body struct {
		Turn string `json:"turnId"`
	}
	if err := read(r, problem.InvalidAcceptance, false, &body); err != nil {
		return err
	}
	a, err := s.Access.Accept(r.Context(), in, id, acceptance.UserAccepted, body.Turn, acceptance.Person)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]any{"acceptance": a})
}
