package page

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// perPage is how many plans or agents are shown at once.
const perPage = 50

// paging is where one is in a long list.
type paging struct {
	All, Found int
	From, To   int // of those that are found, from 1
	Prev, Next string
	Q          string
}

// page cuts what is shown out of what was found.
func paged[T any](v *visit, all int, found []T, query url.Values) ([]T, paging) {
	n, err := strconv.Atoi(v.URL.Query().Get("page"))
	last := max(1, (len(found)+perPage-1)/perPage)
	if err != nil || n < 1 {
		n = 1
	}
	n = min(n, last)
	from, to := (n-1)*perPage, min(n*perPage, len(found))
	p := paging{All: all, Found: len(found), From: from + 1, To: to, Q: query.Get("q")}
	at := func(n int) string {
		query.Set("page", strconv.Itoa(n))
		return v.URL.EscapedPath() + "?" + query.Encode()
	}
	if n > 1 {
		p.Prev = at(n - 1)
	}
	if n < last {
		p.Next = at(n + 1)
	}
	return found[from:to], p
}

// holds says whether one of the texts holds what is looked for, in whatever case.
func holds(q string, texts ...string) bool {
	q = strings.ToLower(q)
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), q) })
}

type planList struct {
	Plans    []plan.View
	Paging   paging
	Standing string // the status that is looked for, "" for each
	Statuses []choice
}

func (p *Page) listPlans(w http.ResponseWriter, v *visit) error {
	all, err := p.Access.Plans(v.Context(), v.workspace)
	if err != nil {
		return err
	}
	b := planList{Standing: v.URL.Query().Get("status")}
	q := strings.TrimSpace(v.URL.Query().Get("q"))
	count := map[plan.Status]int{}
	var found []plan.View
	for _, one := range all {
		view := one.View()
		count[view.Status]++
		if (b.Standing == "" || b.Standing == string(view.Status)) && holds(q, view.Name, view.ID, host(view), view.Effective()) {
			found = append(found, view)
		}
	}
	for _, s := range []plan.Status{plan.Ready, plan.DetectionFailed, plan.Undetected, plan.Disabled} {
		b.Statuses = append(b.Statuses, choice{string(s), statuses[s].Word + " (" + strconv.Itoa(count[s]) + ")", ""})
	}
	slices.SortStableFunc(found, func(x, y plan.View) int { return cmp.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)) })
	b.Plans, b.Paging = paged(v, len(all), found, url.Values{"q": {q}, "status": {b.Standing}})
	p.show(w, v, "plans", http.StatusOK, frame{Title: "Plans", Section: "plans"}, b)
	return nil
}

type planShown struct {
	Plan       plan.View
	References []plan.Reference
	Takers     []string // clients that can use it
	Running    bool     // a check of it runs
	form
}

func (p *Page) plan(v *visit) (plan.View, error) {
	one, err := p.Access.Plan(v.Context(), v.workspace, v.PathValue("id"))
	return one.View(), err
}

func (p *Page) showPlan(w http.ResponseWriter, v *visit) error {
	b, err := p.planShown(v)
	if err != nil {
		return err
	}
	p.show(w, v, "plan", http.StatusOK, frame{Title: b.Plan.Name, Section: "plans"}, b)
	return nil
}

func (p *Page) planShown(v *visit) (b planShown, err error) {
	if b.Plan, err = p.plan(v); err != nil {
		return b, err
	}
	if b.References, err = p.Access.References(v.Context(), v.workspace, b.Plan.ID); err != nil {
		return b, err
	}
	takers, err := p.takers(v.Context())
	b.Takers, b.Running = takers[b.Plan.Protocol], p.checks.running(v.workspace, b.Plan.ID)
	b.Revision = revisionText(b.Plan.Revision)
	return b, err
}

