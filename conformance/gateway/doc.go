// Package gateway runs the real Codex on a scripted Chat Completions endpoint, through the command line tool as a person
// uses it. It holds tests only.
package gateway
