package view

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Reads shows what an adapter is told about the user's files. Nothing else is ever looked at.
func (v View) Reads(d preparer.Descriptor) {
	c := paint.Columns{Indent: "    "}
	for _, in := range d.Inputs {
		name, what, at := paint.Clean(in.Name), learned(in), places(in)
		for i := range max(len(what), len(at)) { // each thing and each place on a line of its own
			c.Row(name, v.Style.Dim(line(what, i)), line(at, i))
			name = ""
		}
	}
	if c.Len() == 0 {
		c.Row(v.Style.Dim("nothing of yours"))
	}
	v.columns(&c)
}

// line is a line of some, or "".
func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

func learned(in preparer.Input) []string {
	what := "whether it exists"
	switch {
	case in.Secret:
		what = "a login: exists, never its content"
	case in.Learn == preparer.LearnContent:
		what = "all of its content"
	case in.Kind == preparer.InputNames && in.Learn == preparer.LearnValues:
		what = "names"
	case in.Kind == preparer.InputNames:
		what = "whether there are any"
	case in.Learn == preparer.LearnValues:
		values := []string{"values:"}
		for _, k := range in.Values {
			values = append(values, "  "+paint.Clean(strings.Join(k, ".")))
		}
		return values
	}
	return []string{what}
}

func places(in preparer.Input) []string {
	var all []string
	for _, at := range in.At {
		all = append(all, location(at, children(in)))
	}
	return all
}

// location is a place of the user's, or the children of one that a pattern chooses.
func location(at preparer.Location, pattern string) string {
	place := map[preparer.LocationBase]string{
		preparer.BaseUser: "~/", preparer.BaseWorkspace: "./", preparer.BaseHome: at.Home + ":",
	}[at.Base] + path.Join(at.Path, pattern)
	if at.ToGitRoot {
		place += " (and up to the git root)"
	}
	return paint.Clean(place)
}

// children is the pattern of what an input lists in a directory.
func children(in preparer.Input) string {
	switch {
	case in.Kind != preparer.InputNames:
		return ""
	case in.Filter == preparer.FilterSkills:
		return "*/SKILL.md"
	case in.Filter == preparer.FilterSkillTrees || in.Filter == preparer.FilterLinkedSkillTrees:
		return "**/SKILL.md"
	case in.Filter == preparer.FilterDirs:
		return "*"
	}
	return "*" + in.Filter
}

// Looked shows what was looked at for a session.
func (v View) Looked(reads []core.InputView) {
	c := paint.Columns{Indent: "  "}
	for _, r := range reads {
		found := v.Style.Good("found")
		if !r.Exists {
			found = v.Style.Dim("absent")
		}
		learns := map[string]string{
			"exists": "that it exists", "values": "names or values in it", "content": "all of its content",
		}[r.Learns]
		c.Row(paint.Clean(r.Name), found, learns, v.Style.Dim(paint.Clean(r.Source)))
	}
	if c.Len() == 0 {
		c.Row(v.Style.Dim("nothing of yours"))
	}
	v.columns(&c)
}

// Contributed shows what capability packs bring besides skills: sections of the instructions, and variables.
func (v View) Contributed(e *core.Explanation) {
	if len(e.Sections) == 0 && len(e.Variables) == 0 {
		return
	}
	v.Title("What capability packs bring")
	c := paint.Columns{Indent: "  "}
	for _, s := range e.Sections {
		c.Row("section", paint.Clean(s.Key), paint.Clean("pack:"+s.Pack), v.Style.Dim(paint.Clean("at "+s.Anchor)))
	}
	for _, x := range e.Variables {
		c.Row("variable", paint.Clean(x.Name), paint.Clean("pack:"+x.Pack), "")
	}
	v.columns(&c)
}

// Pins shows the digests that adapters were pinned to.
func (v View) Pins(pins map[string]string, file string) {
	c := paint.Columns{Indent: "  "}
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		c.Row(paint.Clean(name), v.Style.Dim(pins[name]))
	}
	v.columns(&c)
	count := "1 adapter is"
	if len(pins) != 1 {
		count = fmt.Sprintf("%d adapters are", len(pins))
	}
	v.Line("%s %s pinned in %s", v.Style.Good("✓"), count, v.Path(file))
}

