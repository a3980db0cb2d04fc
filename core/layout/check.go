package layout

import (
	"fmt"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The most that a layout may hold.
const (
	maxEntries = 4096
	maxEnv     = 256
	maxArgs    = 256
)

// checker looks at one layout.
type checker struct {
	d      preparer.Descriptor
	inputs map[string]preparer.Input
	homes  map[string]bool
	seen   map[string]preparer.Entry // by folded session path
	vars   map[string]bool
}

// Check holds a layout to the host's policy and to what its adapter's descriptor says. Nothing was touched when it
// refuses one.
func Check(d preparer.Descriptor, l *preparer.Layout) error {
	if l == nil {
		return refused("layout", "is missing")
	}
	c := &checker{d: d, inputs: map[string]preparer.Input{}, homes: map[string]bool{}, seen: map[string]preparer.Entry{}, vars: map[string]bool{}}
	for _, in := range d.Inputs {
		c.inputs[in.Name] = in
	}
	for _, h := range d.Homes {
		c.homes[h.ID] = true
	}
	if len(l.Entries) > maxEntries || len(l.Env) > maxEnv || len(l.Launch.Before)+len(l.Launch.After) > maxArgs {
		return refused("layout", "is too large")
	}
	for _, e := range l.Entries {
		if err := c.entry(e); err != nil {
			return err
		}
	}
	if err := c.nesting(); err != nil {
		return err
	}
	for _, op := range l.Env {
		if err := c.env(op); err != nil {
			return err
		}
	}
	return c.launch(l.Launch)
}

func (c *checker) entry(e preparer.Entry) error {
	at := e.Place()
	if err := c.placeFor(e); err != nil {
		return err
	}
	switch e := e.(type) {
	case preparer.Dir, preparer.PlaceSkills:
		if s, ok := e.(preparer.PlaceSkills); ok {
			return c.names(at, s.Reserve)
		}
		return nil
	case preparer.File:
		return c.body(at, e.Body, true)
	case preparer.TypedDocument:
		if err := c.format(at, e.Format); err != nil {
			return err
		}
		return c.value(at, e.Root, true)
	case preparer.Merge:
		return c.merge(e)
	case preparer.Block:
		if err := c.bases(at, e.Base); err != nil {
			return err
		}
		return c.prose(at, e.Body)
	case preparer.Link:
		return c.target(at, e.To)
	case preparer.Copy:
		return c.input(at, e.Input, preparer.InputFile)
	case preparer.Expose:
		return c.input(at, e.Input, preparer.InputNames)
	case preparer.Share:
		return c.location(at, e.From)
	case preparer.Login:
		if !c.inputs[e.Input].Secret {
			return refused(at.String(), "is a login from an input that is not marked secret")
		}
		return c.input(at, e.Input, preparer.InputFile)
	case preparer.Check:
		switch e.Kind {
		case preparer.CheckDir, preparer.CheckJSON, preparer.CheckTOML, preparer.CheckTarget:
			return nil
		}
	}
	return refused(at.String(), "is of a kind that this host does not know")
}

// placeFor checks where an entry stands, and that nothing else stands there.
func (c *checker) placeFor(e preparer.Entry) error {
	at := e.Place()
	if bad := badPath(at.Path); bad != "" {
		return refused(at.String(), bad)
	}
	if at.Root == preparer.RootWorkspace {
		if _, ok := e.(preparer.Block); !ok {
			return refused(at.String(), "only a managed block may stand in the workspace")
		}
		if bad := badWorkspace(at.Path); bad != "" {
			return refused(at.String(), bad)
		}
	} else if at.Root != preparer.RootSession {
		return refused(at.String(), "is no root that an entry may stand in")
	}
	if at.Name != "" || at.Keys != "" {
		return refused(at.String(), "has a name or keys that its root does not take")
	}
	switch e.(type) {
	case preparer.Check, preparer.Expose:
		return nil // a check shares the place of what it checks, and children are checked when they are known
	}
	key := string(at.Root) + ":" + strings.ToLower(at.Path)
	if _, taken := c.seen[key]; taken {
		return refused(at.String(), "is placed twice, or differs from another only by upper and lower case")
	}
	c.seen[key] = e
	return nil
}

// nesting refuses what stands below something that is no directory of ours.
func (c *checker) nesting() error {
	for key, e := range c.seen {
		root, p, _ := strings.Cut(key, ":")
		for i := strings.LastIndexByte(p, '/'); i >= 0; i = strings.LastIndexByte(p[:i], '/') {
			above, ok := c.seen[root+":"+p[:i]]
			if _, isDir := above.(preparer.Dir); ok && !isDir {
				return refused(e.Place().String(), "lies below something that is no directory")
			}
		}
	}
	return nil
}

func (c *checker) merge(e preparer.Merge) error {
	if err := c.format(e.At, e.Format); err != nil {
		return err
	}
	if err := c.bases(e.At, e.Base); err != nil {
		return err
	}
	for _, ed := range e.Edits {
		if len(ed.Path) == 0 && ed.Op != preparer.OpKeep {
			return refused(e.At.String(), "an edit has no path")
		}
		if (ed.Op == preparer.OpRebase || ed.Op == preparer.OpRekey) && !c.homes[ed.Home] {
			return refused(e.At.String(), fmt.Sprintf("there is no home %q", ed.Home))
		}
		if ed.Value != nil {
			if err := c.value(e.At, ed.Value, true); err != nil {
				return err
			}
		}
		for _, item := range ed.Items {
			if err := c.value(e.At, item, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) format(at preparer.Place, f preparer.Format) error {
	switch f {
	case preparer.JSON, preparer.JSONC, preparer.TOML, preparer.YAML:
		return nil
	}
	return refused(at.String(), fmt.Sprintf("has no format %q", f))
}

func (c *checker) bases(at preparer.Place, list []preparer.Base) error {
	if len(list) == 0 {
		return refused(at.String(), "has nothing to begin as")
	}
	for _, b := range list {
		switch b.Kind {
		case preparer.BaseCurrent, preparer.BaseEmpty:
		case preparer.BaseInput:
			if at.Root == preparer.RootWorkspace {
				return refused(at.String(), "a file of the workspace begins as it stands")
			}
			if err := c.input(at, b.Input, preparer.InputFile); err != nil {
				return err
			}
		default:
			return refused(at.String(), "begins as something that this host does not know")
		}
	}
	return nil
}

func (c *checker) input(at preparer.Place, name string, kind preparer.InputKind) error {
	in, ok := c.inputs[name]
	if !ok {
		return refused(at.String(), fmt.Sprintf("uses input %q, which the adapter did not declare", name))
	}
	if in.Kind != kind && !(in.Kind == "" && kind == preparer.InputFile) {
		return refused(at.String(), fmt.Sprintf("uses input %q as something that it is not", name))
	}
	return nil
}

func (c *checker) names(at preparer.Place, inputs []string) error {
	for _, name := range inputs {
		if err := c.input(at, name, preparer.InputNames); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) location(at preparer.Place, l preparer.Location) error {
	switch l.Base {
	case preparer.BaseHome:
		if !c.homes[l.Home] {
			return refused(at.String(), fmt.Sprintf("there is no home %q", l.Home))
		}
	case preparer.BaseUser:
	default:
		return refused(at.String(), "shares something that is no directory of the user's")
	}
	if bad := badPath(l.Path); bad != "" {
		return refused(at.String(), bad)
	}
	return nil
}

func (c *checker) target(at, to preparer.Place) error {
	if bad := badPath(to.Path); bad != "" {
		return refused(to.String(), bad)
	}
	switch to.Root {
	case preparer.RootSession:
	case preparer.RootCache:
		if bad := badSegment(to.Name); bad != "" {
			return refused(to.String(), "the name of the cache "+bad)
		}
		for _, key := range strings.Split(to.Keys, "\n") {
			name, _, _ := strings.Cut(key, "#")
			if _, ok := c.inputs[name]; to.Keys != "" && !ok {
				return refused(to.String(), fmt.Sprintf("is keyed by input %q, which the adapter did not declare", name))
			}
		}
	case preparer.RootHome:
		if !c.homes[to.Name] {
			return refused(to.String(), "there is no such home")
		}
	default:
		return refused(at.String(), "leads to a root that a link may not lead to")
	}
	return nil
}
