package layout

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/merge"
)

// Changes is what has to be done so that a session's directory looks like a tree.
type Changes struct {
	tree   *Tree
	write  []int            // indexes of nodes
	remove []manifest.Entry // of an earlier preparation, children first
	fresh  bool
	// Displaced lists places where a client put a file of its own over a link of ours. It is moved aside.
	Displaced []string
	// Rewritten lists files and links of ours that were changed since they were written, and that are made anew.
	Rewritten []string
}

// Any says whether anything has to be done.
func (c *Changes) Any() bool { return len(c.write) > 0 || len(c.remove) > 0 }

// Everything is the changes for a directory that is empty.
func (t *Tree) Everything() *Changes {
	c := &Changes{tree: t, fresh: true, write: make([]int, len(t.Nodes))}
	for i := range t.Nodes {
		c.write[i] = i
	}
	return c
}

// Compare says what differs between the tree and a session's directory, byte by byte. Logins have to be settled
// before. prev is what an earlier preparation wrote.
func (t *Tree) Compare(root *fsroot.Tree, prev []manifest.Entry) (*Changes, error) {
	c := &Changes{tree: t}
	byPath := func(e manifest.Entry, path string) int { return strings.Compare(e.Path, path) }
	if ordered := func(a, b manifest.Entry) int { return strings.Compare(a.Path, b.Path) }; !slices.IsSortedFunc(prev, ordered) {
		prev = slices.SortedFunc(slices.Values(prev), ordered) // a record of somebody else's
	}
	wanted := make([]bool, len(prev))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		var old manifest.Entry
		if k, had := slices.BinarySearchFunc(prev, n.Path, byPath); had {
			old, wanted[k] = prev[k], true
		}
		same, err := c.same(root, n, old, t.peopled(i))
		if err != nil {
			return nil, err
		}
		if !same {
			c.write = append(c.write, i)
		}
	}
	for i := len(prev) - 1; i >= 0; i-- {
		if !wanted[i] {
			c.remove = append(c.remove, prev[i])
		}
	}
	return c, nil
}

// peopled says whether the tree has anything in a node. What lies below a path stands, in their order, among those that begin
// with it.
func (t *Tree) peopled(i int) bool {
	dir := t.Nodes[i].Path
	for _, n := range t.Nodes[i+1:] {
		if !strings.HasPrefix(n.Path, dir) {
			return false
		}
		if n.Path[len(dir)] == '/' {
			return true
		}
	}
	return false
}

// same says whether a node stands on the disk as it should. A directory in which others will be looked at is opened for them;
// one that is the client's alone is looked at and left closed.
func (c *Changes) same(root *fsroot.Tree, n *Node, old manifest.Entry, peopled bool) (bool, error) {
	look := root.Lstat
	if peopled {
		look = root.Enter
	}
	fi, err := look(n.Path)
	if nowhere(err) {
		c.noteRelink(n, old)
		if n.Via = old.Via; n.Via == fsroot.LeftOut && missing(n.Target) {
			return true, nil
		}
		return n.Guards > 0 && c.tree.Logins[n.Guards-1].Copy, nil
	}
	if err != nil {
		return false, err
	}
	switch n.Kind {
	case manifest.Dir:
		return fi.IsDir() && fi.Mode().Perm() == n.Mode, nil
	case manifest.Link:
		n.Via = old.Via
		if !fsroot.IsLink(fi.Mode()) {
			if n.Login < 0 && (root.Leads(n.Path, n.Target) || n.Via == fsroot.LeftOut && missing(n.Target)) {
				return true, nil
			}
			if n.Login >= 0 && c.tree.Logins[n.Login].Copy {
				return fi.Mode().IsRegular() && fi.Mode().Perm() == 0o600, nil
			}
			// A login that is there still was never exposed: the client made it, before the user had one.
			if n.Custody == manifest.Exposed && !n.Adopt && (n.Login >= 0 || old.Path != "") {
				c.Displaced = append(c.Displaced, n.Path)
			}
			c.noteRelink(n, old)
			return false, nil
		}
		target, err := root.Readlink(n.Path)
		same := err == nil && (target == n.Target || n.Keep)
		if err == nil && !same {
			c.noteRelink(n, old)
		}
		return same, err
	}
	if !fi.Mode().IsRegular() || fi.Size() != int64(len(n.Data)) || fi.Mode().Perm() != n.Mode {
		c.noteRewrite(n, old, fi.Mode().IsRegular())
		return false, nil
	}
	same, err := root.Holds(n.Path, fi, n.Data)
	if err == nil && !same {
		c.noteRewrite(n, old, true)
	}
	return same, err
}

// nowhere says that there is no such place: nothing stands there, or above it something that is no directory, such as a
// link that the client put there, and that gives way to the directory.
func nowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fault.LinkRefused) || errors.Is(err, fault.NotRegular)
}

// noteRewrite remembers a file that somebody else changed: it is of ours, and what we want there is what we wrote.
func (c *Changes) noteRewrite(n *Node, old manifest.Entry, regular bool) {
	if regular && n.Custody == manifest.Ours && old.Digest != "" && old.Digest == manifest.Digest(n.Data) {
		c.Rewritten = append(c.Rewritten, n.Path)
	}
}

// noteRelink remembers a link of ours that was there, leads to where it led, and was taken away or replaced.
func (c *Changes) noteRelink(n *Node, old manifest.Entry) {
	if n.Kind == manifest.Link && n.Custody == manifest.Ours && old.Kind == manifest.Link && old.Target == n.Target && old.Via != fsroot.LeftOut && !n.Keep {
		c.Rewritten = append(c.Rewritten, n.Path)
	}
}

