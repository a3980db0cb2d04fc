package api

import (
	"net/http"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// putPlan is a plan as it is sent. What is null is as if it were not there.
type putPlan struct {
	Name     string             `json:"name"`
	Protocol *preparer.Protocol `json:"protocol"`
	Template *plan.Template     `json:"templateKind"`
	// Key replaces the credential; "" takes it away, and without it stays.
	Key     *string      `json:"apiKey"`
	BaseURL *string      `json:"baseUrl"`
	Models  []plan.Model `json:"models"`
	Default *string      `json:"defaultModel"`
	Enabled *bool        `json:"enabled"` // without it the plan is disabled
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// spec is all of a plan, as PUT and POST send it.
func (p putPlan) spec() (plan.Spec, *plan.Key, error) {
	s := plan.Spec{Name: p.Name, Models: p.Models}
	set(&s.Protocol, p.Protocol)
	set(&s.Template, p.Template)
	set(&s.BaseURL, p.BaseURL)
	set(&s.Default, p.Default)
	set(&s.Enabled, p.Enabled)
	key, err := p.key()
	return s, key, err
}

func (p putPlan) key() (*plan.Key, error) {
	if p.Key == nil {
		return nil, nil
	}
	key, err := plan.CleanKey(*p.Key)
	return &key, err
}

func onePlan(w http.ResponseWriter, p plan.Plan, err error) error {
	if err != nil {
		return err
	}
	etag(w, p.Revision)
	return answer(w, http.StatusOK, p.View())
}

func (s *server) listPlans(w http.ResponseWriter, r *http.Request, in string) error {
	all, err := s.Access.Plans(r.Context(), in)
	if err != nil {
		return err
	}
	views := []plan.View{}
	for _, p := range all {
		views = append(views, p.View())
	}
	return answer(w, http.StatusOK, map[string]any{"plans": views})
}

func (s *server) getPlan(w http.ResponseWriter, r *http.Request, in, id string) error {
	p, err := s.Access.Plan(r.Context(), in, id)
	return onePlan(w, p, err)
}

func (s *server) createPlan(w http.ResponseWriter, r *http.Request, in string) error {
	var body putPlan
	if err := read(r, problem.InvalidPlan, false, &body); err != nil {
		return err
	}
	spec, key, err := body.spec()
	if err != nil {
		return err
	}
	if key == nil {
		key = new(plan.Key)
	}
	p, err := s.Access.CreatePlan(r.Context(), in, spec, *key)
	return onePlan(w, p, err)
}

func (s *server) updatePlan(w http.ResponseWriter, r *http.Request, in, id, ifMatch string) error {
	var body putPlan
	if err := read(r, problem.InvalidPlan, false, &body); err != nil {
		return err
	}
	from, err := revision(ifMatch)
	if err != nil {
		return err
	}
	spec, key, err := body.spec()
	if err != nil {
		return err
	}
	p, err := s.Access.UpdatePlan(r.Context(), in, id, from, func(old plan.Plan) (store.Edit, error) {
		if key == nil && old.HasKey && spec.Base() != "" && spec.Origin() != old.Origin() && !trusted(r.Context()) {
			// Else whoever has the token could have a check send the key to them.
			return store.Edit{}, problem.New(problem.InvalidPlan, "apiKey", "was entered for another address than this one").WithHint(`send it again, or "" to take it away`)
		}
		return store.Edit{Spec: spec, Key: key}, nil
	})
	return onePlan(w, p, err)
}

func (s *server) deletePlan(w http.ResponseWriter, r *http.Request, in, id, ifMatch string) error {
	from, err := revision(ifMatch)
	if err != nil {
		return err
	}
	if err := s.Access.DeletePlan(r.Context(), in, id, from); err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]string{"modelPlanId": id})
}

func (s *server) duplicatePlan(w http.ResponseWriter, r *http.Request, in, id string) error {
	var body struct {
		Name *string `json:"name"`
	}
	if err := read(r, problem.InvalidPlan, true, &body); err != nil {
		return err
	}
	name := ""
	set(&name, body.Name)
	p, err := s.Access.DuplicatePlan(r.Context(), in, id, name)
	return onePlan(w, p, err)
}

