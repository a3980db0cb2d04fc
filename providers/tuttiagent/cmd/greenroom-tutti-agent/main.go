// Command greenroom-tutti-agent serves the adapter for Tutti Agent to a host. Only a host starts it.
package main

import (
	"github.com/greenroom-agents/greenroom/providers/tuttiagent"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

func main() { serve.Serve(tuttiagent.Adapter{}) }
