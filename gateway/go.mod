module github.com/greenroom-agents/greenroom/gateway

go 1.26.0

require github.com/klauspost/compress v1.20.4
