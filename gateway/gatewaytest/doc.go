// Package gatewaytest is a scripted Chat Completions server for tests of the gateway and of programs that embed it.
//
// An Upstream answers each request with the next Answer of its script and the last one for ever after. An Answer is
// a status, headers and steps: bytes to send, a time or a channel to wait for, a cut of the connection. The
// constructors build ordinary answers; Quirks lists the odd ones that real servers give. Every request is recorded.
//
// The package listens on 127.0.0.1 only. It checks nothing about the requests: what a strict server would refuse is
// known to package chat.
package gatewaytest
