package merge

import (
	"path/filepath"
	"slices"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// editor carries out edits on one document.
type editor struct {
	tree    tree
	env     Env
	format  preparer.Format
	changed bool
	rekeyed bool
	moved   []string
}

func (e *editor) apply(x *Edit) error {
	if err := e.check(x); err != nil {
		return err
	}
	switch x.Op {
	case preparer.OpSet:
		return e.set(byKeys(x.Path), x.Value)
	case preparer.OpReplace:
		return e.replace(byKeys(x.Path), x.Value)
	case preparer.OpDelete:
		e.delete(expand(e.tree, x.Path))
		return nil
	case preparer.OpDeleteIfEqual:
		e.deleteIfEqual(x)
		return nil
	case preparer.OpKeep:
		return e.keep(x)
	case preparer.OpAppend:
		return e.append(x)
	case preparer.OpUpsert:
		return e.upsert(x)
	case preparer.OpRebase:
		return e.rebase(x)
	case preparer.OpRequire:
		return e.require(x)
	case preparer.OpSplice:
		return e.splice(x)
	case preparer.OpRekey:
		return e.rekey(x)
	case preparer.OpDistinct:
		return e.distinct(x)
	}
	return badEdit(e.env.Label, "no edit %q", x.Op)
}

// check refuses what is wrong with an edit whatever the base is.
func (e *editor) check(x *Edit) error {
	if len(x.Path) == 0 && x.Op != preparer.OpKeep {
		return badEdit(e.env.Label, "edit %q without a key path", x.Op)
	}
	switch x.Op {
	case preparer.OpDelete, preparer.OpKeep, preparer.OpRebase, preparer.OpRequire, preparer.OpRekey:
	default:
		if slices.Contains(x.Path, "*") {
			return badEdit(e.env.Label, "edit %q takes no wildcard, but has key %s", x.Op, x.Path)
		}
	}
	switch x.Op {
	case preparer.OpSet, preparer.OpReplace, preparer.OpUpsert:
		return checkValue(e.env.Label, e.format, x.Value, len(x.Path))
	case preparer.OpDeleteIfEqual:
		if len(x.Names) != len(x.Items) {
			return badEdit(e.env.Label, "edit %q of key %s has keys without a value, or values without a key", x.Op, x.Path)
		}
		if err := checkValue(e.env.Label, e.format, x.Items, 1); err != nil {
			return err
		}
		return checkValue(e.env.Label, e.format, x.Value, len(x.Path))
	case preparer.OpAppend:
		return checkValue(e.env.Label, e.format, x.Items, len(x.Path))
	}
	return nil
}

// wrong is the error of a place that holds something of a kind that an edit cannot work with.
func (e *editor) wrong(p place, got kind, want, hint string) error {
	return shape(e.env.Label, p, got, e.tree.line(p), want, hint)
}

// way checks that everything above a place is a table, absent or null.
func (e *editor) way(p place) error {
	n := e.tree.root()
	for i := range p[:len(p)-1] {
		c, ok := e.tree.child(n, p[i])
		if !ok {
			return nil
		}
		switch k := e.tree.kind(c); k {
		case kindNull:
			return nil
		case kindTable:
		default:
			return e.wrong(p[:i+1], k, "a table", "make it a table or remove it")
		}
		n = c
	}
	return nil
}

func (e *editor) put(p place, v any) {
	e.tree.put(p, v)
	e.changed = true
}

func (e *editor) set(p place, v any) error {
	if err := e.way(p); err != nil {
		return err
	}
	n, ok := find(e.tree, p)
	m, isTable := v.(map[string]any)
	if ok && isTable && e.tree.kind(n) == kindTable {
		for _, key := range sortedKeys(m) {
			if err := e.set(p.then(step{key: key}), m[key]); err != nil {
				return err
			}
		}
		return nil
	}
	if !ok || !e.tree.equal(n, v) {
		e.put(p, v)
	}
	return nil
}

func (e *editor) replace(p place, v any) error {
	if err := e.way(p); err != nil {
		return err
	}
	if n, ok := find(e.tree, p); !ok || !e.tree.equal(n, v) {
		e.put(p, v)
	}
	return nil
}

// delete drops places that exist, the last first, so that indexes stay right.
func (e *editor) delete(places []place) {
	for _, p := range slices.Backward(places) {
		e.tree.drop(p)
		e.changed = true
	}
}

// deleteIfEqual drops a place, and the keys of the root that go with it, when all of them are as they must be.
func (e *editor) deleteIfEqual(x *Edit) {
	places, values := []place{byKeys(x.Path)}, []any{x.Value}
	for i, key := range x.Names {
		places, values = append(places, byKeys(preparer.Key(key))), append(values, x.Items[i])
	}
	for i, p := range places {
		if n, ok := find(e.tree, p); !ok || !e.tree.equal(n, values[i]) || e.tree.commented(p) {
			return
		}
	}
	for _, p := range places {
		e.delete([]place{p})
	}
}

func (e *editor) keep(x *Edit) error {
	for _, p := range expand(e.tree, x.Path) {
		n, _ := find(e.tree, p)
		switch k := e.tree.kind(n); k {
		case kindNull:
			continue
		case kindTable:
		default:
			return e.wrong(p, k, "a table", "make it a table or remove it")
		}
		var gone []place
		for _, key := range e.tree.keys(n) {
			if !slices.Contains(x.Names, key) {
				gone = append(gone, p.then(step{key: key}))
			}
		}
		e.delete(gone)
	}
	return nil
}

// list is the list at a place, made when it is absent or null and make is set.
func (e *editor) list(p place, make bool) (any, error) {
	if err := e.way(p); err != nil {
		return nil, err
	}
	n, ok := find(e.tree, p)
	k := kindNull
	if ok {
		k = e.tree.kind(n)
	}
	switch k {
	case kindList:
		return n, nil
	case kindNull:
		if !make {
			return nil, nil
		}
		e.put(p, []any{})
		n, _ = find(e.tree, p)
		return n, nil
	}
	return nil, e.wrong(p, k, "a list", "write it as a list of entries")
}

func (e *editor) append(x *Edit) error {
	p := byKeys(x.Path)
	n, err := e.list(p, false)
	if err != nil {
		return err
	}
	size := 0
	if n != nil {
		size = e.tree.size(n)
	}
	var fresh []any
	for _, item := range x.Items {
		is := func(other any) bool { return sameItem(x.List, item, other) }
		if slices.ContainsFunc(fresh, is) {
			continue
		}
		have := false
		for i := 0; i < size && !have; i++ {
			c, _ := e.tree.child(n, step{index: i, list: true})
			have = e.tree.equal(c, item) || x.List == preparer.ListPaths && e.tree.kind(c) == kindString && is(e.tree.text(c))
		}
		if !have {
			fresh = append(fresh, item)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if _, err := e.list(p, true); err != nil {
		return err
	}
	at := size
	if x.Head {
		at = 0
	}
	e.tree.insert(p, at, fresh)
	e.changed = true
	return nil
}

// sameItem says whether two values are one element of a list.
func sameItem(k preparer.ListKind, a, b any) bool {
	as, aok := a.(string)
	bs, bok := b.(string)
	if aok && bok {
		return as == bs || k == preparer.ListPaths && as != "" && bs != "" && filepath.Clean(as) == filepath.Clean(bs)
	}
	return samePlain(a, b)
}

// distinct drops what stands in a list of strings before. A null element is nobody's.
func (e *editor) distinct(x *Edit) error {
	p := byKeys(x.Path)
	n, err := e.list(p, false)
	if n == nil || err != nil {
		return err
	}
	seen := map[string]bool{}
	var again []place
	for i := range e.tree.size(n) {
		s := step{index: i, list: true}
		c, _ := e.tree.child(n, s)
		switch k := e.tree.kind(c); k {
		case kindNull:
			continue
		case kindString:
		default:
			return e.wrong(p.then(s), k, "a string", "write it as a string")
		}
		if text := e.tree.text(c); seen[text] {
			again = append(again, p.then(s))
		} else {
			seen[text] = true
		}
	}
	e.delete(again)
	return nil
}

func (e *editor) upsert(x *Edit) error {
	p := byKeys(x.Path)
	obj, ok := x.Value.(map[string]any)
	if !ok {
		return badEdit(e.env.Label, "edit %q of key %s without an object", x.Op, x.Path)
	}
	id, ok := obj[x.Unique]
	if !ok {
		return badEdit(e.env.Label, "edit %q of key %s: the object has no key %q", x.Op, x.Path, x.Unique)
	}
	n, err := e.list(p, true)
	if err != nil {
		return err
	}
	var twins []place
	for i := range e.tree.size(n) {
		s := step{index: i, list: true}
		c, _ := e.tree.child(n, s)
		if e.tree.kind(c) != kindTable {
			continue
		}
		if have, ok := e.tree.child(c, step{key: x.Unique}); ok && e.tree.equal(have, id) {
			twins = append(twins, p.then(s))
		}
	}
	if len(twins) == 0 {
		e.tree.insert(p, e.tree.size(n), []any{obj})
		e.changed = true
		return nil
	}
	e.delete(twins[1:]) // a client might read any of them
	if c, _ := find(e.tree, twins[0]); !e.tree.equal(c, obj) {
		e.put(twins[0], obj)
	}
	return nil
}
