// Package client asks a running daemon for its plans, agents and sessions: the Go client of what package api serves, with a
// method for each operation of openapi.yaml, which a test holds it against. It asks through the client that is generated of
// the document (package wire), and gives plans, agents and problems.
//
// It keeps nothing, and tries nothing twice. What the daemon refuses is a [problem.Error] with the daemon's code, field and
// hint, so that a caller tells errors of a store of its own and those of a daemon in one way. A daemon that cannot be reached
// is [Unreachable]. No credential is in an error.
package client
