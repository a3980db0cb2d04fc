package layout

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/input"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxCopy bounds one file that is copied out of a listed directory.
const maxCopy = 8 << 20

func (c *compiler) link(e preparer.Link) error {
	target, err := c.Handles.path(e.To)
	if err != nil {
		return err
	}
	n := Node{Path: e.At.Path, Target: target, Why: "leads to " + e.To.String(), Through: e.To.Root != preparer.RootSession}
	switch e.To.Root {
	case preparer.RootCache:
		n.Custody = manifest.Exposed
		n.Why = "shared cache " + e.To.Name
		dir := c.Handles.cacheDir(e.To)
		if e.To.Path != "." { // the cache itself
			dir = path.Dir(path.Join(dir, e.To.Path))
		}
		c.tree.Caches = append(c.tree.Caches, dir)
	case preparer.RootHome:
		n.Custody = manifest.Exposed
	}
	return c.addLink(n)
}

// chosen says whether a child of a listed directory is placed.
func chosen(e preparer.Expose, name string) bool {
	return !slices.Contains(e.Except, name) && (e.Only == nil || slices.Contains(e.Only, name))
}

func (c *compiler) expose(e preparer.Expose) error {
	it := c.Handles.Inputs.Items[e.Input]
	if it == nil {
		return refused(e.At.String(), "exposes an input that there is not")
	}
	for _, child := range it.Names {
		if !chosen(e, child.Name) {
			continue
		}
		n := Node{Path: path.Join(e.At.Path, child.Name), Why: "from " + it.Label}
		if !e.Copy {
			n.Target, n.Custody = child.Path, manifest.Exposed
			if err := c.addLink(n); err != nil {
				return err
			}
			continue
		}
		data, _, err := fsroot.ReadInput(child.Path, maxCopy)
		if err != nil {
			return fault.Wrap(err, fault.CodeOf(err), "read input", it.Label+"/"+child.Name, "cannot be copied").
				WithHint("make it a regular file that you can read, or move it away")
		}
		n.Kind, n.Mode, n.Data, n.Secret = manifest.File, 0o600, data, it.Input.Secret
		if err := c.add(n); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) share(e preparer.Share) error {
	if e.From.Base == preparer.BaseHome && c.Handles.nowhere(e.From.Home) {
		return nil
	}
	target, label, err := c.Handles.location(e.From)
	if err != nil {
		return err
	}
	in, err := fsroot.StatInput(target)
	there := err == nil && in.Kind == fsroot.InputDir
	if !there && !e.Make {
		return nil
	}
	if !there && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.NotRegular, "share", label, "is no directory that can be shared").WithHint("make it a directory, or move it away")
	}
	if e.Make {
		c.tree.Shares = append(c.tree.Shares, manifest.Share{Path: e.At.Path, Dir: target, Label: label})
	}
	return c.addLink(Node{Path: e.At.Path, Target: target, Custody: manifest.Exposed, Through: true, Adopt: e.Make, Why: "shared with " + label})
}

func (c *compiler) login(e preparer.Login) error {
	it := c.Handles.Inputs.Items[e.Input]
	if it == nil || !it.Input.Secret {
		return refused(e.At.String(), "is a login from an input that is not marked secret")
	}
	if !it.Exists {
		return nil
	}
	source := it.Source // behind a link of the user's lies the file that a refresh has to reach
	baseline := ""
	if !it.Missing {
		baseline = manifest.Digest(it.Data)
	}
	c.tree.Logins = append(c.tree.Logins, manifest.Login{
		Path: e.At.Path, Source: source, Label: it.Label, Baseline: baseline, JSON: e.JSON, Fresher: e.Fresher,
	})
	if e.Lock != "" {
		lock := Node{Path: path.Join(path.Dir(e.At.Path), e.Lock), Target: filepath.Join(filepath.Dir(source), e.Lock), Custody: manifest.Exposed,
			Guards: len(c.tree.Logins), Why: "lock of " + it.Label}
		if err := c.addLink(lock); err != nil {
			return err
		}
	}
	n := Node{Path: e.At.Path, Kind: manifest.Link, Target: source, Custody: manifest.Exposed, Login: len(c.tree.Logins) - 1, Why: "login of the user, " + it.Label}
	return c.add(n)
}

