package command

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// What a Memo remembers at most.
const (
	maxSnapshots = 16
	maxKeptList  = 512 // commands of one snapshot
)

// Memo remembers the snapshots of lists, so that a catalog that answers what it answered before is asked and compared,
// and not read anew. A nil Memo remembers nothing, and the zero value is ready. It is safe for concurrent use.
type Memo struct {
	mu    sync.Mutex
	known []remembered // the one used last is the last
}

type remembered struct {
	cli        string
	list       []frozen
	projection Projection
	snapshot   *Snapshot
}

// Resolve is the function of this name, with a memory.
func (m *Memo) Resolve(ctx context.Context, c Catalog, cli, workspace string, p Projection) (*Snapshot, error) {
	list, err := ask(ctx, c, workspace, p)
	if err != nil {
		return nil, err
	}
	if m == nil || len(list) > maxKeptList {
		return New(cli, list, p)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, r := range m.known {
		if r.cli == cli && r.projection.Equal(p) && slices.EqualFunc(r.list, list, frozen.is) {
			m.known = append(slices.Delete(m.known, i, i+1), r)
			return r.snapshot, nil
		}
	}
	s, err := New(cli, list, p)
	if err != nil {
		return nil, err
	}
	kept := make([]frozen, len(list))
	for i, c := range list {
		schema, ok := freeze(c.InputSchema)
		if !ok {
			return s, nil
		}
		c.Path, c.InputSchema = slices.Clone(c.Path), nil
		kept[i] = frozen{c, schema}
	}
	if len(m.known) >= maxSnapshots {
		m.known = slices.Delete(m.known, 0, 1)
	}
	m.known = append(m.known, remembered{cli, kept, p, s})
	return s, nil
}

// frozen is a command as it was: the catalog's own may change.
type frozen struct {
	command Command // without its schema
	schema  ice
}

func (f frozen) is(c Command) bool {
	a := &f.command
	return a.ID == c.ID && slices.Equal(a.Path, c.Path) && a.Summary == c.Summary && a.Description == c.Description &&
		a.Visibility == c.Visibility && a.JSON == c.JSON && a.Wait == c.Wait && a.AppID == c.AppID && a.AppName == c.AppName &&
		f.schema.is(c.InputSchema)
}

// ice is a value of a schema as it was. Maps lie in it as lists, since looking a key up is cheaper than going through a map.
type ice struct {
	plain any // a string, bool or number, or nil
	form  form
	keys  []string // of a map, or the texts of a list of strings
	items []ice    // of a map, in the order of its keys, or of a list
}

type form uint8

const (
	isPlain form = iota
	isNoMap      // a nil map
	isMap
	isList
	isStrings
)

// freeze copies a value where every type in it is known.
func freeze(v any) (ice, bool) {
	switch v := v.(type) {
	case nil, string, bool, int, int64, float64:
		return ice{plain: v}, true
	case []string:
		return ice{form: isStrings, keys: slices.Clone(v)}, true
	case []any:
		out := ice{form: isList, items: make([]ice, len(v))}
		for i, item := range v {
			var ok bool
			if out.items[i], ok = freeze(item); !ok {
				return ice{}, false
			}
		}
		return out, true
	case map[string]any:
		if v == nil {
			return ice{form: isNoMap}, true
		}
		out := ice{form: isMap, keys: slices.Sorted(maps.Keys(v)), items: make([]ice, len(v))}
		for i, key := range out.keys {
			var ok bool
			if out.items[i], ok = freeze(v[key]); !ok {
				return ice{}, false
			}
		}
		return out, true
	}
	return ice{}, false
}

// is compares. A value of a type that freeze does not know is the same as nothing.
func (f *ice) is(v any) bool {
	switch v := v.(type) {
	case nil, string, bool, int, int64, float64:
		return f.form == isPlain && f.plain == v
	case []string:
		return f.form == isStrings && slices.Equal(f.keys, v)
	case []any:
		if f.form != isList || len(f.items) != len(v) {
			return false
		}
		for i := range v {
			if !f.items[i].is(v[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		if v == nil {
			return f.form == isNoMap
		}
		if f.form != isMap || len(f.keys) != len(v) {
			return false
		}
		for i, key := range f.keys {
			item, ok := v[key]
			if !ok || !f.items[i].is(item) {
				return false
			}
		}
		return true
	}
	return false
}
