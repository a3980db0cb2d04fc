package kimi

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

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
		edits = append(r.Options.Inherit.Keep(p.MCPServers, p.Key("mcpServers")),
			l.LeaveOutAsking(r, inServers, "kimi.server-left-out", "mcpServers", serverVars, serverToken)...)
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
	l.CheckedMerge(at, p.JSON, base, edits)
}
