package layout

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// verify does one check. What was never placed, because what it is made from does not exist, has nothing to check.
func (t *Tree) verify(root *fsroot.Tree, roots Roots, c preparer.Check) error {
	rel := c.At.Path
	bad := func(detail string) error {
		return fault.New(fault.CheckFailed, "check session", c.At.String(), detail)
	}
	n := t.node(rel)
	switch c.Kind {
	case preparer.CheckDir:
		if fi, err := root.Lstat(rel); err != nil || !fi.IsDir() {
			return bad("is not there, and the client would say nothing")
		}
	case preparer.CheckTarget:
		if n == nil {
			return nil
		}
		target, err := root.Readlink(rel)
		if err != nil {
			return bad("is not a link")
		}
		if in, ok := strings.CutPrefix(target, roots.Session+string(filepath.Separator)); ok {
			if _, err := root.Lstat(filepath.ToSlash(in)); err != nil {
				return bad("leads nowhere")
			}
		} else if _, err := os.Stat(target); err != nil {
			return bad("leads nowhere")
		}
	case preparer.CheckTOML, preparer.CheckJSON:
		if n == nil {
			return nil
		}
		data, _, err := root.ReadFile(rel, maxCopy)
		if err != nil {
			return bad("cannot be read")
		}
		tree, err := merge.Parse(preparer.Format(c.Kind), data, c.At.String())
		if err != nil {
			return err
		}
		for _, key := range c.Keys {
			if !has(tree, key) {
				return bad("lacks " + key.String())
			}
		}
	}
	return nil
}

func has(v any, key preparer.KeyPath) bool {
	for _, k := range key {
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = m[k]; !ok {
			return false
		}
	}
	return true
}

func (t *Tree) node(rel string) *Node {
	for i := range t.Nodes {
		if t.Nodes[i].Path == rel {
			return &t.Nodes[i]
		}
	}
	return nil
}
