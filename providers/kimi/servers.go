package kimi

import (
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// servers places the user's MCP servers, and the host's beside them. Of a header the client takes a bearer token from a
// variable, and everything else from its file only, which is no place for a credential.
func servers(l *p.Layout, r p.Request) {
	in, at, base := r.Options.Inherit, root.Join("mcp.json"), []p.Base{p.Empty()}
	theirs := !in.None(p.MCPServers) && r.Inputs[inServers].Exists
	if !theirs && len(r.Servers) == 0 {
		return
	}
	var edits []p.Edit
	if theirs {
		base = []p.Base{p.FromInput(inServers)}
		edits = chosenServers(l, r)
	}
	for _, s := range r.Servers {
		server := p.Object{"transport": p.S("http"), "url": p.S(s.URL), "enabled": p.Bool(true)}
		for _, h := range s.Headers {
			server["bearerTokenEnvVar"] = p.S(h.Var)
			l.Set(h.Var, h.Value)
		}
		edits = append(edits, p.Replace(p.Key("mcpServers", s.Name), server))
	}
	if slices.ContainsFunc(r.Servers, authorized) {
		l.Note(p.Warn("kimi.server-credentials-in-commands", "kimi hands its environment to the commands that it runs, with the credentials of the host's mcp servers in it",
			"give servers credentials that are good for this session only"))
	}
	l.Merge(at, p.JSON, base, edits...)
	l.Check(at, p.CheckJSON)
}

// secret says whether the session has a credential of the host's in its environment.
func secret(r p.Request) bool {
	return r.Endpoint != nil || slices.ContainsFunc(r.Servers, authorized)
}

func authorized(s p.Server) bool { return len(s.Headers) > 0 }

// chosenServers are the edits that leave those of the user's servers that come along.
func chosenServers(l *p.Layout, r p.Request) (edits []p.Edit) {
	in := r.Options.Inherit
	if !in.All(p.MCPServers) {
		edits = append(edits, p.Keep(p.Key("mcpServers"), in[p.MCPServers].Names...))
	}
	// A server whose credential comes from a variable of ours would be sent what is for another.
	for _, name := range matching(r.Inputs[inServers], serverToken, func(v string) bool { return v == keyVar || strings.HasPrefix(v, serverVars) }) {
		edits = append(edits, p.Delete(p.Key("mcpServers", name)))
		l.Note(p.Warn("kimi.server-left-out", "an mcp server of yours asks for a credential of the host's, and stays out of the session",
			"give it a variable of its own"))
	}
	return edits
}
