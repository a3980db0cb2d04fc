package opencode

import (
	_ "embed"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// rewriter is the body of a plugin of the client, behind the line that names the program.
//
//go:embed rewriter.js
var rewriter string

// shorten has a plugin run shell commands through rtk, where the client runs plugins. It then waits, before it begins, until
// it has installed what plugins import into every directory of configuration, the user's as well: npm is told to fetch
// nothing, and the plugin takes that back for the commands of the agent.
func shorten(l *p.Layout, r p.Request, at p.Place) {
	if !l.Unrewritten(r, r.Endpoint != nil || r.Options.Inherit.None(p.Plugins), "opencode.rtk-without-plugin", "opencode takes all plugins or none, ours with the user's, and this session is to have none of those") {
		l.File(at, p.S("const program = "), p.Quote(p.JSON, r.RTK.Program.Value()), p.S("\n"), p.Code(rewriter, "//"))
		l.Set(envOffline, p.S("true"))
	}
}
