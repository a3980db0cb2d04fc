module github.com/greenroom-agents/greenroom/conformance

go 1.26.0

require github.com/greenroom-agents/greenroom/core v0.0.0

require github.com/google/go-cmp v0.7.0

replace (
	github.com/greenroom-agents/greenroom/core => ../core
	github.com/greenroom-agents/greenroom/providers/claude => ../providers/claude
	github.com/greenroom-agents/greenroom/providers/codex => ../providers/codex
	github.com/greenroom-agents/greenroom/sdk => ../sdk
)
