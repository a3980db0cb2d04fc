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
	list       []Command // a copy: the catalog's own may change
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
		if r.cli == cli && r.projection.Equal(p) && slices.EqualFunc(r.list, list, sameCommand) {
			m.known = append(slices.Delete(m.known, i, i+1), r)
			return r.snapshot, nil
		}
	}
	s, err := New(cli, list, p)
	if err != nil {
		return nil, err
	}
	kept := make([]Command, len(list))
	for i, c := range list {
		schema, ok := copied(c.InputSchema)
		if !ok {
			return s, nil
		}
		c.Path, c.InputSchema = slices.Clone(c.Path), schema.(map[string]any)
		kept[i] = c
	}
	if len(m.known) >= maxSnapshots {
		m.known = slices.Delete(m.known, 0, 1)
	}
	m.known = append(m.known, remembered{cli, kept, p, s})
	return s, nil
}

func sameCommand(a, b Command) bool {
	return a.ID == b.ID && slices.Equal(a.Path, b.Path) && a.Summary == b.Summary && a.Description == b.Description &&
		a.Visibility == b.Visibility && a.JSON == b.JSON && a.Wait == b.Wait && a.AppID == b.AppID && a.AppName == b.AppName &&
		same(a.InputSchema, b.InputSchema)
}

// same compares values of a schema. Values of other types than those that copied knows are the same as nothing.
func same(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string, bool, int, int64, float64:
		return a == b
	case []string:
		b, ok := b.([]string)
		return ok && slices.Equal(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && (a == nil) == (b == nil) && maps.EqualFunc(a, b, same)
	}
	return false
}

// copied is a deep copy of a value of a schema, where every type in it is known.
func copied(v any) (any, bool) {
	switch v := v.(type) {
	case nil, string, bool, int, int64, float64:
		return v, true
	case []string:
		return slices.Clone(v), true
	case []any:
		if v == nil {
			return v, true
		}
		out := make([]any, len(v))
		for i, item := range v {
			var ok bool
			if out[i], ok = copied(item); !ok {
				return nil, false
			}
		}
		return out, true
	case map[string]any:
		if v == nil {
			return v, true
		}
		out := make(map[string]any, len(v))
		for key, item := range v {
			var ok bool
			if out[key], ok = copied(item); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return nil, false
}
