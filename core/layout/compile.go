package layout

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Source is what a tree is compiled from.
type Source struct {
	Descriptor preparer.Descriptor
	Layout     *preparer.Layout
	Handles    Handles
	Marker     merge.Marker
	// Memo remembers what documents came to. It may be nil.
	Memo *merge.Memo
	// Current reads a file below the session's directory as it stands, fs.ErrNotExist for none.
	Current func(rel string) ([]byte, error)
	Skills  []skill.Skill
	// Names are the names that the skills were given, by id; see [Names].
	Names map[string]string
	// Bundle puts skills into the store, or says where they would be, and answers the absolute directory and the digest.
	Bundle func(ctx context.Context, named []skill.Named) (dir, digest string, err error)
	// Catalog renders a list of skills that lie below an absolute directory, each in a directory of its name.
	Catalog func(dir string, named []skill.Named) (string, error)
	// Imports are files of the user's that the session goes on with.
	Imports []Import
	// Own is what core itself puts into the session.
	Own []Node
}

// Import is a file of the user's that stands as a link at a path of the session.
type Import struct{ At, Target string }

// compiler builds a Tree.
type compiler struct {
	Source
	tree  *Tree
	nodes map[string]int // index in tree.Nodes, by path
	// catalogs are what catalogs of skills come to, by the path that the layout names.
	catalogs map[string]string
}

// Compile resolves a checked layout into the tree of one session. It reads, through Current, the files that the client
// owns, and the user's files that inputs list; it writes nothing but, through Bundle, skills into the store.
func Compile(ctx context.Context, src Source) (*Tree, error) {
	c := &compiler{Source: src, tree: &Tree{Nodes: make([]Node, 0, len(src.Layout.Entries)+8)}, nodes: make(map[string]int, len(src.Layout.Entries)+8)}
	c.Handles.filing = true
	later := make([]preparer.PlaceSkills, 0, 1)
	for _, e := range src.Layout.Entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s, ok := e.(preparer.PlaceSkills); ok {
			later = append(later, s)
			continue
		}
		if err := c.entry(e); err != nil {
			return nil, err
		}
	}
	for _, n := range src.Own {
		if err := c.add(n); err != nil {
			return nil, err
		}
	}
	for _, i := range src.Imports {
		if err := c.addLink(Node{Path: i.At, Target: i.Target, Custody: manifest.Exposed, Through: true, Why: "conversation of the user"}); err != nil {
			return nil, err
		}
	}
	// Skills come last: they give way to what the user has.
	for _, s := range later {
		if err := c.skills(ctx, s); err != nil {
			return nil, err
		}
	}
	if err := c.finish(); err != nil {
		return nil, err
	}
	c.Handles.filing = false
	return c.tree, c.launch()
}

func (c *compiler) entry(e preparer.Entry) error {
	at := e.Place()
	switch e := e.(type) {
	case preparer.Dir:
		n := Node{Path: at.Path, Kind: manifest.Dir, Mode: 0o700}
		if e.Scratch {
			n.Custody = manifest.Scratch
		}
		return c.add(n)
	case preparer.File:
		body, secret, err := c.Handles.join(e.Body)
		if err != nil {
			return err
		}
		n := Node{Path: at.Path, Kind: manifest.File, Mode: 0o600, Data: []byte(body), Secret: secret, Why: origin(e.Body)}
		if e.Executable {
			n.Mode = 0o700
		}
		if e.Named != nil {
			return c.named(n, *e.Named)
		}
		return c.add(n)
	case preparer.TypedDocument:
		return c.document(e)
	case preparer.Merge:
		return c.merge(e)
	case preparer.Block:
		return c.block(e)
	case preparer.Link:
		return c.link(e)
	case preparer.Copy:
		it := c.Handles.Inputs.Items[e.Input]
		if it == nil || !it.Exists {
			return nil
		}
		return c.add(Node{Path: at.Path, Kind: manifest.File, Mode: 0o600, Data: it.Data, Secret: it.Input.Secret, Why: "copied from " + it.Label})
	case preparer.Expose:
		return c.expose(e)
	case preparer.Share:
		return c.share(e)
	case preparer.Login:
		return c.login(e)
	case preparer.Check:
		c.tree.Checks = append(c.tree.Checks, e)
		return nil
	}
	return refused(at.String(), "is of a kind that this host does not know")
}

func (c *compiler) add(n Node) error {
	if n.Custody == "" {
		n.Custody = manifest.Ours
	}
	if n.Login == 0 && n.Kind != manifest.Link {
		n.Login = -1
	}
	if _, taken := c.nodes[n.Path]; taken {
		return refused("session:"+n.Path, "is placed twice")
	}
	c.nodes[n.Path] = len(c.tree.Nodes)
	c.tree.Nodes = append(c.tree.Nodes, n)
	return nil
}

func (c *compiler) addLink(n Node) error {
	n.Kind, n.Login = manifest.Link, -1
	return c.add(n)
}

