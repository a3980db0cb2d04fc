package rules

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// The most that a layout may hold.
const (
	maxEntries = 4096
	maxEnv     = 256
	maxArgs    = 256
)

// CheckLayout holds a layout to the rules and to the descriptor of its adapter. Every error is a *[Finding]; none means
// that the layout keeps all rules.
func CheckLayout(d preparer.Descriptor, l *preparer.Layout) []error {
	c := &checker{desc: d, layout: l}
	if _, err := protocol.EncodeLayout(l); err != nil {
		c.add(Shape, "layout", "%v", err) // it may refer to itself: go no further
		return c.all
	}
	if args := len(l.Launch.Before) + len(l.Launch.After); len(l.Entries) > maxEntries || len(l.Env) > maxEnv || args > maxArgs {
		c.add(Shape, "layout", "it has more than %d entries, %d variables or %d arguments", maxEntries, maxEnv, maxArgs)
	}
	c.tree()
	for _, e := range l.Entries {
		c.entry(e)
	}
	c.environment()
	c.launch()
	for _, n := range l.Diagnostics {
		where := "diagnostic " + n.Code
		if !codeForm.MatchString(n.Code) {
			c.add(Shape, where, "the code is not of the form provider.what")
		}
		if n.Text == "" || n.Severity == "" {
			c.add(Shape, where, "severity or text is missing")
		}
	}
	return c.all
}

// checker looks at one layout.
type checker struct {
	findings
	desc   preparer.Descriptor
	layout *preparer.Layout
}

// entry checks what one entry says.
func (c *checker) entry(e preparer.Entry) {
	where := Label(e)
	c.place(where, e)
	session := e.Place().Root == preparer.RootSession
	switch e := e.(type) {
	case preparer.File:
		if n := e.Named; n != nil && (badSegment(n.Prefix+"x") != "" || n.Slug < 1 || n.Slug > 64 || n.Digest < 8 || n.Digest > 64) {
			c.add(Shape, where, "a name that is made of a path is too short or too long, or begins with what is no name")
		}
		c.text(where, e.Body, session)
		c.prose(where, "", e.Body...)
	case preparer.TypedDocument:
		c.structured(where, e.Format)
		c.value(where, e.Root, session)
		c.prose(where, "", e.Root)
	case preparer.Merge:
		c.structured(where, e.Format)
		c.bases(where, e.Base, e.At)
		for _, edit := range e.Edits {
			c.edit(where, edit, session)
		}
	case preparer.Block:
		c.bases(where, e.Base, e.At)
		for _, text := range [][]preparer.Value{e.Lead, e.Body} {
			c.text(where, text, false)
			c.canonical(where, text)
			c.prose(where, "", text...)
		}
		if len(e.Lead) > 0 && slices.ContainsFunc(e.Base, func(b preparer.Base) bool { return b.Kind == preparer.BaseCurrent }) {
			c.add(Shape, where, "a line in front of a file that begins as it stands would come there once more each time")
		}
	case preparer.Link:
		c.target(where, e.To, preparer.RootSession, preparer.RootCache, preparer.RootHome)
	case preparer.Copy:
		c.input(where, e.Input, preparer.InputFile)
	case preparer.Expose:
		c.input(where, e.Input, preparer.InputNames)
	case preparer.Share:
		c.location(where, e.From)
		if e.Make && !slices.Contains(c.desc.OwnState, e.From) {
			c.add(Names, where, "it is to be made, and the descriptor's own state does not list it")
		}
	case preparer.Login:
		if i, ok := c.input(where, e.Input, preparer.InputFile); ok && !i.Secret {
			c.add(Secrets, where, "a login must be an input that is marked secret")
		}
		if len(e.Fresher) > 0 && !e.JSON {
			c.add(Shape, where, "only a JSON login has a key that tells which version is newer")
		}
		if e.Lock != "" && badSegment(e.Lock) != "" {
			c.add(Places, where, "lock: %s", badSegment(e.Lock))
		}
	case preparer.PlaceSkills:
		if c.desc.Skills.Kind == preparer.NoSkills {
			c.add(Names, where, "the descriptor says that the client has no skills")
		}
		for _, name := range e.Reserve {
			c.input(where, name, preparer.InputNames)
		}
		if folder := c.skillsFolder(e.At); folder != "" && !c.desc.Skills.Nested {
			c.add(Places, where, "the skills lie below %s and not in it, and the descriptor does not say that the client finds nested ones", folder)
		}
	}
}

// skillsFolder is the folder of the client's, above a place, in which it looks for skills, or "": one that the user's own
// skills are exposed in, or that is called as the one that they lie in. Roots that the client is told have no such name.
func (c *checker) skillsFolder(at preparer.Place) string {
	if c.desc.Skills.Kind != preparer.SkillDirectory && c.desc.Skills.Kind != preparer.SkillPlugin {
		return ""
	}
	if badPath(at.Path) != "" {
		return "" // found elsewhere, and the way up from it may have no end
	}
	for _, e := range c.layout.Entries {
		if e, ok := e.(preparer.Expose); ok && e.At.Root == at.Root && strings.HasPrefix(at.Path, e.At.Path+"/") {
			if slices.ContainsFunc(c.desc.Inputs, func(i preparer.Input) bool { return i.Name == e.Input && listsSkills(i) }) {
				return e.At.String()
			}
		}
	}
	for above := path.Dir(at.Path); above != "."; above = path.Dir(above) {
		for _, i := range c.desc.Inputs {
			for _, l := range i.At {
				if listsSkills(i) && l.Path != "" && strings.HasSuffix("/"+above, "/"+l.Path) {
					return preparer.Place{Root: at.Root, Path: above}.String()
				}
			}
		}
	}
	return ""
}