// Apply carries the changes out: first what has to go, so that it is not in the way, then the tree from the top down.
func (c *Changes) Apply(root *fsroot.Tree) error {
	for _, rel := range c.Displaced {
		if err := displace(root, rel); err != nil {
			return err
		}
	}
	for _, e := range c.remove {
		if err := c.drop(root, e); err != nil {
			return err
		}
	}
	for _, i := range c.write {
		if err := c.put(root, &c.tree.Nodes[i]); err != nil {
			return err
		}
	}
	return nil
}

// displace moves what a client put in the place of a link of ours aside: it may be of worth.
func displace(root *fsroot.Tree, rel string) error {
	to := rel + ".displaced"
	if _, err := root.Lstat(to); err == nil {
		if err := root.RemoveAll(to); err != nil {
			return err
		}
	}
	return root.Rename(rel, to)
}

// drop removes an entry that is no longer wanted, when it still is of the kind that was written. A directory goes when
// it is empty, or when what is in it is ours.
func (c *Changes) drop(root *fsroot.Tree, e manifest.Entry) error {
	fi, err := root.Lstat(e.Path)
	if nowhere(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if kindOf(fi) != e.Kind && !(e.Kind == manifest.Link && root.Leads(e.Path, e.Target)) || e.Custody == manifest.Seeded {
		return nil
	}
	if e.Custody == manifest.Scratch {
		return root.RemoveAll(e.Path)
	}
	err = root.Remove(e.Path)
	if e.Kind == manifest.Dir {
		return nil // what the client put there keeps it
	}
	return err
}

func kindOf(fi fs.FileInfo) manifest.Kind {
	switch {
	case fi.IsDir():
		return manifest.Dir
	case fsroot.IsLink(fi.Mode()):
		return manifest.Link
	case fi.Mode().IsRegular():
		return manifest.File
	}
	return ""
}

func (c *Changes) put(root *fsroot.Tree, n *Node) error {
	if !c.fresh {
		if err := c.clear(root, n); err != nil {
			return err
		}
	}
	switch n.Kind {
	case manifest.Dir:
		err := root.Mkdir(n.Path, n.Mode)
		if errors.Is(err, fs.ErrExist) && !c.fresh {
			return root.Chmod(n.Path, n.Mode)
		}
		return err
	case manifest.Link:
		return c.link(root, n)
	}
	return root.WriteFile(n.Path, n.Data, fsroot.WriteOptions{Mode: n.Mode, Fresh: c.fresh})
}

// link makes a link. A login is never another name of the user's file: a client that replaces its own would leave two.
func (c *Changes) link(root *fsroot.Tree, n *Node) (err error) {
	if n.Login < 0 {
		n.Via, err = root.Link(n.Target, n.Path)
		if errors.Is(err, fsroot.ErrNoLinks) && (n.Guards > 0 || n.Through && missing(n.Target)) {
			n.Via = fsroot.LeftOut // until there is something
			return nil
		}
		return err
	}
	err = root.Symlink(n.Target, n.Path)
	if errors.Is(err, fsroot.ErrNoLinks) {
		return c.copyLogin(root, n)
	}
	c.tree.Logins[n.Login].Copy = false
	return err
}

// missing says that a link would lead to nothing.
func missing(target string) bool {
	_, err := fsroot.StatInput(target)
	return errors.Is(err, fs.ErrNotExist)
}

// clear makes room for a node where something of another kind stands: below the session's directory it is ours to
// remove.
func (c *Changes) clear(root *fsroot.Tree, n *Node) error {
	fi, err := root.Lstat(n.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if have := kindOf(fi); have == n.Kind || have != manifest.Dir && n.Kind != manifest.Dir {
		return nil // replaced by a rename
	}
	return root.RemoveAll(n.Path)
}

// copyLogin puts a private copy of a login where links cannot be made. It is brought back like a file that took the
// place of a link.
func (c *Changes) copyLogin(root *fsroot.Tree, n *Node) error {
	l := &c.tree.Logins[n.Login]
	data, _, err := fsroot.ReadInput(l.Source, maxCopy)
	if err != nil {
		return fault.Wrap(err, fault.Unreadable, "copy login", l.Label, "cannot be read")
	}
	l.Copy, l.Baseline = true, manifest.Digest(data)
	return root.WriteFile(n.Path, data, fsroot.WriteOptions{Mode: 0o600, Fresh: c.fresh})
}

// Entries is the tree as the manifest records it.
func (t *Tree) Entries() []manifest.Entry {
	list := make([]manifest.Entry, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		e := manifest.Entry{Path: n.Path, Kind: n.Kind, Custody: n.Custody, Target: n.Target, Via: n.Via, Why: n.Why}
		if n.Kind == manifest.File && !n.Secret && n.Custody == manifest.Ours {
			e.Digest = manifest.Digest(n.Data)
		}
		list[i] = e
	}
	return list
}

// Verify does the checks of the layout: what the client would ignore when it is malformed or missing. The memo may be
// nil.
func (t *Tree) Verify(root *fsroot.Tree, roots Roots, memo *merge.Memo) error {
	for _, c := range t.Checks {
		if err := t.verify(root, roots, memo, c); err != nil {
			return err
		}
	}
	return nil
}
