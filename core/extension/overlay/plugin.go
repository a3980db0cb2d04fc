package overlay

import (
	"path"
	"regexp"
	"slices"

	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	p "github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// Plugin is a file of a plugin of the agent's: the text of one in the package, or what it is told of the session.
type Plugin struct {
	File string   // its name in the package
	Tell []string // what a JSON object in the place of a file tells
	To   string   // where it stands, below the home of a session
	// When is the condition under which it does, and Enable the name under which the plugin is listed in the configuration.
	When, Enable string
	Text         string
}

// rtkMode is the condition that a session has rtk, and what tells where its program lies.
const rtkMode = "rtk"

var pluginName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// name is what a message calls it.
func (g Plugin) name() string {
	if g.File == "" {
		return g.To
	}
	return g.File
}

// wrong says which rule a plugin breaks in a home, or "".
func (g Plugin) wrong(h *runtimeprep.Home) string {
	switch {
	case h == nil || rules.Path(g.To) != "":
		return "goes to no place in a home of the session's own"
	case (g.File == "") == (len(g.Tell) == 0):
		return "has neither a file nor what to tell, or both"
	case g.When != "" && g.When != rtkMode:
		return "has a condition that is not known; rtk is"
	case slices.ContainsFunc(g.Tell, func(what string) bool { return what != rtkMode || g.When != rtkMode }):
		return "tells what is not known in every session that has it; rtk is, when rtk"
	case g.Enable == "":
		return ""
	case !pluginName.MatchString(g.Enable):
		return "is enabled by a name that is not of the form [a-z0-9_-]"
	case len(h.PluginsKey) == 0:
		return "is to be enabled, and home.pluginsKey does not say where"
	case g.dir() == "":
		return "enables what it does not bring: it lies in no directory of that name"
	}
	return ""
}

// dir is the directory below the home that is the plugin's own, "" for none.
func (g Plugin) dir() string {
	for dir := path.Dir(g.To); g.Enable != "" && dir != "."; dir = path.Dir(dir) {
		if path.Base(dir) == g.Enable {
			return dir
		}
	}
	return ""
}

// document is the name of its text.
func (g Plugin) document() string { return "extension:" + g.File }

// plugins places the plugins that a session has, and answers the names by which they are enabled.
func (o *Overlay) plugins(l *p.Layout, r p.Request, home p.Place) (enabled []p.Value) {
	own := map[string]bool{}
	for _, g := range o.agent.Plugins {
		if g.When == rtkMode && r.RTK == nil {
			continue
		}
		if len(g.Tell) > 0 {
			l.Document(home.Join(g.To), p.JSON, p.Object{rtkMode: r.RTK.Program.Value()})
		} else {
			l.File(home.Join(g.To), p.Text{Document: g.document()})
		}
		// What the agent compiles beside it goes with the plugin.
		if dir := g.dir(); dir != "" && !own[dir] {
			own[dir] = true
			l.ScratchDir(home.Join(dir))
			enabled = append(enabled, p.S(g.Enable))
		}
	}
	return enabled
}

// rewrite is how the agent lets a command be rewritten: by a plugin that is told where rtk is, or not at all.
func (o *Overlay) rewrite() p.Rewrite {
	if slices.ContainsFunc(o.agent.Plugins, func(g Plugin) bool { return len(g.Tell) > 0 }) {
		return p.ClientPlugin
	}
	return p.InstructionsOnly
}
