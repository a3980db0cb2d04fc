// Command greenroom-claude serves the claude adapter to a host. Only a host starts it.
package main

import (
	"github.com/greenroom-agents/greenroom/providers/claude"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

func main() { serve.Serve(claude.Adapter{}) }
