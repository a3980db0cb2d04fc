package rules

import "github.com/greenroom-agents/greenroom/sdk/preparer"

// EachValue calls see with every value of a layout, those inside others and keys of objects included.
func EachValue(l *preparer.Layout, see func(where string, v preparer.Value)) {
	var walk func(where string, v preparer.Value)
	list := func(where string, items []preparer.Value) {
		for _, v := range items {
			walk(where, v)
		}
	}
	walk = func(where string, v preparer.Value) {
		if v == nil {
			return
		}
		see(where, v)
		switch v := v.(type) {
		case preparer.List:
			list(where, v)
		case preparer.Concat:
			list(where, v)
		case preparer.Quoted:
			walk(where, v.Value)
		case preparer.Object:
			for _, k := range sortedKeys(v) {
				see(where, preparer.S(k))
				walk(where, v[k])
			}
		}
	}
	for _, e := range l.Entries {
		where := Label(e)
		switch e := e.(type) {
		case preparer.File:
			list(where, e.Body)
		case preparer.Block:
			list(where, e.Lead)
			list(where, e.Body)
		case preparer.TypedDocument:
			walk(where, e.Root)
		case preparer.Merge:
			for _, edit := range e.Edits {
				list(where, preparer.Strings(edit.Path...))
				walk(where, edit.Value)
				list(where, edit.Items)
			}
		}
	}
	for _, op := range l.Env {
		walk("env "+op.Name, op.Value)
		list("env "+op.Name, preparer.Strings(op.Items...))
	}
	list("arguments", l.Launch.Before)
	list("arguments", l.Launch.After)
	list("first prompt", l.Launch.FirstPrompt)
}
