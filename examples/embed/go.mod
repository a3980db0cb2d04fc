module github.com/greenroom-agents/greenroom/examples/embed

go 1.26.0

require github.com/greenroom-agents/greenroom/core v0.0.0

replace (
	github.com/greenroom-agents/greenroom/core => ../../core
	github.com/greenroom-agents/greenroom/sdk => ../../sdk
)
