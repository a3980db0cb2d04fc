module github.com/greenroom-agents/greenroom/daemon

go 1.26.0

require (
	github.com/greenroom-agents/greenroom/core v0.0.0
	github.com/spf13/cobra v1.10.2
)

replace (
	github.com/greenroom-agents/greenroom/core => ../core
	github.com/greenroom-agents/greenroom/gateway => ../gateway
	github.com/greenroom-agents/greenroom/sdk => ../sdk
)
