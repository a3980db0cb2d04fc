// Command greenroom-codex serves the codex adapter to a host. Only a host starts it.
package main

import (
	"github.com/greenroom-agents/greenroom/providers/codex"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

func main() { serve.Serve(codex.Adapter{}) }
