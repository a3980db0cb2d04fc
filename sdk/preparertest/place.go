package preparertest

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// badPath says what is wrong with a relative path, or "". A path must be possible on every system, since one layout
// serves all of them.
func badPath(p string) string {
	switch {
	case p == "":
		return "the path is empty"
	case !utf8.ValidString(p):
		return "the path is not UTF-8"
	case strings.HasPrefix(p, "/"):
		return "the path is absolute"
	case len(p) > 512:
		return "the path is longer than 512 bytes"
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
	switch {
	case s == "." || s == "..":
		return "the path escapes or is not clean"
	case len(s) > 200:
		return "a name is longer than 200 bytes"
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " "):
		return "a name ends with a dot or a blank, which Windows drops"
	case strings.ContainsAny(s, `\<>:"|?*`):
		return `a name holds one of \<>:"|?*, which Windows refuses`
	case strings.ContainsFunc(s, unicode.IsControl):
		return "a name holds a control character"
	case reserved(s):
		return "a name is a device on Windows"
	}
	return ""
}

// reserved says whether Windows takes a name, with any ending, for a device.
func reserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if rest, ok := strings.CutPrefix(stem, port); ok && utf8.RuneCountInString(rest) == 1 &&
			strings.ContainsAny(rest, "0123456789¹²³") {
			return true
		}
	}
	return false
}

// fold makes names equal that differ in letter case only.
func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// tree finds places that cannot all exist.
type tree struct {
	kinds map[string]string // folded place to what stands there
	spelt map[string]string // folded place of an entry or a directory above one to its spelling
}

func (c *checker) tree() {
	t := tree{kinds: map[string]string{}, spelt: map[string]string{}}
	var entries []preparer.Entry
	for _, e := range c.layout.Entries {
		if _, shared := e.(preparer.Check); !shared {
			entries = append(entries, e)
		}
	}
	for _, e := range entries {
		at := e.Place()
		key := fold(placeKey(at))
		if other, taken := t.kinds[key]; taken {
			c.add(Places, label(e), "the place is taken by a %s", other)
		}
		t.kinds[key] = kindOf(e)
	}
	for _, e := range entries {
		at := e.Place()
		for up := at; up.Path != "." && up.Path != ""; up.Path = path.Dir(up.Path) {
			key := placeKey(up)
			if other, known := t.spelt[fold(key)]; known && other != key {
				c.add(Places, label(e), "%s is spelt %s elsewhere", up, other)
			}
			t.spelt[fold(key)] = key
			if kind := t.kinds[fold(key)]; up != at && kind != "" && kind != "dir" && kind != "expose" {
				c.add(Places, label(e), "it lies below a %s", kind)
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
	switch p.Root {
	case preparer.RootSession, preparer.RootCache:
	case preparer.RootWorkspace:
		_, block := e.(preparer.Block)
		_, check := e.(preparer.Check)
		if !block && !check {
			c.add(Places, where, "only a managed block may stand in the workspace")
		}
	default:
		c.add(Places, where, "nothing may be placed in root %q", p.Root)
		return
	}
	if bad := badPath(p.Path); bad != "" {
		c.add(Places, where, "%s", bad)
	}
	c.root(where, p)
}

// target checks a place that is only referred to. The root itself may be.
func (c *checker) target(where string, p preparer.Place, homes bool) {
	if p.Root == preparer.RootHome && !homes {
		c.add(Places, where, "a client home may only be the target of a link")
	}
	if bad := badPath(p.Path); p.Path != "" && bad != "" {
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
			if name, _, _ := strings.Cut(key, "#"); key != "" {
				c.input(where, name, "")
			}
		}
	case preparer.RootHome:
		c.home(where, p.Name)
	default:
		c.add(Places, where, "unknown root %q", p.Root)
	}
}
