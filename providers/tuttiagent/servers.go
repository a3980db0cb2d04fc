package tuttiagent

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// serverVars begins the names of the variables that carry credentials of the host's MCP servers, and flagConfig lays a
// value over the configuration, for one run.
const serverVars, flagConfig = "TUTTI_MCP_HEADER_", "-c"

// servers gives the client the host's MCP servers by arguments: the configuration is the client's own from the first
// preparation on, and would keep one that the host has taken away. Names and URLs need no quoting, by the rules of the
// host. The client takes the values of headers from the variables that stand in the place of them.
func servers(l *p.Layout, r p.Request) {
	for _, s := range r.Servers {
		table, headers := `{url="`+s.URL+`"`, ""
		for _, h := range s.Headers {
			if headers != "" {
				headers += ","
			}
			headers += `"` + h.Name + `"="` + h.Var + `"`
		}
		if headers != "" {
			table += ",env_http_headers={" + headers + "}"
		}
		l.Args(p.S(flagConfig), p.S("mcp_servers."+s.Name+"="+table+"}"))
	}
}
