package core

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// prepared is the overlay of a session whose record is m.
func (w *work) prepared(m *manifest.Manifest) *Prepared {
	a := w.a
	p := &Prepared{
		Ref: a.session.Ref(), Provider: a.session.Provider, Cwd: a.session.Cwd, Dir: a.roots.Session, Generation: m.Generation,
		Executable: a.exe, Version: a.version, Args: w.tree.Before, ArgsAfter: w.tree.After,
		Transport: a.desc.Client.Transport, TransportArgs: a.desc.Client.TransportArgs,
		Env:        w.env(),
		Models:     a.source(),
		Skills:     w.skills(),
		Inherited:  a.kind.report(),
		connectors: a.session.Connectors.Clone(),
		strip:      slices.Clone(a.layout.Launch.Strip),
	}
	var why string
	p.RTK, why = w.h.layer(a)
	for _, g := range a.desc.Gates {
		if g.Stands(a.trust().Given()) {
			p.gates = append(p.gates, g.ID)
		}
	}
	// Credentials of a session that this one was started from must not reach its client.
	if a.desc.ServerVars != "" {
		p.strip = append(p.strip, a.desc.ServerVars+"*")
	}
	p.steps = w.steps(p)
	p.firstPrompt = strings.TrimSpace(strings.Join([]string{w.out.spill, w.tree.FirstPrompt}, "\n\n"))
	p.Diagnostics = slices.Concat(a.layout.Diagnostics, a.notes, w.remarks(p, why))
	return p
}

// env is the overlay: who the session is, the host's own directories on PATH, and what the layout says.
func (w *work) env() []EnvVar {
	a, cfg := w.a, &w.h.cfg
	names := canon.VarsFor(cfg.Identity.EnvPrefix)
	program := a.programEnv()
	env := append(make([]EnvVar, 0, 4+len(a.content.Env)+len(w.tree.Env)+len(cfg.Path)+len(program)+2),
		EnvVar{Name: names.Workspace, Op: preparer.EnvSet, Value: a.session.Workspace},
		EnvVar{Name: names.Session, Op: preparer.EnvSet, Value: a.session.ID},
		EnvVar{Name: names.Provider, Op: preparer.EnvSet, Value: a.session.Provider},
		EnvVar{Name: names.Cwd, Op: preparer.EnvSet, Value: a.session.Cwd},
	)
	sep := listSeparator(runtime.GOOS == "windows")
	for _, v := range a.content.Env {
		env = append(env, EnvVar{Name: v.Name, Op: preparer.EnvSet, Value: v.Value})
	}
	for _, v := range w.tree.Env {
		if v.Op == preparer.EnvPrepend {
			v.Separator = sep
		}
		env = append(env, EnvVar{Name: v.Name, Op: v.Op, Value: v.Value, Separator: v.Separator, Secret: v.Secret})
	}
	// The host's own directories come in front of what an adapter puts there, and the first of them first of all.
	for _, dir := range slices.Backward(cfg.Path) {
		env = append(env, EnvVar{Name: "PATH", Op: preparer.EnvPrepend, Value: dir, Separator: sep})
	}
	env = append(env, program...)
	return append(env, w.h.direct(a)...)
}

// skills lists the skills of ours as the session sees them.
func (w *work) skills() []SkillView {
	var views []SkillView
	for _, b := range w.tree.Bundles {
		for _, s := range w.a.content.Skills {
			name := w.names[s.ID]
			views = append(views, SkillView{ID: s.ID, Name: w.a.kind.facts.Spell(name), Path: filepath.Join(b.Path, name, "SKILL.md"), Source: s.Source})
		}
	}
	return views
}

// remarks are the diagnostics that core makes.
func (w *work) remarks(p *Prepared, rtkWhy string) []Diagnostic {
	var list []Diagnostic
	warn := func(code, text, hint string) { list = append(list, preparer.Warn(code, text, hint)) }
	for _, r := range w.a.inputs.Rejected {
		warn("input_passed_over", r.Label+": "+r.Reason, "")
	}
	for _, n := range w.tree.Nodes {
		if n.Via == fsroot.LeftOut && n.Through {
			warn("link_left_out", n.Path+leftOut, "")
		}
	}
	for _, s := range w.a.kind.skills {
		if got := w.names[s.ID]; got != s.Name {
			list = append(list, Diagnostic{Severity: preparer.Info, Code: "skill_renamed", Text: "a skill of yours is called " + s.Name + "; ours is called " + got})
		}
	}
	for _, id := range w.a.kind.refused {
		warn("command_not_approved", "command "+id+" is asked for each time: its words begin a command that this session does not have", "")
	}
	for _, i := range p.Inherited {
		if i.State == NotExcluded {
			warn("not_excludable", string(i.Kind)+" "+i.Name+" from "+i.Source+" comes along: the client gives no way to leave it out", "")
		}
	}
	for _, name := range w.a.unknown(p.Inherited) {
		warn("inherit_unknown", "nothing of yours that was found is called "+name+", so nothing of that name comes along", "look how it is listed")
	}
	if p.firstPrompt != "" {
		list = append(list, Diagnostic{Severity: preparer.Info, Code: "first_prompt",
			Text: "the instructions go with the first prompt, which the host sends; nobody does on a terminal"})
	}
	if kinds := w.a.letIn(); len(kinds) > 0 {
		list = append(list, trustNote(w.a.trust(), kinds))
	}
	if text, ok := rtkTexts[p.RTK]; ok {
		list = append(list, Diagnostic{Severity: preparer.Info, Code: "rtk", Text: text + rtkWhy})
	}
	if w.h.machineSettings(w.a.desc) {
		warn("machine_settings", "the administrator of this machine has laid down settings for the client, which can be stronger than a session",
			"see what they say before you rely on where this session asks and on what it leaves out")
	}
	switch {
	case w.a.adapter.Digest == adapter.Attached:
		warn("adapter_attached", "the adapter is a process that a debugger started, and nothing says which program it is", "attach to none when you have developed it")
	case w.a.adapter.Unsafe && w.a.session.ExtensionRuntimePrep != nil:
		warn("extension_unsigned", "the extension is signed by nobody", "sign it with `greenroom extension sign` when it is done")
	case w.a.adapter.Unsafe:
		warn("adapter_unpinned", "the adapter runs without a pinned digest", "pin it with `greenroom adapters pin`")
	}
	return list
}
