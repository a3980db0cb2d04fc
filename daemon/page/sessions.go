package page

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/daemon/subscription"
)

// sessionRow is a session of this machine, one that is bound elsewhere, or one whose record is damaged.
type sessionRow struct {
	Info    core.Info
	Bound   *store.Snapshot // nil for one on no plan of the workspace
	Plan    string          // its name, "" for a session on its own login
	Damaged string          // what is wrong with its record
}

// key is the name of the session in the store, "" for one whose record is damaged.
func (r sessionRow) key() string {
	switch {
	case r.Bound != nil:
		return r.Bound.Session
	case r.Info.Ref.ID != "":
		return r.Info.Ref.Workspace + "/" + r.Info.Ref.ID
	}
	return ""
}

// Check says whether it is one of a check of a subscription, which nobody works in.
func (r sessionRow) Check() bool { return subscription.Is(r.Info.Ref) }

type sessionList struct {
	Sessions  []sessionRow
	Paging    paging
	Elsewhere []sessionRow // bound to plans of the workspace, and not of this state directory
}

// bound are the sessions that are bound to plans of a workspace, by the names of their directories.
func (p *Page) bound(v *visit) (map[string]store.Snapshot, error) {
	all, err := p.Access.Sessions(v.Context(), v.workspace)
	by := map[string]store.Snapshot{}
	for _, s := range all {
		if i := strings.LastIndexByte(s.Session, '/'); i > 0 {
			by[manifest.Name(s.Session[:i], s.Session[i+1:])] = s
		} else {
			by[s.Session] = s
		}
	}
	return by, err
}

func (p *Page) row(v *visit, info core.Info, bound map[string]store.Snapshot) sessionRow {
	row := sessionRow{Info: info}
	if s, ok := bound[info.Name]; ok {
		row.Bound = &s
		row.Plan = p.planName(v, s.Plan)
	}
	return row
}

// planName is the name of a plan, "" for none.
func (p *Page) planName(v *visit, id string) string {
	if id == "" {
		return ""
	}
	if one, err := p.Access.Plan(v.Context(), v.workspace, id); err == nil {
		return one.Name
	}
	return id
}

func (p *Page) listSessions(w http.ResponseWriter, v *visit) error {
	bound, err := p.bound(v)
	if err != nil {
		return err
	}
	q := strings.TrimSpace(v.URL.Query().Get("q"))
	all := 0
	var found []sessionRow
	for info, err := range p.Sessions.Sessions(v.Context()) {
		if v.Context().Err() != nil {
			return v.Context().Err()
		}
		if err != nil && info.Name == "" {
			return err
		}
		row := p.row(v, info, bound)
		if err != nil {
			row.Damaged = sentence(err.Error())
		}
		all++
		delete(bound, info.Name)
		if holds(q, info.Ref.ID, info.Ref.Workspace, info.Provider, info.Cwd, info.Name) {
			found = append(found, row)
		}
	}
	slices.SortStableFunc(found, func(x, y sessionRow) int { return y.Info.Updated.Compare(x.Info.Updated) })
	b := sessionList{}
	b.Sessions, b.Paging = paged(v, all, found, url.Values{"q": {q}})
	for name, s := range bound {
		b.Elsewhere = append(b.Elsewhere, sessionRow{Info: core.Info{Name: name}, Bound: &s, Plan: p.planName(v, s.Plan)})
	}
	slices.SortFunc(b.Elsewhere, func(x, y sessionRow) int { return cmp.Compare(x.Bound.Session, y.Bound.Session) })
	p.show(w, v, "sessions", http.StatusOK, frame{Title: "Sessions", Section: "sessions"}, b)
	return nil
}

type sessionShown struct {
	sessionRow
	Trees []*twig
	// Now are the models that the session can have from its next request on, Groups those of a new session.
	Now    []choice
	Groups []group
	Agent  *agent.Agent
	// Accepted is how far the work is accepted, nil when nothing was claimed.
	Accepted *acceptance.Acceptance
	Kept     []manifest.Kept
	form
}

// Row is the session as it is listed.
func (b sessionShown) Row() sessionRow { return b.sessionRow }

// session finds a session by the name of its directory.
func (p *Page) session(v *visit) (sessionRow, error) {
	bound, err := p.bound(v)
	if err != nil {
		return sessionRow{}, err
	}
	for info, err := range p.Sessions.Sessions(v.Context()) {
		if info.Name != v.PathValue("name") {
			continue
		}
		row := p.row(v, info, bound)
		if errors.Is(err, core.ErrCorrupt) {
			row.Damaged, err = sentence(err.Error()), nil
		}
		return row, err
	}
	return sessionRow{}, problem.New(problem.SessionNotFound, "", "there is no such session").WithHint("it may have been cleaned up meanwhile")
}

