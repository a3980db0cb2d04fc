package page

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// planForm is a plan while it is typed.
type planForm struct {
	form
	ID                     string // "" for a new plan
	Name, Template         string
	Protocol, BaseURL      string
	HasKey, KeyUnreadable  bool
	RemoveKey, KeyWasTyped bool
	Rows                   []modelRow
	More                   string // ids of further models, one a line
	Default                string
	Enabled                bool
	Templates, Protocols   []choice
}

// modelRow is a model that the plan has, while it is typed.
type modelRow struct {
	N                 int
	ID, Name, Context string
	Images, Remove    bool
}

func (p *Page) showPlanForm(w http.ResponseWriter, v *visit, status int, f planForm) error {
	takers, err := p.takers(v.Context())
	if err != nil {
		return err
	}
	f.Templates = templates
	for _, protocol := range []preparer.Protocol{preparer.OpenAI, preparer.Anthropic} {
		about := "No client that is installed takes it."
		if names := takers[protocol]; len(names) > 0 {
			about = "Taken by " + strings.Join(names, ", ") + "."
		}
		f.Protocols = append(f.Protocols, choice{string(protocol), protocolName(protocol), about})
	}
	title := "New plan"
	if f.ID != "" {
		title = "Edit plan"
	}
	p.show(w, v, "plan-form", status, frame{Title: title, Section: "plans"}, f)
	return nil
}

func (p *Page) newPlan(w http.ResponseWriter, v *visit) error {
	return p.showPlanForm(w, v, http.StatusOK, planForm{Template: string(plan.Custom), Protocol: string(preparer.OpenAI), Enabled: true})
}

func (p *Page) editPlan(w http.ResponseWriter, v *visit) error {
	one, err := p.plan(v)
	if err != nil {
		return err
	}
	f := planForm{
		ID: one.ID, Name: one.Name, Template: string(one.Template), Protocol: string(one.Protocol), BaseURL: one.BaseURL,
		HasKey: one.HasKey, KeyUnreadable: one.KeyUnreadable, Default: one.Default, Enabled: one.Enabled,
		form: form{Revision: revisionText(one.Revision)},
	}
	for i, m := range one.Models {
		row := modelRow{N: i, ID: m.ID, Context: plan.TokenText(m.ContextTokens), Images: m.Images}
		if m.Name != m.ID {
			row.Name = m.Name
		}
		f.Rows = append(f.Rows, row)
	}
	return p.showPlanForm(w, v, http.StatusOK, f)
}

// readPlanForm is the form as it was sent.
func readPlanForm(v *visit) planForm {
	get := v.PostForm.Get
	f := planForm{
		ID: v.PathValue("id"), Name: get("name"), Template: get("templateKind"), Protocol: get("protocol"), BaseURL: get("baseUrl"),
		RemoveKey: get("removeKey") != "", KeyWasTyped: get("apiKey") != "", More: get("more"), Default: get("defaultModel"),
		Enabled: get("enabled") != "", form: form{Revision: get("revision")},
	}
	for n := range plan.MaxModels {
		name := "model-" + strconv.Itoa(n) + "-"
		if !v.PostForm.Has(name + "id") {
			break
		}
		f.Rows = append(f.Rows, modelRow{n, get(name + "id"), get(name + "name"), get(name + "context"), get(name+"images") != "", get(name+"remove") != ""})
	}
	return f
}

// spec is the plan that a form says. What a form does not show of a model stays as it is in old.
func (f planForm) spec(old []plan.Model) (plan.Spec, error) {
	s := plan.Spec{
		Name: f.Name, Template: plan.Template(f.Template), Protocol: preparer.Protocol(f.Protocol), BaseURL: f.BaseURL,
		Default: f.Default, Enabled: f.Enabled,
	}
	for _, row := range f.Rows {
		m := plan.Model{ID: strings.TrimSpace(row.ID)}
		if row.Remove || m.ID == "" {
			continue
		}
		if i := slices.IndexFunc(old, func(o plan.Model) bool { return o.ID == m.ID }); i >= 0 {
			m = old[i]
		}
		m.Name, m.Images = row.Name, row.Images
		if text := strings.TrimSpace(row.Context); text != plan.TokenText(m.ContextTokens) {
			n, ok := plan.ParseTokens(text)
			if !ok && text != "" {
				return s, problem.New(problem.InvalidPlan, "models", "have a context of "+strconv.Quote(text)+", which is no number of tokens from 1k to 1000m").
					WithHint("write it as in 128k or 1m, or leave it blank where you do not know it")
			}
			m.ContextTokens = n
		}
		s.Models = append(s.Models, m)
	}
	for _, id := range lines(f.More) {
		s.Models = append(s.Models, plan.Model{ID: id})
	}
	if s.Default != "" && !s.Has(s.Default) && slices.ContainsFunc(f.Rows, func(r modelRow) bool { return r.Remove && r.ID == modelendpoint.Plain(s.Default) }) {
		s.Default = "" // it was taken out with its model
	}
	return s, nil
}

