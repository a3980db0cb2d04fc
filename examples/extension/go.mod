module github.com/greenroom-agents/greenroom/examples/extension

go 1.26.0

require github.com/google/go-cmp v0.7.0
