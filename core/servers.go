package core

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// serve holds the MCP servers of the session against what its client takes, and gives them names that the user has not
// given to servers of theirs, also to those that do not come along: the client may see them all the same.
func (a *answered) serve() error {
	if len(a.session.Servers) == 0 {
		return nil
	}
	if a.desc.ServerVars == "" {
		return fault.New(fault.Refused, "prepare", a.session.Provider, "its client takes no mcp servers of the host's").
			WithHint("start the session without them")
	}
	list, err := connector.Servers(a.session.Servers)
	if err != nil {
		return err
	}
	if a.desc.BearerServers {
		if list, err = connector.Bearers(list); err != nil {
			return err
		}
	}
	var renamed map[string]string
	a.servers, renamed = connector.Named(list, a.userServers())
	for _, name := range slices.Sorted(maps.Keys(renamed)) {
		a.notes = append(a.notes, Diagnostic{Severity: preparer.Info, Code: "server_renamed",
			Text: "an mcp server of yours is called " + name + "; ours is called " + renamed[name]})
	}
	return nil
}

// userServers are the names of the user's own MCP servers, as far as the adapter looks for them.
func (a *answered) userServers() []string {
	var names []string
	for _, in := range a.desc.Inputs {
		for _, c := range in.Carries {
			if c.Kind == preparer.MCPServers {
				for _, server := range a.inputs.Items[in.Name].Carried(c) {
					names = append(names, server.Name)
				}
			}
		}
	}
	return names
}

// toldServers is all that an adapter is told of the servers, as one text; "" for none.
func (a *answered) toldServers() string {
	if len(a.servers) == 0 {
		return ""
	}
	text, err := json.Marshal(connector.Handles(a.servers, a.desc.ServerVars))
	if err != nil {
		return a.session.ID // see toldEndpoint
	}
	return string(text)
}
