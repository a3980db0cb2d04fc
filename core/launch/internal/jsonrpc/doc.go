// Package jsonrpc speaks JSON-RPC 2.0 over a pair of pipes, one message on a line, as ACP servers and the app-server of
// Codex do.
//
// It does not start programs and knows no method. Invariants: messages are handled in the order in which they came, so
// that every notification in front of an answer has been seen when the call returns; a request of the other side may take
// as long as it likes without holding anything else up; a line that is longer than the limit ends the
// connection; every call ends when the connection does.
package jsonrpc
