module github.com/greenroom-agents/greenroom/providers/claude

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/greenroom-agents/greenroom/sdk v0.0.0
)

replace github.com/greenroom-agents/greenroom/sdk => ../../sdk
