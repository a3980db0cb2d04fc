package claude

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// serverVars begins the names of the variables that carry credentials of the host's MCP servers.
const serverVars = "TUTTI_MCP_HEADER_"

// servers gives the client the host's MCP servers in a file of their own, which counts beside the user's and with the flag
// that leaves those out. The client puts in the values of variables when it reads the file.
func servers(l *p.Layout, r p.Request, file p.Place) {
	if len(r.Servers) == 0 {
		return
	}
	list := p.Object{}
	for _, s := range r.Servers {
		server := p.Object{"type": p.S("http"), "url": p.S(s.URL)}
		headers := p.Object{}
		for _, h := range s.Headers {
			headers[h.Name] = p.S("${" + h.Var + "}")
			l.Set(h.Var, h.Value)
		}
		if len(headers) > 0 {
			server["headers"] = headers
		}
		list[s.Name] = server
	}
	l.Document(file, p.JSON, p.Object{"mcpServers": list})
	l.Check(file, p.CheckJSON, p.Key("mcpServers"))
	// The flag takes every argument up to the next flag for a file, so it must not come last.
	l.Args(p.S(flagMCP), file.Value())
}
