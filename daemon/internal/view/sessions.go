package view

import (
	"cmp"
	"fmt"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/subscription"
)

// Sessions lists sessions.
func (v View) Sessions(all []core.Info, now time.Time) {
	if len(all) == 0 {
		v.Line("No sessions. %s", v.Style.Dim("Prepare one: greenroom prepare PROVIDER"))
		return
	}
	c := paint.Columns{}
	c.Row(v.Style.Dim("SESSION"), v.Style.Dim("PROVIDER"), v.Style.Dim("STATE"), v.Style.Dim("PREPARED"), v.Style.Dim("WORKSPACE"), v.Style.Dim("WORKS IN"))
	for _, i := range all {
		where := v.Path(i.Cwd)
		if subscription.Is(i.Ref) {
			where = v.Style.Dim("a check of a subscription")
		}
		c.Row(v.Style.Accent(paint.Clean(i.Ref.ID)), paint.Clean(i.Provider), v.state(i), Ago(now, i.Updated),
			paint.Clean(i.Ref.Workspace), where)
	}
	v.columns(&c)
}

// Session shows one session with its tree.
func (v View) Session(i core.Info, now time.Time) {
	c := paint.Columns{}
	row := func(name, value string) { c.Row(v.Style.Dim(name), value) }
	row("session", v.Style.Accent(paint.Clean(i.Ref.ID)))
	row("workspace", paint.Clean(i.Ref.Workspace))
	row("provider", paint.Clean(i.Provider))
	row("state", v.state(i))
	row("prepared", Ago(now, i.Updated)+renewed(i.Generation))
	row("works in", v.Path(i.Cwd))
	row("kept in", v.Path(i.Dir))
	v.columns(&c)
	v.Title("What is there")
	v.Tree(i.Tree)
}

func (v View) state(i core.Info) string {
	if i.Running {
		return v.Style.Good("running")
	}
	state := paint.Clean(string(i.State))
	switch state {
	case "ready":
		return state
	case "damaged":
		return v.Style.Bad(state)
	}
	return v.Style.Warn(state)
}

// renewed says how often preparing again has changed something.
func renewed(generation int) string {
	switch {
	case generation < 2:
		return ""
	case generation == 2:
		return ", renewed once"
	}
	return fmt.Sprintf(", renewed %d times", generation-1)
}

// Ago says how long ago something was.
func Ago(now, then time.Time) string {
	if then.IsZero() {
		return "unknown"
	}
	d := now.Sub(then)
	switch {
	case d < time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// Removed says what is gone of a session.
func (v View) Removed(ref core.Ref, r *core.Report) string {
	what := "is gone"
	if len(r.Kept) > 0 {
		what = "is gone but for what is kept"
	}
	return fmt.Sprintf("session %s %s", v.Style.Accent(paint.Clean(ref.ID)), what)
}

// Report shows what a clean-up ended, and what it left, and why.
func (v View) Report(r *core.Report) {
	if len(r.Ended) > 0 {
		v.Line("  %s %s", v.Style.Warn("ended"), v.Style.Dim("what was left running"))
	}
	for _, k := range r.Kept {
		v.Line("  %s %s %s", v.Style.Warn("kept"), paint.Clean(k.Place), v.Style.Dim(paint.Clean(k.Reason)))
	}
}

// Recovered shows what was put in order.
func (v View) Recovered(r *core.Report) {
	for _, one := range r.Recovered {
		v.Line("  %s", paint.Clean(fmt.Sprintf("%s was %s, and is %s", one.Name, cmp.Or(string(one.From), "half made"), cmp.Or(string(one.State), "gone"))))
	}
	for _, name := range r.Busy {
		v.Line("  %s", v.Style.Warn(paint.Clean(name)+" is being worked on"))
	}
	v.Report(r)
	switch {
	case len(r.Busy) > 0:
		v.Line("%s the others are in order", v.Style.Good("✓"))
	case len(r.Recovered) > 0:
		v.Line("%s all sessions are in order again", v.Style.Good("✓"))
	default:
		v.Line("%s all sessions are in order", v.Style.Good("✓"))
	}
}
