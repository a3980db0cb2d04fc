// Command greenroom-opencode serves the opencode adapter to a host. Only a host starts it.
package main

import (
	"github.com/greenroom-agents/greenroom/providers/opencode"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

func main() { serve.Serve(opencode.Adapter{}) }
