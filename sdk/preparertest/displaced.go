package preparertest

import (
	"context"
	"fmt"
	"slices"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// displaced shows that what is taken out of a file of the user's for an endpoint, and was to be reported as coming along, is
// said to give way to one.
func displaced(ctx context.Context, p preparer.Preparer) (out []error) {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil {
		return nil // what describe answers to is another rule
	}
	r := DefaultRequest(d)
	plain, err := local.Prepare(ctx, r)
	if err != nil {
		return nil
	}
	before := edited(plain)
	for _, spoken := range protocols {
		if !d.Model.Speaks(spoken) {
			continue
		}
		r.Endpoint = endpointFor(spoken)
		r.Endpoint.KeyInFile = true
		bound, err := local.Prepare(ctx, r)
		if err != nil {
			continue
		}
		for _, in := range d.Inputs {
			for _, path := range edited(bound)[in.Name] {
				anyway := slices.ContainsFunc(before[in.Name], func(other preparer.KeyPath) bool { return slices.Equal(other, path) })
				if key := undeclared(in, path); !anyway && key != nil {
					out = append(out, fmt.Errorf("input %s: an endpoint takes the place of %s, which it carries and does not say to be displaced", in.Name, key))
				}
			}
		}
	}
	return out
}

// edited are the paths at which a layout takes something out of files that begin as inputs, or puts something else there.
func edited(l *preparer.Layout) map[string][]preparer.KeyPath {
	paths := map[string][]preparer.KeyPath{}
	for _, e := range l.Entries {
		m, _ := e.(preparer.Merge)
		for _, base := range m.Base {
			for _, edit := range m.Edits {
				if base.Kind == preparer.BaseInput && slices.Contains([]preparer.EditOp{preparer.OpSet, preparer.OpDelete, preparer.OpReplace}, edit.Op) {
					paths[base.Input] = append(paths[base.Input], edit.Path)
				}
			}
		}
	}
	return paths
}

// undeclared is what an input carries at a path and does not say to be displaced, or nil.
func undeclared(in preparer.Input, path preparer.KeyPath) preparer.KeyPath {
	for _, c := range in.Carries {
		for _, key := range c.Keys {
			hit := path.Covers(key) || len(path) == len(key) && key.Covers(path)
			said := slices.ContainsFunc(in.Displaced, func(d preparer.KeyPath) bool { return d.Covers(key) || d.Covers(path) })
			if hit && !said {
				return key
			}
		}
	}
	return nil
}