// takers are the clients that take endpoints of each protocol.
func (p *Page) takers(ctx context.Context) (map[preparer.Protocol][]string, error) {
	all, err := p.Providers(ctx)
	by := map[preparer.Protocol][]string{}
	for _, one := range all {
		if one.Model.Protocol != preparer.NoProtocol {
			by[one.Model.Protocol] = append(by[one.Model.Protocol], one.ID)
		}
	}
	return by, err
}

func (p *Page) enablePlan(w http.ResponseWriter, v *visit) error {
	from, err := revision(v)
	if err != nil {
		return err
	}
	on := v.PostForm.Get("enabled") == "true"
	if _, err := p.Access.EnablePlan(v.Context(), v.workspace, v.PathValue("id"), from, on); err != nil {
		return err
	}
	if on {
		return v.to(w, "plan-enabled", "plans", v.PathValue("id"))
	}
	return v.to(w, "plan-disabled", "plans", v.PathValue("id"))
}

func (p *Page) duplicatePlan(w http.ResponseWriter, v *visit) error {
	one, err := p.Access.DuplicatePlan(v.Context(), v.workspace, v.PathValue("id"), "")
	if err != nil {
		return err
	}
	return v.to(w, "plan-copied", "plans", one.ID)
}

// referencesShown is how many of what uses a plan are listed.
const referencesShown = 50

// FirstReferences are those that are listed.
func (b planShown) FirstReferences() []plan.Reference {
	return b.References[:min(len(b.References), referencesShown)]
}

// MoreReferences is how many there are besides.
func (b planShown) MoreReferences() int { return len(b.References) - len(b.FirstReferences()) }

// Blocked says whether anything keeps the plan from being deleted.
func (b planShown) Blocked() bool { return slices.ContainsFunc(b.References, plan.Reference.Blocks) }

func (p *Page) askDeletePlan(w http.ResponseWriter, v *visit) error {
	return p.askDelete(w, v, http.StatusOK, nil)
}

func (p *Page) askDelete(w http.ResponseWriter, v *visit, status int, m *mistake) error {
	b, err := p.planShown(v)
	if err != nil {
		return err
	}
	b.Mistake = m
	p.show(w, v, "plan-delete", status, frame{Title: "Delete " + b.Plan.Name, Section: "plans"}, b)
	return nil
}

func (p *Page) deletePlan(w http.ResponseWriter, v *visit) error {
	from, err := revision(v)
	if err != nil {
		return err
	}
	err = p.Access.DeletePlan(v.Context(), v.workspace, v.PathValue("id"), from)
	switch {
	case errors.As(err, new(*store.Referenced)):
		return p.askDelete(w, v, http.StatusConflict, &mistake{What: "The plan is used, and was not deleted.", Hint: "Give what uses it another plan first."})
	case errors.Is(err, problem.PlanConflict):
		return p.askDelete(w, v, http.StatusPreconditionFailed, &mistake{What: "Somebody changed the plan meanwhile, and it was not deleted.", Hint: "This is what it is now."})
	case err != nil:
		return err
	}
	return v.to(w, "plan-deleted", "plans")
}

// used is something that uses a plan, as it is shown.
type used struct {
	Kind, Name, As string
	Path           []string // of the page about it, nil when there is none
	Blocks         bool
}

func reference(r plan.Reference) used {
	u := used{Name: cmp.Or(r.Name, r.ID), Blocks: r.Blocks()}
	switch r.Kind {
	case plan.RefAgent:
		u.Kind, u.Path, u.As = "Agent", []string{"agents", r.ID}, "as its plan"
		if r.Role == "fallback" {
			u.As = "as a stand-in"
		}
	case plan.RefSession:
		u.Kind, u.As = "Session", "runs on it now"
		if i := strings.LastIndexByte(r.ID, '/'); i > 0 {
			u.Name, u.Path = r.ID[i+1:], []string{"sessions", manifest.Name(r.ID[:i], r.ID[i+1:])}
		}
	case plan.RefTarget:
		u.Kind = "Binding of an earlier installation"
	case plan.RefPolicy:
		u.Kind = "Policy of an earlier installation"
	}
	return u
}
