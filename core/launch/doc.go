// Package launch starts the client of a prepared session and speaks its protocol.
//
// A client of the Codex app-server protocol is told, between its handshake and its first thread, what the session's layout
// asks for: its own skills go into the store, it is told of the directories of ours, and it has to list each of them. Any
// step that fails, fails the start; a thread never runs without what was prepared for it.
//
// The package shows nothing to a person, decides nothing that the agent asks (a request of the client that no handler
// answers is refused), and stores nothing. Prepare does that, and must have been called for this start.
//
// An error is a *core.Error: core.ErrHandshake when the client refuses, does not know or does not survive a step,
// core.ErrSkillsMissing, core.ErrSnapshot. What a client says about its own error may name paths, so it is not in the
// message; errors.As gives the *RPCError.
package launch
