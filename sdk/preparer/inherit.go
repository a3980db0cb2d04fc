package preparer

import (
	"slices"
	"strings"
)

// Kind is one kind of thing that a user sets up for a client, and that may come along into a session.
type Kind string

// The kinds.
const (
	Instructions  Kind = "instructions"
	Skills        Kind = "skills"
	MCPServers    Kind = "mcp_servers"
	Hooks         Kind = "hooks"
	Plugins       Kind = "plugins"
	Memories      Kind = "memories"
	ModelSettings Kind = "model_settings"
)

// Kinds lists every kind, in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{Instructions, Skills, MCPServers, Hooks, Plugins, Memories, ModelSettings}
}

// Choice says how much of one kind comes along.
type Choice struct {
	Mode  Mode     `json:"mode,omitempty"`
	Names []string `json:"names,omitempty"` // with Only: which, sorted
}

// Mode is how much of a kind comes along.
type Mode string

// The modes.
const (
	All  Mode = "all"
	None Mode = "none"
	Only Mode = "only"
)

// Inherit is a choice for each kind. The host always sends all kinds; an absent kind counts as None.
type Inherit map[Kind]Choice

// All says whether everything of the kind comes along.
func (i Inherit) All(k Kind) bool { return i[k].Mode == All }

// None says whether nothing of the kind comes along.
func (i Inherit) None(k Kind) bool { return i[k].Mode != All && i[k].Mode != Only }

// AllBut says whether everything comes along of every kind but one.
func (i Inherit) AllBut(but Kind) bool {
	return !slices.ContainsFunc(Kinds(), func(k Kind) bool { return k != but && !i.All(k) })
}

// Takes says whether the named item of a kind comes along.
func (i Inherit) Takes(k Kind, name string) bool {
	c := i[k]
	return c.Mode == All || c.Mode == Only && slices.Contains(c.Names, name)
}

// LeftOut are those of some items of a kind that do not come along, sorted. Where the items are files, they go by their
// names and by those without the suffix, and have the latter here.
func (i Inherit) LeftOut(k Kind, suffix string, items ...string) (out []string) {
	for _, item := range items {
		if name := strings.TrimSuffix(item, suffix); !i.Takes(k, name) && !i.Takes(k, item) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Keep is the edit that keeps those children of a table that come along, where they are chosen by name.
func (i Inherit) Keep(k Kind, table KeyPath) []Edit {
	if i[k].Mode != Only {
		return nil
	}
	return []Edit{Keep(table, i[k].Names...)}
}

// Exclusion says how a kind can be left out of a session.
type Exclusion struct {
	How   How  `json:"how,omitempty"`
	Named bool `json:"named,omitempty"` // single items can be chosen, so that Only can be honoured
	// OffEndpoint says that a session on a model endpoint always goes without, because it could read the key.
	OffEndpoint bool `json:"offEndpoint,omitempty"`
	// With lists kinds that cannot but be left out together with this one.
	With []Kind `json:"with,omitempty"`
}

// How is the means by which something is left out.
type How string

// The means.
const (
	ByLayout How = "layout" // it is not placed, or is edited out
	ByFlag   How = "flag"
	ByEnv    How = "env"
)

// LeaveOutBy says of every kind that it can be left out by one means, and single items of those that are named.
func LeaveOutBy(how How, named ...Kind) map[Kind]Exclusion {
	all := map[Kind]Exclusion{}
	for _, kind := range Kinds() {
		all[kind] = Exclusion{How: how, Named: slices.Contains(named, kind)}
	}
	return all
}

// Wanted are the names of those kinds of which something is to come along.
func (in Inherit) Wanted(kinds ...Kind) (names []string) {
	for _, k := range kinds {
		if !in.None(k) {
			names = append(names, string(k))
		}
	}
	return names
}
