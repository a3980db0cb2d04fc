module github.com/greenroom-agents/greenroom/tools

go 1.26.0
