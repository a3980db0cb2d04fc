package opencode

import (
	_ "embed"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// rewriter is the body of a plugin of the client, behind the line that names the program.
//
//go:embed rewriter.js
var rewriter string

// shorten has a plugin run shell commands through rtk. Where the client runs without plugins there is none.
//
// Once there is any plugin the client waits, before a session begins, until its plugin interface is installed into every
// directory of configuration, the user's as well. npm is told to fetch nothing, and the plugin takes that back for the
// commands of the agent.
func shorten(l *p.Layout, r p.Request, at p.Place) {
	if r.RTK == nil || r.Endpoint != nil || r.Options.Inherit.None(p.Plugins) {
		return
	}
	l.File(at, p.S("const program = "), p.Quote(p.JSON, r.RTK.Program.Value()), p.S("\n"+bare(rewriter)))
	l.Set(envOffline, p.S("true"))
}

// bare is a program without its lines of comment, which are for who reads them here: an adapter brings no text of its own.
func bare(program string) string {
	var b strings.Builder
	for line := range strings.Lines(program) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}
