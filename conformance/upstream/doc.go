// Package upstream plays the part of a model provider on loopback, for tests that run real clients. A [Server] speaks
// one model protocol, records every request with its headers and body, and answers from a script; a [Proxy] refuses
// and records what a client wants to reach beyond loopback.
//
// It knows only as much of a protocol as the pinned clients need. It judges nothing: what a request should hold is the
// business of the test that reads it. Nothing here is a general fake of a vendor's service.
//
// All types are safe for concurrent use. A server answers when the script has run out, so that a client that asks once
// more than expected ends and the test can say what it saw.
package upstream
