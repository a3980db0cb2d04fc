package layout

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func (c *compiler) merge(e preparer.Merge) error {
	base, why, custody, ok, err := c.base(e.At, e.Base)
	if err != nil || !ok {
		return err
	}
	edits := make([]merge.Edit, 0, len(e.Edits))
	secret := c.secretBase(e.Base)
	for _, ed := range e.Edits {
		if ed.Op == preparer.OpRekey && !bytes.Contains(base, []byte(ed.Path[len(ed.Path)-1])) {
			continue // nothing to rename, and with a path of the session in its edits no other could share the result
		}
		if ed.Op == preparer.OpRebase && c.Handles.nowhere(ed.Home) {
			continue
		}
		m, s, err := c.edit(ed)
		if err != nil {
			return err
		}
		edits, secret = append(edits, m), secret || s
		if ed.Op == preparer.OpSetFor {
			at := len(m.Path) - 1
			if file := real(m.Path[at]); file != m.Path[at] { // a client may look by either
				m.Path = append(m.Path[:at:at], file)
				edits = append(edits, m)
			}
		}
		if ed.Op != preparer.OpRekey {
			continue
		}
		if home := real(m.RebaseTo); home != m.RebaseTo {
			m.RebaseTo = home // a client may resolve the links in the path of its home
			edits = append(edits, m)
		}
	}
	memo := c.Memo
	if secret {
		memo = nil
	}
	edited := "edited"
	data, err := memo.Apply(e.Format, base, edits, merge.Env{Label: c.labelOf(e), Stat: stat, Base: c.dirOf(e), Moved: func(keys []string) {
		edited += ", made absolute: " + strings.Join(keys, " ")
	}})
	if err != nil {
		return err
	}
	return c.add(Node{Path: e.At.Path, Kind: manifest.File, Mode: 0o600, Data: data, Custody: custody, Secret: secret, Why: because(why, edited)})
}

// labelOf names the file that an edit is about, for errors: the user's when it begins as that.
func (c *compiler) labelOf(e preparer.Merge) string {
	if it := c.first(e); it != nil {
		return it.label
	}
	return e.At.String()
}

// dirOf is the directory that relative paths in the file are relative to.
func (c *compiler) dirOf(e preparer.Merge) string {
	if it := c.first(e); it != nil {
		return filepath.Dir(it.path)
	}
	return filepath.Join(c.Handles.Roots.Session, filepath.FromSlash(e.At.Join("..").Path))
}

type source struct{ label, path string }

func (c *compiler) first(e preparer.Merge) *source {
	for _, b := range e.Base {
		if it := c.Handles.Inputs.Items[b.Input]; b.Kind == preparer.BaseInput && it != nil && it.Exists {
			return &source{it.Label, it.Path}
		}
	}
	return nil
}

func (c *compiler) edit(e preparer.Edit) (merge.Edit, bool, error) {
	m := merge.Edit{Op: e.Op, Path: e.Path, Names: e.Names, List: e.List, Head: e.Head, Unique: e.Unique, Target: e.Target}
	secret := false
	if e.Value != nil {
		r, err := c.Handles.resolve(e.Value)
		if err != nil {
			return m, false, err
		}
		m.Value, secret = r.value, r.secret
	}
	for _, item := range e.Items {
		r, err := c.Handles.resolve(item)
		if err != nil {
			return m, false, err
		}
		m.Items, secret = append(m.Items, r.value), secret || r.secret
	}
	if e.Op == preparer.OpSetFor {
		file, err := c.Handles.path(e.At)
		if err != nil {
			return m, false, err
		}
		m.Op, m.Path = preparer.OpSet, append(slices.Clone(m.Path), file)
	}
	if e.Op == preparer.OpRebase || e.Op == preparer.OpRekey {
		home, ok := c.Handles.Roots.Homes[e.Home]
		if !ok {
			return m, false, refused("home:"+e.Home, "there is no such home")
		}
		m.RebaseTo = home
	}
	if to, ok := m.Value.(string); ok && e.Op == preparer.OpRekey {
		m.Value = real(to)
	}
	return m, secret, nil
}

// real is a path with the links in that part of it resolved that exists.
func real(path string) string {
	rest := ""
	for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if to, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(to, rest)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
	return path
}

func stat(path string) (isDir, isFile bool) {
	in, err := fsroot.StatInput(path)
	return err == nil && in.Kind == fsroot.InputDir, err == nil && in.Kind == fsroot.InputFile
}
