package view

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// Plans lists plans.
func (v View) Plans(all []plan.View) {
	if len(all) == 0 {
		v.Line("No plans. %s", v.Style.Dim("Add one: greenroom plans add NAME --base-url URL --model ID"))
		return
	}
	c := paint.Columns{}
	c.Row(v.Style.Dim("NAME"), v.Style.Dim("STATUS"), v.Style.Dim("SPEAKS"), v.Style.Dim("ENDPOINT"), v.Style.Dim("MODEL"), v.Style.Dim("KEY"), v.Style.Dim("ID"))
	for _, p := range all {
		c.Row(v.Style.Accent(paint.Clean(p.Name)), v.planStatus(p), string(p.Protocol), paint.Clean(host(p)), v.models(p), v.key(p), v.Style.Dim(p.ID))
	}
	v.columns(&c)
}

func host(p plan.View) string {
	if p.Template == plan.OfficialSubscription {
		return "the vendor's client"
	}
	if u, err := url.Parse(p.Base()); err == nil {
		return u.Host
	}
	return ""
}

func (v View) models(p plan.View) string {
	switch n := len(p.Models); n {
	case 0:
		return v.Style.Warn("none")
	case 1:
		return paint.Clean(p.Effective())
	default:
		return fmt.Sprintf("%s %s", paint.Clean(p.Effective()), v.Style.Dim(fmt.Sprintf("+%d", n-1)))
	}
}

func (v View) key(p plan.View) string {
	switch {
	case p.KeyUnreadable:
		return v.Style.Bad("unreadable")
	case p.HasKey:
		return "stored"
	}
	return v.Style.Dim("none")
}

func (v View) planStatus(p plan.View) string {
	switch p.Status {
	case plan.Ready:
		return v.Style.Good(string(p.Status))
	case plan.DetectionFailed:
		return v.Style.Bad(string(p.Status))
	case plan.Disabled:
		return v.Style.Dim(string(p.Status))
	}
	return v.Style.Warn(string(p.Status))
}

// Plan shows one plan.
func (v View) Plan(p plan.View, now time.Time) {
	c := paint.Columns{}
	row := func(name, value string) { c.Row(v.Style.Dim(name), value) }
	row("plan", v.Style.Accent(paint.Clean(p.Name))+" "+v.Style.Dim(p.ID))
	row("status", v.planStatus(p))
	row("speaks", string(p.Protocol))
	row("endpoint", paint.Clean(p.Base()))
	row("key", v.key(p))
	row("kind", string(p.Template)+" "+v.Style.Dim(string(p.Billing)))
	row("revision", fmt.Sprintf("%d, %s", p.Revision, Ago(now, p.Updated)))
	v.columns(&c)
	v.Title("Models")
	if len(p.Models) == 0 {
		v.Line("  none; add some with `greenroom plans edit %s --model ID`", paint.Clean(p.Name))
	}
	m := paint.Columns{Indent: "  "}
	for _, one := range p.Models {
		var facts []string
		if one.ID == p.Effective() {
			facts = append(facts, v.Style.Good("default"))
		}
		if one.ContextTokens > 0 {
			facts = append(facts, fmt.Sprintf("%d tokens", one.ContextTokens))
		}
		if one.Images {
			facts = append(facts, "sees pictures")
		}
		m.Row(paint.Clean(one.ID), strings.Join(facts, ", "))
	}
	v.columns(&m)
	if p.Detection != nil {
		v.Title("Last check, %s", Ago(now, p.Detection.Checked))
		for _, r := range p.Detection.Stages {
			v.stage(r)
		}
		v.extras(p.Detection.Extras)
	}
}

// References lists what uses a plan.
func (v View) References(refs []plan.Reference) {
	if len(refs) == 0 {
		v.Line("Nothing uses it.")
		return
	}
	kinds := map[plan.ReferenceKind]string{plan.RefAgent: "agent", plan.RefTarget: "binding", plan.RefPolicy: "policy", plan.RefSession: "session"}
	c := paint.Columns{}
	for _, r := range refs {
		name := r.Name
		if name == "" {
			name = r.ID
		}
		note := ""
		if !r.Blocks() {
			note = v.Style.Dim("does not keep it from being removed")
		}
		c.Row(kinds[r.Kind], v.Style.Accent(paint.Clean(name)), r.Role, note)
	}
	v.columns(&c)
}