func listsSkills(i preparer.Input) bool {
	return i.Kind == preparer.InputNames &&
		slices.Contains([]string{preparer.FilterSkills, preparer.FilterSkillTrees, preparer.FilterLinkedSkillTrees}, i.Filter)
}

func (c *checker) structured(where string, f preparer.Format) {
	if f == "" || f == preparer.Shell {
		c.add(Shape, where, "%q is no format of a document", f)
	}
}

func (c *checker) bases(where string, bases []preparer.Base, at preparer.Place) {
	if len(bases) == 0 {
		c.add(Shape, where, "there is no base")
	}
	for i, b := range bases {
		switch {
		case b.Kind == preparer.BaseInput:
			c.input(where, b.Input, preparer.InputFile)
			if at.Root == preparer.RootWorkspace {
				c.add(Places, where, "a block in the workspace begins as the file that stands there")
			}
		case b.Kind == preparer.BaseEmpty && i < len(bases)-1:
			c.add(Shape, where, "no base comes after the empty one")
		case b.Kind == "":
			c.add(Shape, where, "a base has no kind")
		}
	}
}

// edit checks that an edit has what its kind needs.
func (c *checker) edit(where string, e preparer.Edit, session bool) {
	where += " " + string(e.Op) + " " + e.Path.String()
	needsValue := slices.Contains([]preparer.EditOp{preparer.OpSet, preparer.OpReplace, preparer.OpDeleteIfEqual,
		preparer.OpUpsert, preparer.OpSplice, preparer.OpRekey, preparer.OpSetFor}, e.Op)
	wild := slices.Contains([]preparer.EditOp{preparer.OpDelete, preparer.OpRebase, preparer.OpRequire, preparer.OpRekey}, e.Op)
	switch {
	case e.Op == "" || len(e.Path) == 0 && e.Op != preparer.OpKeep:
		c.add(Shape, where, "kind or path is missing")
	case needsValue && e.Value == nil:
		c.add(Shape, where, "the value is missing")
	case !needsValue && e.Value != nil:
		c.add(Shape, where, "it takes no value")
	case e.Op == preparer.OpAppend && (len(e.Items) == 0 || e.List == ""):
		c.add(Shape, where, "items or the kind of list are missing")
	case e.Op == preparer.OpDeleteIfEqual && len(e.Items) != len(e.Names):
		c.add(Shape, where, "a key that goes with it has no value")
	case e.Op == preparer.OpUpsert && e.Unique == "":
		c.add(Shape, where, "the unique key is missing")
	case e.Op == preparer.OpRequire && e.Target != "file" && e.Target != "dir":
		c.add(Shape, where, "the target is neither file nor dir")
	case e.Op != preparer.OpSetFor && e.At != preparer.Place{}:
		c.add(Shape, where, "it takes no place")
	case !wild && slices.Contains(e.Path, "*"):
		c.add(Shape, where, `it takes no "*"`)
	}
	if e.Op == preparer.OpRebase || e.Op == preparer.OpRekey {
		c.home(where, e.Home)
	}
	if e.Op == preparer.OpSetFor {
		c.target(where, e.At, preparer.RootSession, preparer.RootWorkspace)
	}
	values := slices.Clone(e.Items)
	if e.Value != nil {
		values = append(values, e.Value)
	}
	for _, v := range values {
		c.value(where, v, session)
		c.prose(where, "", v)
	}
	c.prose(where, "", preparer.Strings(e.Path...))
}

// input finds a declared input, of a kind unless that is "".
func (c *checker) input(where, name string, kind preparer.InputKind) (preparer.Input, bool) {
	for _, i := range c.desc.Inputs {
		if i.Name != name {
			continue
		}
		if kind != "" && i.Kind != kind {
			c.add(Names, where, "input %q is of kind %s, not %s", name, i.Kind, kind)
		}
		return i, true
	}
	c.add(Names, where, "input %q is not declared", name)
	return preparer.Input{}, false
}

func (c *checker) home(where, id string) {
	if !slices.ContainsFunc(c.desc.Homes, func(h preparer.Home) bool { return h.ID == id }) {
		c.add(Names, where, "home %q is not declared", id)
	}
}

func (c *checker) location(where string, l preparer.Location) {
	if l.Base == preparer.BaseHome {
		c.home(where, l.Home)
	} else if l.Base != preparer.BaseUser {
		c.add(Places, where, "only a directory of the user's can be shared")
	}
	if bad := badPath(l.Path); bad != "" {
		c.add(Places, where, "%s", bad)
	}
}

// Label names an entry in a finding, as in "file session:codex/config.toml".
func Label(e preparer.Entry) string { return KindOf(e) + " " + e.Place().String() }

// KindOf is the kind of an entry as findings name it.
func KindOf(e preparer.Entry) string {
	switch e.(type) {
	case preparer.Dir:
		return "dir"
	case preparer.File:
		return "file"
	case preparer.TypedDocument:
		return "document"
	case preparer.Merge:
		return "merge"
	case preparer.Block:
		return "block"
	case preparer.Link:
		return "link"
	case preparer.Copy:
		return "copy"
	case preparer.Expose:
		return "expose"
	case preparer.Share:
		return "share"
	case preparer.Login:
		return "login"
	case preparer.PlaceSkills:
		return "skills"
	case preparer.Check:
		return "check"
	}
	return "entry"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
