package codex

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// serverVars begins the names of the variables that carry credentials of the host's MCP servers.
const serverVars = "TUTTI_MCP_HEADER_"

// servers are the edits that add the host's MCP servers. The client takes the values of headers from the variables that
// stand in the place of them.
func servers(r p.Request) (e []p.Edit) {
	credentials := false
	for _, s := range r.Servers {
		server := p.Object{"url": p.S(s.URL)}
		headers := p.Object{}
		for _, h := range s.Headers {
			headers[h.Name] = p.S(h.Var)
		}
		if len(headers) > 0 {
			server["env_http_headers"], credentials = headers, true
		}
		e = append(e, p.Replace(p.Key("mcp_servers", s.Name), server))
	}
	if credentials {
		// Commands inherit the environment, and have no use for them.
		e = append(e, p.Append(p.Key("shell_environment_policy", "exclude"), p.ListIDs, p.S(serverVars+"*")))
	}
	return e
}
