package view

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Facts shows what a session is: its names, directories and client.
func (v View) Facts(p *core.Prepared) {
	c := paint.Columns{Indent: "  "}
	row := func(name, value string) { c.Row(v.Style.Dim(name), value) }
	row("session", v.Style.Accent(paint.Clean(p.Ref.ID)))
	row("workspace", paint.Clean(p.Ref.Workspace))
	row("works in", v.Path(p.Cwd))
	row("kept in", v.Path(p.Dir))
	switch {
	case p.Executable == "":
		row("client", v.Style.Warn("not found"))
	default:
		row("client", strings.TrimSpace(v.Path(p.Executable)+" "+v.Style.Dim(paint.Clean(p.Version))))
	}
	switch m := p.Models; {
	case m.Source == core.FromEndpoint:
		row("models", paint.Clean(m.Default)+" "+v.Style.Dim("of "+paint.Clean(m.Name)))
	case m.NotUsed != "":
		row("models", v.Style.Warn("your own login")+" "+v.Style.Dim(m.NotUsed.Error()))
	}
	v.columns(&c)
}

// Overlay shows what is changed in the environment and the arguments that the client is started with.
func (v View) Overlay(p *core.Prepared) {
	v.Title("Environment")
	c := paint.Columns{Indent: "  "}
	for _, e := range slices.SortedFunc(slices.Values(p.Env), func(a, b core.EnvVar) int { return cmp.Compare(a.Name, b.Name) }) {
		c.Row(v.Style.Dim(envWord(e.Op)), paint.Clean(e.Name), v.envValue(e))
	}
	if c.Len() == 0 {
		c.Row(v.Style.Dim("nothing is changed"))
	}
	v.columns(&c)
	if len(p.Args)+len(p.ArgsAfter) == 0 {
		return
	}
	v.Title("Arguments")
	for _, line := range argLines(p.Args) {
		v.Line("  %s", v.shorten(line))
	}
	if len(p.ArgsAfter) > 0 {
		v.Line("  %s", v.Style.Dim("then yours, then"))
		for _, line := range argLines(p.ArgsAfter) {
			v.Line("  %s", v.shorten(line))
		}
	}
}

func envWord(op preparer.EnvKind) string {
	switch op {
	case preparer.EnvSet:
		return "set"
	case preparer.EnvSetEmpty:
		return "empty"
	case preparer.EnvUnset:
		return "unset"
	case preparer.EnvPrepend:
		return "prepend"
	case preparer.EnvAppend:
		return "append"
	}
	return paint.Clean(string(op))
}

func (v View) envValue(e core.EnvVar) string {
	if e.Secret {
		return v.Style.Warn("••••••••") + v.Style.Dim(" secret")
	}
	return v.shorten(e.Value)
}

// argLines puts each flag and its value on one line.
func argLines(args []string) []string {
	var lines []string
	for _, arg := range args {
		if n := len(lines); n > 0 && !strings.HasPrefix(arg, "-") && strings.HasPrefix(lines[n-1], "-") &&
			!strings.ContainsAny(lines[n-1], " =") {
			lines[n-1] += " " + arg
			continue
		}
		lines = append(lines, arg)
	}
	return lines
}

// Skills shows the skills of ours as the session sees them.
func (v View) Skills(p *core.Prepared) {
	if len(p.Skills) == 0 {
		return
	}
	v.Title("Skills we bring")
	c := paint.Columns{Indent: "  "}
	for _, s := range p.Skills {
		c.Row(paint.Clean(s.Name), paint.Clean(s.Source), v.Style.Dim(v.place(p, s.Path)))
	}
	v.columns(&c)
}

// place is a path by its place in the session where it lies there, in the form that trees and messages have.
func (v View) place(p *core.Prepared, path string) string {
	if rest, ok := strings.CutPrefix(path, p.Dir+string(filepath.Separator)); ok && p.Dir != "" {
		return paint.Clean("session:" + filepath.ToSlash(rest))
	}
	return v.Path(path)
}

// Inherited shows each item of the user's own set-up, and whether it came along.
func (v View) Inherited(items []core.Inherited) {
	v.Title("Your own set-up")
	c := paint.Columns{Indent: "  "}
	for _, i := range items {
		mark, word := v.Style.Good("✓"), "comes along"
		switch i.State {
		case core.LeftOut:
			mark, word = v.Style.Dim("–"), "left out"
		case core.NotExcluded:
			mark, word = v.Style.Warn("!"), "cannot be left out"
		case core.Displaced:
			mark, word = v.Style.Dim("–"), "the model endpoint stands in its place"
		}
		c.Row(mark, kindWord(i.Kind), paint.Clean(i.Name), word, v.Style.Dim(paint.Clean(i.Source)))
	}
	if c.Len() == 0 {
		c.Row(v.Style.Dim("nothing of yours was found"))
	}
	v.columns(&c)
}

func kindWord(k preparer.Kind) string { return paint.Clean(strings.ReplaceAll(string(k), "_", " ")) }

// Diagnostics shows what a person should know about a session; without any it shows nothing.
func (v View) Diagnostics(all []core.Diagnostic) {
	if len(all) == 0 {
		return
	}
	v.Title("Good to know")
	for _, d := range all {
		mark := v.Style.Accent("·")
		if d.Severity == preparer.Warning {
			mark = v.Style.Warn("!")
		}
		v.Line("  %s %s %s", mark, paint.Clean(d.Text), v.Style.Dim("("+paint.Clean(d.Code)+")"))
		if d.Hint != "" {
			v.Line("    %s", v.Style.Dim("hint: "+paint.Clean(d.Hint)))
		}
	}
}