func (s *server) enablePlan(w http.ResponseWriter, r *http.Request, in, id, ifMatch string) error {
	const invalid = "invalid_model_plan_enabled_update"
	var body struct {
		Enabled *bool `json:"enabled"`
	}
	if err := read(r, invalid, false, &body); err != nil {
		return err
	}
	if body.Enabled == nil {
		return &Problem{Status: http.StatusBadRequest, Code: invalid, Field: "enabled", Detail: "enabled is missing"}
	}
	from, err := revision(ifMatch)
	if err != nil {
		return err
	}
	p, err := s.Access.EnablePlan(r.Context(), in, id, from, *body.Enabled)
	return onePlan(w, p, err)
}

func (s *server) references(w http.ResponseWriter, r *http.Request, in, id string) error {
	refs, err := s.Access.References(r.Context(), in, id)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]any{"references": refs})
}

// detectPlan is what is checked: a plan, or what somebody has typed, with what a plan has of what they have not.
type detectPlan struct {
	Plan  string  `json:"planId"`
	Model *string `json:"model"`
	putPlan
}

func (d detectPlan) typed() bool {
	return d.Protocol != nil || d.Template != nil || d.Key != nil || d.BaseURL != nil || d.Models != nil || d.Default != nil
}

// detect checks a plan and keeps what it finds, or checks a draft and keeps nothing.
func (s *server) detect(w http.ResponseWriter, r *http.Request, in string) error {
	const invalid = "invalid_model_plan_detection"
	var body detectPlan
	if err := read(r, invalid, false, &body); err != nil {
		return err
	}
	ctx := r.Context()
	request := access.CheckRequest{Progress: detect.Progress{
		Began: func(stage plan.Stage) { s.Events.Began(in, body.Plan, stage) },
		Done:  func(result plan.Result) { s.Events.Stage(in, body.Plan, result) },
	}}
	set(&request.Model, body.Model)
	var found detect.Found
	var kept bool
	var err error
	if body.Plan != "" && !body.typed() {
		found, kept, err = s.Access.Check(ctx, in, body.Plan, request)
	} else {
		var spec plan.Spec
		var key plan.Key
		if body.Plan != "" {
			var stored plan.Plan
			if stored, key, err = s.Access.PlanWithKey(ctx, in, body.Plan); err != nil {
				return err
			}
			spec = stored.Spec
			moved := spec
			set(&moved.BaseURL, body.BaseURL)
			set(&moved.Protocol, body.Protocol)
			if stored.HasKey && moved.Base() != stored.Base() && body.Key == nil {
				// A key goes to the endpoint that it was entered for, and to no other.
				return &Problem{Status: http.StatusBadRequest, Code: invalid, Field: "apiKey", Detail: "apiKey has to be sent with another base URL than the plan's"}
			}
		}
		if found, err = s.draft(r, body, spec, key, request); err != nil {
			if problem.CodeOf(err) == problem.InvalidPlan {
				return &Problem{Status: http.StatusBadRequest, Code: invalid, Detail: err.Error()}
			}
		}
	}
	if err != nil {
		return err
	}
	if found.Discovered == nil {
		found.Discovered = []plan.Model{}
	}
	return answer(w, http.StatusOK, map[string]any{"detection": found.Detection, "discoveredModels": found.Discovered, "kept": kept})
}

func (s *server) draft(r *http.Request, body detectPlan, spec plan.Spec, key plan.Key, request access.CheckRequest) (detect.Found, error) {
	set(&spec.Protocol, body.Protocol)
	set(&spec.Template, body.Template)
	set(&spec.BaseURL, body.BaseURL)
	set(&spec.Default, body.Default)
	if body.Models != nil {
		spec.Models = body.Models
	}
	typed, err := body.key()
	if err != nil {
		return detect.Found{}, err
	}
	set(&key, typed)
	return s.Access.CheckDraft(r.Context(), spec, key, request)
}
