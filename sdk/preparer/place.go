package preparer

import (
	"path"
	"strings"
)

// Place is a root and a clean relative slash path below it. It is comparable.
type Place struct {
	Root Root
	// Name is the id of a home, or the name of a cache.
	Name string
	Path string
	// Keys of a cache: which inputs make it stale, as "input" (its content) or "input#key/path" (one value), joined by
	// newlines. Other values give another, empty cache.
	Keys string
}

// Root is where a place lies.
type Root string

// The roots.
const (
	RootSession   Root = "session"   // this session's own directory
	RootWorkspace Root = "workspace" // the user's working directory
	RootCache     Root = "cache"     // ours, mutable, shared between sessions, keyed
	RootHome      Root = "home"      // a client home of the user; only as the target of a link
)

// Session is a place in the session's own directory.
func Session(p string) Place { return Place{Root: RootSession, Path: p} }

// Workspace is a place in the user's working directory. Only a managed block may stand there.
func Workspace(p string) Place { return Place{Root: RootWorkspace, Path: p} }

// Cache is a place in a shared cache of the given name; "." is the whole of it, a directory that is there.
func Cache(name, p string, keys ...string) Place {
	return Place{Root: RootCache, Name: name, Path: p, Keys: strings.Join(keys, "\n")}
}

// InHome is a place in one of the user's client homes.
func InHome(id, p string) Place { return Place{Root: RootHome, Name: id, Path: p} }

// Join is the place of a path below p.
func (p Place) Join(elem string) Place {
	p.Path = path.Join(p.Path, elem)
	return p
}

// Value is the absolute path of the place as the agent will see it.
func (p Place) Value() PathValue { return PathValue{Place: p} }

// String is the place in the form root:path, for messages.
func (p Place) String() string {
	s := string(p.Root)
	if p.Name != "" {
		s += "(" + p.Name + ")"
	}
	return s + ":" + p.Path
}
