package merge

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// The trees of JSON and TOML are made of *table, *list and scalars: nil, bool, string, json.Number, rawString (JSON),
// int64, float64, time.Time and the local times of go-toml (TOML).
type (
	member struct {
		key string
		val any
		at  int // offset of the key in the base; 0 for none
	}
	table struct {
		members []member
		index   map[string]int // of larger tables; nil when it has to be made
	}
	list struct{ items []any }
)

// indexAbove is the size from which on a table is searched by a map.
const indexAbove = 8

func (t *table) find(key string) int {
	if len(t.members) <= indexAbove {
		for i := range t.members {
			if t.members[i].key == key {
				return i
			}
		}
		return -1
	}
	if t.index == nil {
		t.index = make(map[string]int, len(t.members))
		for i := range t.members {
			t.index[t.members[i].key] = i
		}
	}
	if i, ok := t.index[key]; ok {
		return i
	}
	return -1
}

func (t *table) add(m member) {
	if t.index != nil {
		t.index[m.key] = len(t.members)
	}
	t.members = append(t.members, m)
}

func (t *table) set(key string, v any) {
	if i := t.find(key); i >= 0 {
		t.members[i].val = v
		return
	}
	t.add(member{key: key, val: v})
}

func (t *table) remove(i int) {
	t.members = append(t.members[:i], t.members[i+1:]...)
	t.index = nil
}

// ordered is the part of a tree that JSON and TOML share.
type ordered struct {
	label string
	base  []byte
	top   *table
	// number makes the scalar of a number of ours, so that it equals what the parser of the format makes of it.
	number func(v any) any
}

func (o *ordered) root() any { return o.top }

func (o *ordered) kind(node any) kind {
	switch node.(type) {
	case nil:
		return kindNull
	case string, rawString:
		return kindString
	case bool:
		return kindBool
	case int64, float64, json.Number:
		return kindNumber
	case *list:
		return kindList
	case *table:
		return kindTable
	}
	return kindTime
}

func (o *ordered) keys(node any) []string {
	t := node.(*table)
	keys := make([]string, len(t.members))
	for i := range t.members {
		keys[i] = t.members[i].key
	}
	return keys
}

func (o *ordered) size(node any) int { return len(node.(*list).items) }

func (o *ordered) child(node any, s step) (any, bool) {
	switch n := node.(type) {
	case *table:
		if s.list {
			return nil, false
		}
		if i := n.find(s.key); i >= 0 {
			return n.members[i].val, true
		}
	case *list:
		if s.list && s.index >= 0 && s.index < len(n.items) {
			return n.items[s.index], true
		}
	}
	return nil, false
}

func (o *ordered) text(node any) string {
	if r, ok := node.(rawString); ok {
		return r.text()
	}
	return node.(string)
}

func (o *ordered) plain(node any) any {
	switch n := node.(type) {
	case rawString:
		return n.text()
	case json.Number:
		if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
			return i
		}
		f, _ := strconv.ParseFloat(string(n), 64)
		return f
	case *list:
		out := make([]any, len(n.items))
		for i, item := range n.items {
			out[i] = o.plain(item)
		}
		return out
	case *table:
		out := make(map[string]any, len(n.members))
		for i := range n.members {
			out[n.members[i].key] = o.plain(n.members[i].val)
		}
		return out
	case time.Time:
		return n.Format(time.RFC3339Nano)
	case interface{ String() string }:
		return n.String() // the local times of go-toml
	}
	return node
}

// model is the node of a plain value.
func (o *ordered) model(v any) any {
	switch v := v.(type) {
	case []any:
		l := &list{items: make([]any, len(v))}
		for i, item := range v {
			l.items[i] = o.model(item)
		}
		return l
	case map[string]any:
		t := &table{members: make([]member, 0, len(v))}
		for _, key := range sortedKeys(v) {
			t.add(member{key: key, val: o.model(v[key])})
		}
		return t
	case int64, float64:
		return o.number(v)
	}
	return v
}

func (o *ordered) equal(node any, v any) bool { return same(node, o.model(v), false) }

func (o *ordered) put(p place, v any) {
	var at any = o.top
	for _, s := range p[:len(p)-1] {
		next, ok := o.child(at, s)
		if !ok || next == nil {
			next = &table{}
			o.assign(at, s, next)
		}
		at = next
	}
	o.assign(at, p[len(p)-1], o.model(v))
}

func (o *ordered) assign(node any, s step, v any) {
	if l, ok := node.(*list); ok {
		l.items[s.index] = v
		return
	}
	node.(*table).set(s.key, v)
}

func (o *ordered) drop(p place) {
	parent, _ := find(o, p[:len(p)-1])
	switch s := p[len(p)-1]; n := parent.(type) {
	case *table:
		n.remove(n.find(s.key))
	case *list:
		n.items = append(n.items[:s.index], n.items[s.index+1:]...)
	}
}

func (o *ordered) insert(p place, at int, vs []any) {
	node, _ := find(o, p)
	l := node.(*list)
	items := make([]any, 0, len(l.items)+len(vs))
	items = append(items, l.items[:at]...)
	for _, v := range vs {
		items = append(items, o.model(v))
	}
	l.items = append(items, l.items[at:]...)
}

// same compares two nodes; with inOrder, the order of keys counts.
func same(a, b any, inOrder bool) bool {
	switch a := a.(type) {
	case *table:
		b, ok := b.(*table)
		if !ok || len(a.members) != len(b.members) {
			return false
		}
		for i := range a.members {
			j := i
			if !inOrder {
				if j = b.find(a.members[i].key); j < 0 {
					return false
				}
			}
			if a.members[i].key != b.members[j].key || !same(a.members[i].val, b.members[j].val, inOrder) {
				return false
			}
		}
		return true
	case *list:
		b, ok := b.(*list)
		if !ok || len(a.items) != len(b.items) {
			return false
		}
		for i := range a.items {
			if !same(a.items[i], b.items[i], inOrder) {
				return false
			}
		}
		return true
	case float64:
		b, ok := b.(float64)
		return ok && (a == b && math.Signbit(a) == math.Signbit(b) || math.IsNaN(a) && math.IsNaN(b))
	case time.Time:
		b, ok := b.(time.Time)
		if !ok {
			return false
		}
		_, ao := a.Zone()
		_, bo := b.Zone()
		return a.Equal(b) && ao == bo
	}
	return a == b
}