// Descriptor shows what an adapter may do.
func (v View) Descriptor(d preparer.Descriptor) {
	v.Title("Client")
	c := paint.Columns{Indent: "    "}
	row := func(name, value string) {
		if value != "" {
			c.Row(v.Style.Dim(name), paint.Clean(value))
		}
	}
	row("executable", strings.Join(d.Client.Executables, ", "))
	row("override", d.Client.Override)
	row("supported", d.Client.Supported)
	row("driven over", string(d.Client.Transport))
	for _, h := range d.Homes {
		row("home "+h.ID, strings.TrimPrefix(fmt.Sprintf("$%s, else ~/%s", h.Env, h.Default), "$, else "))
	}
	v.columns(&c)
	v.Title("Reads")
	v.Reads(d)
	v.Title("May change")
	c = paint.Columns{Indent: "    "}
	for i, line := range wrap(d.Env) {
		c.Row(v.Style.Dim([]string{"environment", ""}[min(i, 1)]), line)
	}
	for i, line := range wrap(d.Flags) {
		c.Row(v.Style.Dim([]string{"arguments", ""}[min(i, 1)]), line)
	}
	if c.Len() == 0 {
		c.Row(v.Style.Dim("nothing"))
	}
	v.columns(&c)
	if len(d.OwnState) > 0 {
		v.Title("The client itself may change of yours")
		var own []string
		for _, at := range d.OwnState {
			own = append(own, location(at, ""))
		}
		for _, line := range wrap(own) {
			v.Line("    %s", line)
		}
	}
	if len(d.MachineSettings) > 0 {
		v.Title("Settings of the machine, looked for and left alone")
		for _, line := range wrap(d.MachineSettings) {
			v.Line("    %s", line)
		}
	}
	v.Title("Can leave out of your own set-up")
	c = paint.Columns{Indent: "    "}
	for _, k := range preparer.Kinds() {
		how, ok := d.Inherit[k]
		switch {
		case !ok:
			c.Row(kindWord(k), v.Style.Warn("no"))
		case how.Named:
			c.Row(kindWord(k), "one by one")
		default:
			c.Row(kindWord(k), "all or nothing")
		}
	}
	v.columns(&c)
	v.displaced(d)
}

// displaced shows which settings have no effect in a session on a model endpoint.
func (v View) displaced(d preparer.Descriptor) {
	var keys []string
	for _, in := range d.Inputs {
		for _, k := range in.Displaced {
			if key := strings.Join(k, "."); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	if len(keys) == 0 {
		return
	}
	v.Title("Without effect on a model endpoint, which stands in its place")
	for _, line := range wrap(keys) {
		v.Line("    %s", line)
	}
}

// wrap puts words on lines of a width that terminals have.
func wrap(words []string) []string {
	const width = 90
	var lines []string
	for _, word := range words {
		word = paint.Clean(word)
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// Adapter shows one adapter: a line of what it is, and what it reads.
func (v View) Adapter(a core.AdapterInfo) {
	v.Line("%s %s", v.Style.Bold(cmp.Or(paint.Clean(a.Provider), paint.Clean(a.Path))), paint.Clean(a.Version))
	c := paint.Columns{Indent: "  "}
	row := func(name, value string) {
		if value != "" {
			c.Row(v.Style.Dim(name), value)
		}
	}
	state := paint.Clean(a.State)
	if a.Error != "" {
		state = v.Style.Bad(state)
	}
	row("state", state)
	row("binary", paint.Clean(a.Path))
	digest := paint.Clean(a.Digest)
	if a.Digest == adapter.Attached {
		digest = v.Style.Warn("none: a debugger started it")
	} else if a.Unsafe {
		digest += v.Style.Warn(" (any digest is allowed)")
	}
	row("sha256", digest)
	if a.Protocol > 0 {
		row("protocol", fmt.Sprint(a.Protocol))
	}
	row("wrong", v.Style.Bad(paint.Clean(a.Error)))
	row("hint", paint.Clean(a.Hint))
	v.columns(&c)
}
