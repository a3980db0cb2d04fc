package kimi

import (
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// servers places the user's MCP servers, and the host's beside them. Of a header the client takes a bearer token from a
// variable, and everything else from its file only, which is no place for a credential.
func servers(l *p.Layout, r p.Request) {
	at, base := root.Join("mcp.json"), []p.Base{p.Empty()}
	theirs := !r.Options.Inherit.None(p.MCPServers) && inServers.In(r).Exists
	if !theirs && len(r.Servers) == 0 {
		return
	}
	var edits []p.Edit
	if theirs {
		base = []p.Base{p.FromInput(inServers.Name)}
		edits = append(r.Options.Inherit.Keep(p.MCPServers, p.Key("mcpServers")), withoutOurs(l, r)...)
	}
	for _, s := range r.Servers {
		server := p.Object{"transport": p.S("http"), "url": p.S(s.URL), "enabled": p.Bool(true)}
		for _, h := range s.Headers {
			server["bearerTokenEnvVar"] = p.S(h.Var)
		}
		edits = append(edits, p.Replace(p.Key("mcpServers", s.Name), server))
	}
	if r.HasServerVars() {
		l.Note(p.Warn("kimi.server-credentials-in-commands", "kimi hands its environment to the commands that it runs, with the credentials of the host's mcp servers in it",
			"give servers credentials that are good for this session only"))
	}
	l.Merge(at, p.JSON, base, edits...)
	l.Check(at, p.CheckJSON)
}

// withoutOurs takes out servers of the user's whose credential comes from a variable of ours: they would be sent what is
// for another.
func withoutOurs(l *p.Layout, r p.Request) (edits []p.Edit) {
	learned := inServers.In(r)
	for _, name := range learned.Items(serverToken) {
		if v := learned.Text(p.Key("mcpServers", name, "bearerTokenEnvVar")); v == keyVar || strings.HasPrefix(v, serverVars) {
			edits = append(edits, p.Delete(p.Key("mcpServers", name)))
			l.Note(p.Warn("kimi.server-left-out", "an mcp server of yours asks for a credential of the host's, and stays out of the session",
				"give it a variable of its own"))
		}
	}
	return edits
}
