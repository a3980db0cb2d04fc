module github.com/greenroom-agents/greenroom/examples/provider

go 1.26.0

require github.com/greenroom-agents/greenroom/sdk v0.0.0

replace github.com/greenroom-agents/greenroom/sdk => ../../sdk
