package preparertest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// Print is a layout as text that people can review: one entry or change a line, what belongs to it indented below,
// entries sorted by place, handles by name, such as <text instructions>, <path session:codex/x> and <secret key>.
func Print(l *preparer.Layout) string {
	p := &printer{}
	entries := slices.Clone(l.Entries)
	slices.SortStableFunc(entries, func(a, b preparer.Entry) int {
		if n := strings.Compare(a.Place().String(), b.Place().String()); n != 0 {
			return n
		}
		return strings.Compare(rules.KindOf(a), rules.KindOf(b))
	})
	for _, e := range entries {
		p.entry(e)
	}
	for _, op := range l.Env {
		p.env(op)
	}
	for _, v := range l.Launch.Before {
		p.line(0, "arg %s", value(v))
	}
	for _, v := range l.Launch.After {
		p.line(0, "arg-after %s", value(v))
	}
	if len(l.Launch.FirstPrompt) > 0 {
		p.line(0, "first-prompt")
		p.body(l.Launch.FirstPrompt)
	}
	for _, a := range l.Launch.Actions {
		p.line(0, "action %s%s%s", a.Kind, placeIf(a.At), word("marker", a.Marker))
	}
	for _, name := range l.Launch.Strip {
		p.line(0, "strip %s", name)
	}
	for _, d := range l.Diagnostics {
		p.line(0, "%s %s: %s%s", d.Severity, d.Code, d.Text, word("hint:", d.Hint))
	}
	return p.String()
}

type printer struct{ strings.Builder }

func (p *printer) line(indent int, format string, args ...any) {
	p.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *printer) entry(e preparer.Entry) {
	head := rules.Label(e)
	switch e := e.(type) {
	case preparer.Dir:
		p.line(0, "%s%s", head, when("scratch", e.Scratch))
	case preparer.File:
		p.line(0, "%s%s%s", head, when("executable", e.Executable), named(e.Named))
		p.body(e.Body)
	case preparer.TypedDocument:
		p.line(0, "%s %s", head, e.Format)
		p.tree(1, "", e.Root)
	case preparer.Merge:
		p.line(0, "%s %s from %s", head, e.Format, bases(e.Base))
		for _, x := range e.Edits {
			p.edit(x)
		}
	case preparer.Block:
		p.line(0, "%s from %s", head, bases(e.Base))
		if len(e.Lead) > 0 {
			p.line(1, "first")
			p.body(e.Lead)
			p.line(1, "then")
		}
		p.body(e.Body)
	case preparer.Link:
		p.line(0, "%s -> %s", head, e.To)
	case preparer.Copy:
		p.line(0, "%s <- input %s", head, e.Input)
	case preparer.Expose:
		only := ""
		if e.Only != nil {
			only = " only [" + strings.Join(e.Only, ", ") + "]"
		}
		p.line(0, "%s <- input %s%s%s%s", head, e.Input, names("except", e.Except), only, when("copies", e.Copy))
	case preparer.Share:
		p.line(0, "%s <- %s%s", head, location(e.From), when("made", e.Make))
	case preparer.Login:
		p.line(0, "%s <- input %s%s%s", head, e.Input, when("json", e.JSON), word("fresher", e.Fresher.String())+word("lock", e.Lock))
	case preparer.PlaceSkills:
		p.line(0, "%s%s%s%s", head, names("reserve", e.Reserve), when("copies", e.Copy), when("keep", e.Keep))
	case preparer.Check:
		p.line(0, "%s %s%s", head, e.Kind, names("keys", keyTexts(e.Keys)))
	}
}

func (p *printer) edit(e preparer.Edit) {
	head := fmt.Sprintf("%s %s", strings.ReplaceAll(string(e.Op), "_", "-"), e.Path)
	switch e.Op {
	case preparer.OpKeep:
		head += names("names", e.Names)
		if len(e.Names) == 0 {
			head += " names []"
		}
	case preparer.OpDeleteIfEqual:
		head += names("together with", e.Names)
	case preparer.OpAppend:
		head += " " + string(e.List) + when("head", e.Head)
	case preparer.OpUpsert:
		head += word("by", e.Unique)
	case preparer.OpRebase, preparer.OpRekey:
		head += word("under home", e.Home)
	case preparer.OpRequire:
		head += " " + e.Target
	case preparer.OpSetFor:
		head += " " + e.At.String()
	}
	switch v := e.Value.(type) {
	case nil:
		p.line(1, "%s", head)
	case preparer.Object, preparer.List:
		p.line(1, "%s", head)
		p.tree(2, "", v)
	default:
		p.line(1, "%s = %s", head, value(v))
	}
	for _, item := range e.Items {
		p.tree(2, "- ", item)
	}
}

func (p *printer) env(op preparer.EnvOp) {
	switch op.Op {
	case preparer.EnvSet:
		p.line(0, "set %s = %s", op.Name, value(op.Value))
	case preparer.EnvSetEmpty:
		p.line(0, "set-empty %s", op.Name)
	case preparer.EnvUnset:
		p.line(0, "unset %s", op.Name)
	case preparer.EnvPrepend:
		p.line(0, "prepend %s with %s", op.Name, value(op.Value))
	case preparer.EnvAppend:
		p.line(0, "append to %s by %s: %s", op.Name, strconv.Quote(op.Separator), strings.Join(op.Items, " "))
	}
}

// body prints text as it will stand in a file, a bar in front of each line.
func (p *printer) body(parts []preparer.Value) {
	var b strings.Builder
	for _, part := range parts {
		if s, ok := part.(preparer.String); ok {
			b.WriteString(string(s))
		} else {
			b.WriteString(value(part))
		}
	}
	text := b.String()
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		p.line(1, "%s", strings.TrimRight("| "+printable(line), " "))
	}
	if !strings.HasSuffix(text, "\n") {
		p.line(1, `\ no newline at the end`)
	}
}

// printable keeps golden files plain text.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, line)
}

// tree prints nested values, one leaf a line.
func (p *printer) tree(indent int, name string, v preparer.Value) {
	switch v := v.(type) {
	case preparer.Object:
		if name != "" {
			p.line(indent, "%s{", name)
			indent++
		}
		for _, k := range sortedKeys(v) {
			p.tree(indent, strconv.Quote(k)+": ", v[k])
		}
		if name != "" {
			p.line(indent-1, "}")
		}
	case preparer.List:
		if len(v) == 0 {
			p.line(indent, "%s[]", name)
			return
		}
		p.line(indent, "%s[", name)
		for _, item := range v {
			p.tree(indent+1, "- ", item)
		}
		p.line(indent, "]")
	default:
		p.line(indent, "%s%s", name, value(v))
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// named is how a file's name is made of the path of the workspace.
func named(n *preparer.PathName) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" named %q slug %d digest %d", n.Prefix, n.Slug, n.Digest)
}
