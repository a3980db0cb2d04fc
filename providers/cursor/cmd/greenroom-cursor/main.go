// Command greenroom-cursor serves the cursor adapter to a host. Only a host starts it.
package main

import (
	"github.com/greenroom-agents/greenroom/providers/cursor"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

func main() { serve.Serve(cursor.Adapter{}) }
