// Command greenroom-kimi serves the kimi adapter to a host. Only a host starts it.
package main

import (
	"github.com/greenroom-agents/greenroom/providers/kimi"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

func main() { serve.Serve(kimi.Adapter{}) }