// key is what becomes of the credential; nil is that it stays.
func (f planForm) key(typed string) (*plan.Key, error) {
	switch {
	case typed != "":
		key, err := plan.CleanKey(typed)
		return &key, err
	case f.RemoveKey:
		return new(plan.Key), nil
	}
	return nil, nil
}

func (p *Page) createPlan(w http.ResponseWriter, v *visit) error {
	f := readPlanForm(v)
	var one plan.Plan
	spec, err := f.spec(nil)
	key, wrong := f.key(v.PostForm.Get("apiKey"))
	if err = errors.Join(err, wrong); err == nil {
		if key == nil {
			key = new(plan.Key)
		}
		one, err = p.Access.CreatePlan(v.Context(), v.workspace, spec, *key)
	}
	if err != nil {
		return p.planMistake(w, v, f, err)
	}
	return v.to(w, "plan-created", "plans", one.ID)
}

func (p *Page) savePlan(w http.ResponseWriter, v *visit) error {
	from, err := revision(v)
	if err != nil {
		return err
	}
	f := readPlanForm(v)
	key, err := f.key(v.PostForm.Get("apiKey"))
	if err == nil {
		_, err = p.Access.UpdatePlan(v.Context(), v.workspace, f.ID, from, func(old plan.Plan) (store.Edit, error) {
			spec, err := f.spec(old.Models)
			if err == nil && key == nil && old.HasKey && spec.Origin() != old.Origin() {
				// A key goes to where it was entered for, and whoever sits here now did not have to know it.
				err = problem.New(problem.InvalidPlan, "apiKey", "was entered for another address than this one").WithHint("type it again, or tick that it is taken away")
			}
			return store.Edit{Spec: spec, Key: key}, err
		})
	}
	if err != nil {
		return p.planMistake(w, v, f, err)
	}
	return v.to(w, "plan-saved", "plans", f.ID)
}

// planMistake shows the form again, with what is wrong. The key is not shown again.
func (p *Page) planMistake(w http.ResponseWriter, v *visit, f planForm, err error) error {
	m, ok := mistakeOf(err)
	if !ok {
		return err
	}
	f.Mistake, f.BaseURL = m, withoutUser(f.BaseURL)
	status := http.StatusBadRequest
	if f.ID != "" {
		now, err := p.plan(v)
		if err != nil {
			return err
		}
		f.HasKey, f.KeyUnreadable = now.HasKey, now.KeyUnreadable
		if m.Field == "" {
			status, f.Revision = http.StatusPreconditionFailed, revisionText(now.Revision)
		}
	}
	return p.showPlanForm(w, v, status, f)
}

// withoutUser is a URL that may be shown again: what stands before the host of one may be a credential.
func withoutUser(typed string) string {
	i := strings.LastIndexByte(typed, '@')
	if i < 0 {
		return typed
	}
	scheme, _, ok := strings.Cut(typed[:i], "://")
	if !ok {
		return typed[i+1:]
	}
	return scheme + "://" + typed[i+1:]
}

// addModels adds models that an endpoint lists, and that a person ticked.
func (p *Page) addModels(w http.ResponseWriter, v *visit) error {
	chosen := v.PostForm["model"]
	if len(chosen) == 0 {
		return badForm("no model was ticked", "tick the ones that the plan is to have")
	}
	from, err := revision(v)
	if err != nil {
		return err
	}
	known := p.checks.discovered(v.workspace, v.PathValue("id"))
	_, err = p.Access.UpdatePlan(v.Context(), v.workspace, v.PathValue("id"), from, func(old plan.Plan) (store.Edit, error) {
		s := old.Spec
		s.Models = slices.Clone(s.Models)
		for _, id := range chosen {
			m := plan.Model{ID: id}
			if i := slices.IndexFunc(known, func(k plan.Model) bool { return k.ID == id }); i >= 0 {
				m = known[i]
			}
			s.Models = append(s.Models, m)
		}
		return store.Edit{Spec: s}, nil
	})
	if err != nil {
		return err
	}
	return v.to(w, "models-added", "plans", v.PathValue("id"))
}
