// Package serve is the doorway of an adapter binary: its main calls [Serve] with its Preparer and does nothing else.
//
// It speaks go-plugin over gRPC, logs as JSON on standard error, keeps what the adapter writes to standard output away
// from the handshake, and ends the process when its host is gone. It keeps no state of its own beyond the process: call
// it once, from main.
package serve
