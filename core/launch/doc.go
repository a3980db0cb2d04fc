// Package launch drives the client of a prepared session: it starts it, speaks its protocol, puts into each turn what
// belongs there, and ends it with everything it started.
//
// A host that runs clients on a terminal, or drives them itself, has no need of it. It does not prepare sessions, and
// decides nothing about permissions: the host's [Policy] does, and without one nothing is allowed.
//
// Invariants: what the layout asks for over the protocol is done in its order, and any failure fails the start; one turn
// runs at a time; a turn that was cancelled is reported as cancelled, whatever the client says; when a connection is
// closed nothing is left of what the client has started, and what a killed host leaves the next one ends; a client that is
// started again is set up as it was, or says in what it is not; nothing that is secret reaches an error or a log.
//
// A client of the Codex app-server protocol is told, between its handshake and its first thread, what the session's layout
// asks for: its own skills go into the store, it is told of the directories of ours, and it has to list each of them.
//
// In stream-json a process is one conversation: a client that speaks it is started when a conversation begins or goes on,
// and again for another one. What it does by itself between two turns is told to nobody, and may do nothing that has to
// be asked for.
//
// Errors are *core.Error; errors.As gives what the client answered, an *[RPCError].
package launch