// Names gives the skills their names: the user's keep theirs. prior are the names that the session gave before. What ours
// says is ours, by its path, is none of the user's.
func Names(d preparer.Descriptor, l *preparer.Layout, inputs *input.Snapshot, skills []skill.Skill, prior map[string]string, ours func(path string) bool) (map[string]string, error) {
	var reserved []string
	for _, e := range l.Entries {
		s, ok := e.(preparer.PlaceSkills)
		if !ok {
			continue
		}
		for _, name := range s.Reserve {
			it := inputs.Items[name]
			if it == nil {
				return nil, refused(s.At.String(), "reserves the names of an input that there is not")
			}
			for _, child := range it.Names {
				if s.At.Root == preparer.RootWorkspace && ours(child.Path) {
					continue
				}
				reserved = append(reserved, child.Name)
				if child.Title != "" {
					reserved = append(reserved, child.Title)
				}
			}
		}
	}
	return skill.Resolve(skills, reserved, d.Skills.MaxName, prior)
}

// free is the path, or where something of the user's stands there, also by another letter case, the first free one with
// a suffix.
func (c *compiler) free(at string) string {
	taken := func(p string) bool {
		for have := range c.nodes {
			if strings.EqualFold(have, p) {
				return true
			}
		}
		return false
	}
	if !taken(at) {
		return at
	}
	p := at + "-tutti"
	for n := 2; taken(p); n++ {
		p = at + "-tutti-" + strconv.Itoa(n)
	}
	return p
}

// catalog renders the catalog of the skills of one place, when the first prompt holds it.
func (c *compiler) catalog(at preparer.Place, dir string, named []skill.Named) error {
	if c.Catalog == nil || !slices.Contains(c.Layout.Launch.FirstPrompt, preparer.Value(preparer.SkillCatalog{At: at})) {
		return nil
	}
	text, err := c.Catalog(dir, named)
	if err != nil {
		return err
	}
	if c.catalogs == nil {
		c.catalogs = map[string]string{}
	}
	c.catalogs[at.Path] = text
	return nil
}

// workspaceSkills places one link for each skill in a folder that is the user's.
func (c *compiler) workspaceSkills(e preparer.PlaceSkills, bundle string, named []skill.Named) error {
	for _, n := range named {
		c.tree.Blocks = append(c.tree.Blocks, manifest.Block{Path: path.Join(e.At.Path, n.Name), Link: filepath.Join(bundle, n.Name)})
	}
	at := filepath.Join(c.Handles.Roots.Workspace, filepath.FromSlash(e.At.Path))
	c.tree.Bundles = append(c.tree.Bundles, Bundle{Path: at})
	return c.catalog(e.At, at, named)
}

func (c *compiler) skills(ctx context.Context, e preparer.PlaceSkills) error {
	if len(c.Skills) == 0 {
		return nil
	}
	named := make([]skill.Named, 0, len(c.Skills))
	for _, s := range c.Skills {
		named = append(named, skill.Named{Name: c.Names[s.ID], Skill: s})
	}
	dir, digest, err := c.Bundle(ctx, named)
	if err != nil {
		return err
	}
	c.tree.Leases = append(c.tree.Leases, digest)
	if e.At.Root == preparer.RootWorkspace {
		return c.workspaceSkills(e, dir, named)
	}
	at := c.free(e.At.Path)
	c.tree.Bundles = append(c.tree.Bundles, Bundle{Place: at, Path: filepath.Join(c.Handles.Roots.Session, filepath.FromSlash(at))})
	if err := c.catalog(e.At, c.tree.Bundles[len(c.tree.Bundles)-1].Path, named); err != nil {
		return err
	}
	if !e.Copy {
		return c.addLink(Node{Path: at, Target: dir, Keep: e.Keep, Why: "skills"})
	}
	_, files, err := skill.Preview(named)
	if err != nil {
		return err
	}
	for rel, data := range files {
		if err := c.add(Node{Path: path.Join(at, rel), Kind: manifest.File, Mode: 0o600, Data: data, Why: "skills"}); err != nil {
			return err
		}
	}
	return nil
}