func (p *Page) sessionShown(v *visit) (b sessionShown, err error) {
	if b.sessionRow, err = p.session(v); err != nil {
		return b, err
	}
	b.Trees = trees(b.Info.Tree)
	if b.Damaged != "" {
		return b, nil
	}
	h, err := p.Providers.Harness(v.Context(), b.Info.Provider)
	if err != nil {
		return b, err
	}
	if s := b.Bound; s != nil {
		if one, err := p.Access.Plan(v.Context(), v.workspace, s.Plan); err == nil {
			for _, m := range one.Models {
				b.Now = append(b.Now, choice{m.ID, m.Name, ""})
			}
		}
		if a, err := p.Access.Agent(v.Context(), v.workspace, s.Agent); err == nil {
			b.Agent = &a
		}
	}
	// What was accepted outlives the host that the session was bound by, and is not of a session of the same name before it.
	a, err := p.Access.Acceptance(v.Context(), v.workspace, b.key())
	switch {
	case errors.Is(err, problem.SessionNotFound):
	case err != nil:
		return b, err
	case a != nil && !a.Updated.Before(b.Info.Created):
		b.Accepted = a
	}
	groups, err := p.groups(v.Context(), v.workspace, h)
	for _, g := range groups {
		if b.Bound == nil || b.Bound.Plan == "" || readRoute(g.Options[0].Value).Plan != b.Bound.Plan {
			b.Groups = append(b.Groups, g)
		}
	}
	return b, err
}

func (p *Page) showSession(w http.ResponseWriter, v *visit) error {
	b, err := p.sessionShown(v)
	if err != nil {
		return err
	}
	p.show(w, v, "session", http.StatusOK, frame{Title: "Session " + cmp.Or(b.Info.Ref.ID, b.Info.Name), Section: "sessions"}, b)
	return nil
}

func (p *Page) stopSession(w http.ResponseWriter, v *visit) error {
	row, err := p.session(v)
	if err != nil {
		return err
	}
	n, err := p.Sessions.Stop(v.Context(), row.Info.Ref)
	if err != nil {
		return err
	}
	if n == 0 {
		return v.to(w, "nothing-ran", "sessions", row.Info.Name)
	}
	return v.to(w, "stopped", "sessions", row.Info.Name)
}

// acceptTurn is that the person who looks accepts a turn. It covers that turn alone.
func (p *Page) acceptTurn(w http.ResponseWriter, v *visit) error {
	row, err := p.session(v)
	if err != nil {
		return err
	}
	_, err = p.Access.Accept(v.Context(), v.workspace, row.key(), acceptance.UserAccepted, v.PostForm.Get("turn"), acceptance.Person)
	if row.Bound == nil && errors.Is(err, problem.SessionNotFound) {
		return badForm("the session is on no plan of this workspace", "its work is accepted where it was begun")
	}
	if err != nil {
		return err
	}
	return v.to(w, "accepted", "sessions", row.Info.Name)
}

func (p *Page) askCleanup(w http.ResponseWriter, v *visit) error {
	b, err := p.sessionShown(v)
	if err != nil {
		return err
	}
	p.show(w, v, "session-cleanup", http.StatusOK, frame{Title: "Clean up " + cmp.Or(b.Info.Ref.ID, b.Info.Name), Section: "sessions"}, b)
	return nil
}

// cleanup takes a session away. While its client runs that is refused: it is stopped first, by itself.
func (p *Page) cleanup(w http.ResponseWriter, v *visit) error {
	row, err := p.session(v)
	if err != nil {
		return err
	}
	o := core.CleanupOptions{Keep: core.KeepNothing}
	if v.PostForm.Get("keep") == "transcripts" {
		o.Keep = core.KeepTranscripts
	}
	var report *core.Report
	if row.Damaged != "" {
		report, err = p.Sessions.CleanupDamaged(v.Context(), row.Info.Name, o)
	} else {
		report, err = p.Sessions.Cleanup(v.Context(), row.Info.Ref, o)
	}
	if key := row.key(); err == nil && key != "" {
		// A host that was killed did not say that the session has ended, and holds the key of its revision.
		err = p.Access.EndSessionAnywhere(v.Context(), key)
	}
	if err != nil {
		return err
	}
	if len(report.Kept) > 0 {
		b := sessionShown{sessionRow: row, Kept: report.Kept}
		p.show(w, v, "session-kept", http.StatusOK, frame{Title: "Cleaned up " + cmp.Or(row.Info.Ref.ID, row.Info.Name), Section: "sessions"}, b)
		return nil
	}
	return v.to(w, "cleaned", "sessions")
}
