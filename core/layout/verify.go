package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// verify does one check. What was never placed, because what it is made from does not exist, has nothing to check.
func (t *Tree) verify(root *fsroot.Tree, roots Roots, memo *merge.Memo, c preparer.Check) error {
	rel := c.At.Path
	bad := func(detail string) error {
		return fault.New(fault.CheckFailed, "check session", c.At.String(), detail)
	}
	if t.node(rel) == nil {
		return nil
	}
	switch c.Kind {
	case preparer.CheckDir, preparer.CheckTarget:
		fi, err := resolve(root, roots, rel)
		if err != nil {
			return bad("is not there, and the client would say nothing")
		}
		if c.Kind == preparer.CheckDir && !fi.IsDir() {
			return bad("is no directory")
		}
	case preparer.CheckTOML, preparer.CheckJSON:
		data, _, err := root.ReadFile(rel, maxCopy)
		if err != nil {
			return bad("cannot be read")
		}
		tree, err := memo.Parse(preparer.Format(c.Kind), data, c.At.String())
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

// resolve says what a place leads to. A link into the session's own directory is resolved below root, since a fresh
// session has another name until it is complete.
func resolve(root *fsroot.Tree, roots Roots, rel string) (fs.FileInfo, error) {
	fi, err := root.Lstat(rel)
	if err != nil || !fsroot.IsLink(fi.Mode()) {
		return fi, err
	}
	target, err := root.Readlink(rel)
	if err != nil {
		return nil, err
	}
	if in, ok := strings.CutPrefix(target, roots.Session+string(filepath.Separator)); ok {
		return root.Lstat(filepath.ToSlash(in))
	}
	return os.Stat(target)
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
