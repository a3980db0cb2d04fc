module github.com/greenroom-agents/greenroom/gateway

go 1.26.0
