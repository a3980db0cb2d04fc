package preparertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// given shows that what a session is given reaches the client: its instructions, its skills, its files, and its choices.
func given(ctx context.Context, p preparer.Preparer) []error {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil {
		return nil // what describe answers is another rule
	}
	var out []error
	for _, sections := range [][]string{nil, {"intro", "skills"}} {
		r := DefaultRequest(d)
		r.Instructions.Sections = sections
		l, err := local.Prepare(ctx, r)
		if err != nil {
			return nil // what it answers is another rule
		}
		out = append(out, told(d, r, l)...)
		if sections == nil {
			out = append(out, hasSkills(d, l)...)
			out = append(out, found(l)...)
		}
	}
	return append(out, chosen(ctx, local, d)...)
}

// told shows that the instructions are placed, whole or section by section.
func told(d preparer.Descriptor, r preparer.Request, l *preparer.Layout) []error {
	if len(d.Instructions) == 0 {
		return nil
	}
	placed := map[string]bool{}
	rules.EachValue(l, func(_ string, v preparer.Value) {
		if text, ok := v.(preparer.Text); ok && text.Document == r.Instructions.Name {
			placed[text.Section] = true
		}
	})
	missing := len(placed) == 0
	for _, section := range r.Instructions.Sections {
		missing = missing || !placed[section]
	}
	if missing && !placed[""] {
		return []error{errors.New("the descriptor lists channels for instructions, and a layout does not place them; use Request.Instructions.Text()")}
	}
	return nil
}

// hasSkills shows that skills are placed by a client that has a way to find them.
func hasSkills(d preparer.Descriptor, l *preparer.Layout) []error {
	if d.Skills.Kind == preparer.NoSkills {
		return nil
	}
	for _, e := range l.Entries {
		if _, ok := e.(preparer.PlaceSkills); ok {
			return nil
		}
	}
	return []error{fmt.Errorf("the descriptor says that the client finds skills by %s, and the layout of a session with some does not place them", d.Skills.Kind)}
}

// found shows that the client is led to the files of its session: something in its environment, its arguments or the
// workspace names a place there. Otherwise it would work in the user's own home.
func found(l *preparer.Layout) []error {
	var placed preparer.Entry
	for _, e := range l.Entries {
		switch at := e.Place(); at.Root {
		case preparer.RootWorkspace:
			return nil // the client reads it unasked
		case preparer.RootSession:
			placed = e
		}
	}
	led := placed == nil || len(l.Launch.Actions) > 0
	rules.EachValue(l, func(where string, v preparer.Value) {
		path, ok := v.(preparer.PathValue)
		led = led || ok && path.Place.Root == preparer.RootSession && (strings.HasPrefix(where, "env ") || strings.HasPrefix(where, "arguments"))
	})
	if led {
		return nil
	}
	return []error{fmt.Errorf("nothing in the environment or the arguments leads the client to the files of its session, such as %s; set its home variable", placed.Place())}
}

// chosen shows that it makes a difference to a layout whether a kind comes along of which the descriptor says that it can
// be left out, where something of the kind is there.
func chosen(ctx context.Context, a protocol.Adapter, d preparer.Descriptor) []error {
	var out []error
	for kind, x := range d.Inherit {
		if !brought(d, kind) {
			continue
		}
		layouts := map[preparer.Mode]string{}
		for _, mode := range []preparer.Mode{preparer.All, preparer.None} {
			r := DefaultRequest(d)
			everything(d, &r, func(f *preparer.Found) {})
			for _, i := range d.Inputs {
				r.Inputs[i.Name] = full(i)
			}
			inherit := maps.Clone(r.Options.Inherit)
			for _, with := range append([]preparer.Kind{kind}, x.With...) {
				inherit[with] = preparer.Choice{Mode: mode}
			}
			r.Options.Inherit = inherit
			layouts[mode] = answer(ctx, a, r)
		}
		if layouts[preparer.All] == layouts[preparer.None] {
			out = append(out, fmt.Errorf("the descriptor says that %s can be left out, and it makes no difference to a layout whether they come along", kind))
		}
	}
	return out
}

// brought says whether something of a kind comes along by an input, and can be left out.
func brought(d preparer.Descriptor, kind preparer.Kind) bool {
	for _, i := range d.Inputs {
		for _, c := range i.Carries {
			if c.Kind == kind && !c.Stays {
				return true
			}
		}
	}
	return false
}

// full is an input that is there, with one of everything in it.
func full(i preparer.Input) preparer.Found {
	f := preparer.Found{Exists: true}
	switch {
	case i.Learn == preparer.LearnContent:
		f.Content = []byte("x")
	case i.Learn == preparer.LearnValues && i.Kind == preparer.InputNames:
		f.Names = []string{"alpha", "beta"}
	case i.Learn == preparer.LearnValues:
		f.Values = map[string]preparer.Value{}
		for _, path := range i.Values {
			f.Values[strings.ReplaceAll(path.String(), "*", "alpha")] = preparer.S("x")
		}
	}
	return f
}
