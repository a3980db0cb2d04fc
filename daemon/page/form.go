package page

import (
	"errors"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// mistake is what is wrong with a form that was sent.
type mistake struct {
	Field string // of the form, "" when it is about no field
	What  string
	Hint  string
}

// labels are what the fields of problems are called in forms.
var labels = map[string]string{
	"name": "The name", "protocol": "The protocol", "templateKind": "The kind", "baseUrl": "The base URL", "apiKey": "The key",
	"models": "The models", "defaultModel": "The default model", "description": "The description", "modelPlanId": "The model",
	"modelFallbacks": "The stand-ins", "instructions": "The instructions", "onPlanUnavailable": "What happens without a plan",
	"callConditions": "The conditions", "skills": "The skills", "tools": "The tools", "harnessAgentTargetId": "The client",
}

// mistakeOf is a problem that a person mends in the form that they sent; ok is false for one that they cannot.
func mistakeOf(err error) (m *mistake, ok bool) {
	e, ok := errors.AsType[*problem.Error](err)
	if !ok {
		return nil, false
	}
	m = &mistake{Field: e.Field, What: sentence(e.Error()), Hint: sentence(e.Hint)}
	if label, ok := labels[e.Field]; ok {
		m.What = sentence(label + " " + e.Detail)
	} else if e.Field != "" {
		return nil, false // it stands on no form
	}
	switch e.Code {
	case problem.InvalidPlan, problem.InvalidAgent, problem.NoDependency, problem.HarnessOff, problem.AgentPlanWrong:
		return m, true
	case problem.Unreadable:
		return &mistake{"apiKey", "The stored key cannot be opened with any key file there is.", "Enter it again, or tick that it is taken away."}, true
	case problem.PlanConflict, problem.AgentConflict:
		return &mistake{
			"", "Somebody else changed it while you did, so nothing is saved yet.",
			"Look at what it is now in another tab. Saving this form once more puts yours in its place.",
		}, true
	}
	return nil, false
}

// fault is a field of a form, and what is wrong with it.
type fault struct {
	ID      string
	Help    bool // there is a text that explains it
	Mistake *mistake
}

// form is what forms have in common.
type form struct {
	Mistake  *mistake
	Revision string // that the form was made of
}

// At is a field with a text that explains it.
func (f form) At(field string) fault { return f.at(field, true) }

// Bare is a field without one.
func (f form) Bare(field string) fault { return f.at(field, false) }

func (f form) at(field string, help bool) fault {
	if f.Mistake != nil && f.Mistake.Field == field {
		return fault{field, help, f.Mistake}
	}
	return fault{ID: field, Help: help}
}

// revision is the one that a form was made of.
func revision(v *visit) (int64, error) {
	n, err := strconv.ParseInt(v.PostForm.Get("revision"), 10, 64)
	if err != nil || n < 1 {
		return 0, badForm("the form does not say what it was made of", "load the page again")
	}
	return n, nil
}

// lines are the lines of a text field that are not blank.
func lines(text string) []string {
	var all []string
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			all = append(all, l)
		}
	}
	return all
}

func revisionText(n int64) string { return strconv.FormatInt(n, 10) }
