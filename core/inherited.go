package core

import (
	"path"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/input"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// inherited lists every item of the user's own set-up that was found, and whether it comes along.
func (a *answered) inherited() []Inherited {
	var list []Inherited
	use := useOf(a.desc, a.layout)
	for _, in := range a.desc.Inputs {
		it := a.inputs.Items[in.Name]
		for _, c := range in.Carries {
			for _, item := range it.Carried(c) {
				state := a.state(in, c, item.Name)
				switch {
				case state != LeftOut && a.endpoint != nil && use.displaced(in, item):
					state = Displaced
				case state == CameAlong && use.leavesOut(in, item):
					state = LeftOut
				}
				list = append(list, Inherited{Kind: c.Kind, Name: item.Name, Source: item.Source, State: state})
			}
		}
	}
	return list
}

// state is what the choice and the descriptor say.
func (a *answered) state(in preparer.Input, c preparer.Carry, name string) InheritState {
	k := c.Kind
	if a.inherit.Takes(k, name) || strings.HasPrefix(in.Filter, ".") && a.inherit.Takes(k, strings.TrimSuffix(name, in.Filter)) {
		if a.droppedWith(k) || a.endpoint != nil && a.desc.Inherit[k].OffEndpoint {
			return LeftOut
		}
		return CameAlong
	}
	ex, ok := a.desc.Inherit[k]
	if !ok || c.Stays || !a.inherit.None(k) && !ex.Named {
		return NotExcluded
	}
	return LeftOut
}

// unknown are the names that were chosen and that no item has, each with its kind.
func (a *answered) unknown(found []Inherited) (names []string) {
	for _, kind := range preparer.Kinds() {
		for _, name := range a.inherit[kind].Names {
			if !slices.ContainsFunc(found, func(i Inherited) bool {
				return i.Kind == kind && (i.Name == name || strings.TrimSuffix(i.Name, path.Ext(i.Name)) == name)
			}) {
				names = append(names, string(kind)+" "+name)
			}
		}
	}
	return names
}

// droppedWith says whether a kind is left out because another one is, and the client cannot tell them apart.
func (a *answered) droppedWith(k preparer.Kind) bool {
	for other, ex := range a.desc.Inherit {
		if a.inherit.None(other) && slices.Contains(ex.With, k) {
			return true
		}
	}
	return false
}

// use is what a layout makes of the inputs. An adapter can have reasons of its own to leave out what was to come along.
type use struct {
	moved  map[string]bool            // homes that the client has below the session
	placed map[string]bool            // inputs that something in the layout is made of
	expose map[string]preparer.Expose // how children of inputs are placed
	edits  map[string][]preparer.Edit // of the file that begins as an input
	shared []preparer.Location
}

func useOf(d preparer.Descriptor, l *preparer.Layout) *use {
	u := &use{moved: map[string]bool{}, placed: map[string]bool{}, expose: map[string]preparer.Expose{}, edits: map[string][]preparer.Edit{}}
	for _, h := range d.Homes {
		u.moved[h.ID] = slices.ContainsFunc(l.Env, func(op preparer.EnvOp) bool { return h.Env != "" && op.Name == h.Env && op.Op == preparer.EnvSet })
	}
	from := func(base []preparer.Base, edits ...preparer.Edit) {
		for _, b := range base {
			if b.Kind == preparer.BaseInput {
				u.placed[b.Input] = true
				u.edits[b.Input] = append(u.edits[b.Input], edits...)
			}
		}
	}
	for _, e := range l.Entries {
		switch e := e.(type) {
		case preparer.Merge:
			from(e.Base, e.Edits...)
		case preparer.Block:
			from(e.Base)
		case preparer.Copy:
			u.placed[e.Input] = true
		case preparer.Login:
			u.placed[e.Input] = true
		case preparer.Expose:
			u.placed[e.Input], u.expose[e.Input] = true, e
		case preparer.Share:
			u.shared = append(u.shared, e.From)
		}
	}
	rules.EachValue(l, func(_ string, v preparer.Value) {
		if path, ok := v.(preparer.InputPath); ok {
			u.placed[path.Input] = true
		}
	})
	return u
}

// displaced says whether a model endpoint stands in the place of an item: the adapter says so, or an edit sets something
// else there, which without an endpoint would be to mend what the user has.
func (u *use) displaced(in preparer.Input, item input.Carried) bool {
	return slices.ContainsFunc(in.Displaced, func(path preparer.KeyPath) bool { return path.Covers(item.Key) }) ||
		slices.ContainsFunc(u.edits[in.Name], func(e preparer.Edit) bool { return e.Op == preparer.OpSet && e.Path.Covers(item.Key) })
}

// leavesOut says whether the client of the session does not see an item.
func (u *use) leavesOut(in preparer.Input, item input.Carried) bool {
	if e := u.expose[in.Name]; slices.Contains(e.Except, item.Name) || e.Only != nil && !slices.Contains(e.Only, item.Name) {
		return true
	}
	at := in.At[item.Index]
	// Names that the adapter learns it can place in other ways.
	learned := in.Kind == preparer.InputNames && in.Learn == preparer.LearnValues
	if at.Base == preparer.BaseHome && u.moved[at.Home] && !u.placed[in.Name] && !learned &&
		!slices.ContainsFunc(u.shared, func(dir preparer.Location) bool { return within(dir, at) }) {
		return true
	}
	gone := false
	for _, e := range u.edits[in.Name] {
		switch e.Op {
		case preparer.OpDelete, preparer.OpReplace:
			gone = gone || e.Path.Covers(item.Key)
		case preparer.OpKeep:
			gone = gone || len(item.Key) > len(e.Path) && e.Path.Covers(item.Key) && !slices.Contains(e.Names, item.Key[len(e.Path)])
		}
	}
	return gone
}

// within says whether a location lies in a directory.
func within(dir, at preparer.Location) bool {
	return dir.Base == at.Base && dir.Home == at.Home && (dir.Path == at.Path || strings.HasPrefix(at.Path, dir.Path+"/"))
}
