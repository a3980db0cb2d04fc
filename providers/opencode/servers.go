package opencode

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// serverVars begins the names of the variables that carry credentials of the host's MCP servers.
const serverVars = "TUTTI_MCP_HEADER_"

// serve gives the client the host's MCP servers. It puts in the values of variables when it reads the file. Every switch
// that could be off in a file deeper down is said.
func (c *config) serve() {
	credentials := false
	for _, s := range c.request.Servers {
		headers := p.Object{}
		for _, h := range s.Headers {
			headers[h.Name] = p.S("{env:" + h.Var + "}")
			c.layout.Set(h.Var, h.Value)
			credentials = true
		}
		c.servers()[s.Name] = p.Object{"type": p.S("remote"), "url": p.S(s.URL), "headers": headers, "enabled": p.Bool(true), "oauth": p.Bool(false)}
	}
	if credentials {
		c.layout.Note(p.Warn("opencode.server-credentials-in-environment",
			"commands, servers, plugins and tools that opencode runs in this session see the credentials of the host's mcp servers",
			"give servers credentials that are good for this session only"))
	}
}

// servers is the part of the configuration about MCP servers.
func (c *config) servers() p.Object {
	servers, ok := c.doc["mcp"].(p.Object)
	if !ok {
		servers = p.Object{}
		c.doc["mcp"] = servers
	}
	return servers
}
