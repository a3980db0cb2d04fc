package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// badPath says what is wrong with a relative path, or "". A path must be possible on every system, since one layout
// serves all of them, so that the letters are those that no file system changes or confuses.
func badPath(p string) string {
	switch {
	case p == "":
		return "the path is empty"
	case strings.HasPrefix(p, "/"):
		return "the path is absolute"
	case len(p) > 400:
		return "the path is longer than 400 bytes"
	case path.Clean(p) != p:
		return "the path is not clean"
	}
	for segment := range strings.SplitSeq(p, "/") {
		if bad := badSegment(segment); bad != "" {
			return bad
		}
	}
	return ""
}

func badSegment(s string) string {
	lower := strings.ToLower(s)
	switch {
	case s == "" || s == "." || s == "..":
		return "the path escapes or is not clean"
	case strings.ContainsFunc(s, func(r rune) bool { return !portable(r) }):
		return "a name holds something else than ASCII letters, digits, dots, underscores and hyphens"
	case strings.HasSuffix(s, "."):
		return "a name ends with a dot, which Windows drops"
	case reserved(s):
		return "a name is a device on Windows"
	case strings.HasPrefix(lower, ".greenroom-") || lower == ".lease" || lower == ".manifest":
		return "a name is one of Greenroom's own"
	}
	return ""
}

func portable(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)
}

// badWorkspace says why no block may stand at a path of the workspace, or "".
func badWorkspace(p string) string {
	lower := strings.ToLower(p)
	if !strings.HasSuffix(lower, ".md") {
		return "in the workspace only a Markdown file holds a block"
	}
	return badDir(p)
}

// badDir says why nothing may be placed at or below a path of the workspace, or "".
func badDir(p string) string {
	lower := strings.ToLower(p)
	for segment := range strings.SplitSeq(lower, "/") {
		switch segment {
		case ".git", ".hg", ".svn", ".ssh", ".vscode", ".idea", ".devcontainer", ".github", ".husky", "node_modules":
			return "other programs look there for code to run"
		}
	}
	if dir, name, ok := strings.Cut(lower, "/"); ok && strings.HasPrefix(dir, ".") && strings.HasPrefix(name, "hooks") {
		return "other programs look there for code to run"
	}
	return ""
}

// reserved says whether Windows takes a name, with any ending, for a device.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && stem[3] >= '0' && stem[3] <= '9'
}

// fold makes names equal that differ in letter case only.
func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// tree finds places that cannot all exist.
type tree struct {
	kinds map[string]string // folded place to what stands there
	spelt map[string]string // folded place of an entry or a directory above one to its spelling
}

// one is an entry of a kind in a sentence.
func one(kind string) string {
	switch kind {
	case "skills":
		return "our skills; put them into a directory of their own"
	case "expose":
		return "an expose"
	}
	return "a " + kind
}

func (c *checker) tree() {
	t := tree{kinds: map[string]string{}, spelt: map[string]string{}}
	scratch := map[string]bool{}
	var entries []preparer.Entry
	for _, e := range c.layout.Entries {
		if _, shared := e.(preparer.Check); !shared {
			entries = append(entries, e)
		}
	}
	for _, e := range entries {
		at := e.Place()
		key := fold(placeKey(at))
		if other, taken := t.kinds[key]; taken && other+KindOf(e) != "exposeexpose" { // the children are what stands there
			c.add(Places, Label(e), "the place is taken by %s", one(other))
		}
		t.kinds[key] = KindOf(e)
		dir, _ := e.(preparer.Dir)
		scratch[key] = dir.Scratch
	}
	for _, e := range entries {
		at := e.Place()
		if badPath(at.Path) != "" {
			continue // found elsewhere, and the way up from it may have no end
		}
		for up := at; up.Path != "." && up.Path != ""; up.Path = path.Dir(up.Path) {
			key := placeKey(up)
			if other, known := t.spelt[fold(key)]; known && other != key {
				c.add(Places, Label(e), "%s is spelt in another letter case elsewhere", up)
			}
			t.spelt[fold(key)] = key
			if kind := t.kinds[fold(key)]; up != at && kind != "" && kind != "dir" && kind != "expose" {
				c.add(Places, Label(e), "it lies below a %s", kind)
			}
			if kind := KindOf(e); scratch[fold(key)] && kind != "dir" && kind != "file" && kind != "document" {
				c.add(Places, Label(e), "it holds something of the user's, and lies in a directory that goes with all that is in it")
			}
		}
	}
}

// placeKey names the tree and the path of a place.
func placeKey(p preparer.Place) string {
	return string(p.Root) + "(" + p.Name + "\x00" + p.Keys + "):" + p.Path
}

// place checks one that an entry stands at.
func (c *checker) place(where string, e preparer.Entry) {
	p := e.Place()
	bad := badPath(p.Path)
	switch p.Root {
	case preparer.RootSession:
	case preparer.RootWorkspace:
		switch e := e.(type) {
		case preparer.Block:
			if bad == "" {
				bad = badWorkspace(p.Path)
			}
		case preparer.PlaceSkills:
			if e.Copy || e.Keep || !c.desc.Skills.Links || !c.looksIn(e) {
				c.add(Places, where, "only a managed block may stand in the workspace, and links to skills that the client follows, in a folder whose names they give way to")
			} else if bad == "" {
				bad = badDir(p.Path)
			}
		default:
			c.add(Places, where, "only a managed block and links to skills may stand in the workspace")
		}
	default:
		c.add(Places, where, "nothing may be placed in root %q", p.Root)
		return
	}
	if bad != "" {
		c.add(Places, where, "%s", bad)
	}
	c.root(where, p)
}

// looksIn says whether skills in the workspace stand in a folder that an input lists, whose names they give way to.
func (c *checker) looksIn(e preparer.PlaceSkills) bool {
	return slices.ContainsFunc(c.desc.Inputs, func(i preparer.Input) bool {
		return listsSkills(i) && slices.Contains(e.Reserve, i.Name) && slices.ContainsFunc(i.At, func(l preparer.Location) bool {
			return l.Base == preparer.BaseWorkspace && !l.ToGitRoot && l.Path == e.At.Path
		})
	})
}

// target checks a place that is only referred to, from one of some roots.
func (c *checker) target(where string, p preparer.Place, from ...preparer.Root) {
	if !slices.Contains(from, p.Root) {
		c.add(Places, where, "it may not refer to root %q", p.Root)
		return
	}
	whole := p.Path == "." && (p.Root == preparer.RootCache || p.Root == preparer.RootWorkspace)
	if bad := badPath(p.Path); bad != "" && !whole {
		c.add(Places, where, "%s", bad)
	}
	c.root(where, p)
}

func (c *checker) root(where string, p preparer.Place) {
	switch p.Root {
	case preparer.RootSession, preparer.RootWorkspace:
		if p.Name != "" || p.Keys != "" {
			c.add(Places, where, "root %s has no name and no keys", p.Root)
		}
	case preparer.RootCache:
		if !idForm.MatchString(p.Name) {
			c.add(Places, where, "the cache has no proper name: %q", p.Name)
		}
		for key := range strings.SplitSeq(p.Keys, "\n") {
			if name, _, _ := strings.Cut(key, "#"); p.Keys != "" {
				c.input(where, name, "")
			}
		}
	case preparer.RootHome:
		c.home(where, p.Name)
	default:
		c.add(Places, where, "unknown root %q", p.Root)
	}
}