func (c *compiler) document(e preparer.TypedDocument) error {
	r, err := c.Handles.resolve(e.Root)
	if err != nil {
		return err
	}
	memo := c.Memo
	if r.secret {
		memo = nil
	}
	data, err := memo.Encode(e.Format, r.value.(map[string]any))
	if err != nil {
		return err
	}
	return c.add(Node{Path: e.At.Path, Kind: manifest.File, Mode: 0o600, Data: data, Secret: r.secret, Why: "made by the adapter"})
}

// base is what a file begins as. ok is false when there is nothing to begin from.
func (c *compiler) base(at preparer.Place, list []preparer.Base) (data []byte, why string, custody manifest.Custody, ok bool, err error) {
	custody = manifest.Ours
	for _, b := range list {
		if b.Kind == preparer.BaseCurrent {
			custody = manifest.Seeded
		}
	}
	for _, b := range list {
		switch b.Kind {
		case preparer.BaseCurrent:
			data, err := c.Current(at.Path)
			if err == nil {
				return data, seededWhy(custody), custody, true, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, "", "", false, err
			}
		case preparer.BaseInput:
			it := c.Handles.Inputs.Items[b.Input]
			if it == nil {
				return nil, "", "", false, refused(at.String(), "begins as an input that there is not")
			}
			if it.Exists {
				return it.Data, beginsAs(it.Label, custody), custody, true, nil
			}
		case preparer.BaseEmpty:
			return nil, seededWhy(custody), custody, true, nil
		}
	}
	return nil, "", "", false, nil
}

// secretBase says whether a file may begin as one of the user's that holds a credential.
func (c *compiler) secretBase(list []preparer.Base) bool {
	return slices.ContainsFunc(list, func(b preparer.Base) bool {
		it := c.Handles.Inputs.Items[b.Input]
		return b.Kind == preparer.BaseInput && it != nil && it.Input.Secret
	})
}

// seededWhy is the same for the first preparation and for later ones, so that they give the same record.
func seededWhy(c manifest.Custody) string {
	if c == manifest.Seeded {
		return "the client's own once it is there"
	}
	return ""
}

func beginsAs(label string, c manifest.Custody) string {
	if c == manifest.Seeded {
		return seededWhy(c)
	}
	return "begins as " + label
}

func (c *compiler) block(e preparer.Block) error {
	body, secret, err := c.Handles.join(e.Body)
	if err != nil {
		return err
	}
	if e.At.Root == preparer.RootWorkspace {
		c.tree.Blocks = append(c.tree.Blocks, manifest.Block{Path: e.At.Path, Text: body})
		return nil
	}
	base, why, custody, ok, err := c.base(e.At, e.Base)
	if err != nil || !ok {
		return err
	}
	if len(e.Lead) > 0 {
		lead, _, err := c.Handles.join(e.Lead)
		if err != nil {
			return err
		}
		base = merge.Lead(base, lead)
	}
	memo := c.Memo
	if secret = secret || c.secretBase(e.Base); secret {
		memo = nil
	}
	out, _, err := memo.InsertBlock(base, base != nil, c.Marker, body)
	if err != nil {
		return fault.Wrap(err, fault.CodeOf(err), "write block", e.At.String(), "the file it begins as has a broken managed block").
			WithHint("remove the marker lines from that file")
	}
	return c.add(Node{Path: e.At.Path, Kind: manifest.File, Mode: 0o600, Data: out, Custody: custody, Secret: secret, Why: because(why, origin(slices.Concat(e.Lead, e.Body)))})
}

// because joins two reasons.
func because(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "; ")
}

// origin names the documents that a body is built of.
func origin(body []preparer.Value) string {
	var names []string
	var walk func(preparer.Value)
	walk = func(v preparer.Value) {
		switch v := v.(type) {
		case preparer.Text:
			name := v.Document
			if v.Section != "" {
				name += "#" + v.Section
			}
			names = append(names, name)
		case preparer.Concat:
			for _, p := range v {
				walk(p)
			}
		case preparer.Quoted:
			walk(v.Value)
		}
	}
	for _, v := range body {
		walk(v)
	}
	if len(names) == 0 {
		return "made by the adapter"
	}
	return "holds " + strings.Join(names, ", ")
}

// finish adds the directories above nodes, and sorts.
func (c *compiler) finish() error {
	// The directories that are appended have all that is above them in the list too.
	for i := range c.tree.Nodes {
		p := c.tree.Nodes[i].Path
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			have, ok := c.nodes[dir]
			if ok && c.tree.Nodes[have].Kind != manifest.Dir {
				return refused("session:"+p, "lies below something that is no directory")
			}
			if ok {
				continue
			}
			c.nodes[dir] = len(c.tree.Nodes)
			c.tree.Nodes = append(c.tree.Nodes, Node{Path: dir, Kind: manifest.Dir, Mode: 0o700, Custody: manifest.Ours, Login: -1})
		}
	}
	slices.SortFunc(c.tree.Nodes, func(a, b Node) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(c.tree.Caches)
	c.tree.Caches = slices.Compact(c.tree.Caches)
	return nil
}
