// Agentadapter serves the fake agent of package launchtest to the tests of the tool.
package main

import (
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

func main() { serve.Serve(launchtest.Adapter{Endpoints: true}) }
