// Package tuttiagent is the adapter for Tutti Agent: it says what a session of that client looks like, and does nothing.
//
// A session has a home of its own, which TUTTI_AGENT_HOME names. The login is a link, with the lock that the client takes
// while it refreshes it; a host may name another one, or withhold it, and then the user's configuration stays behind as
// well. The configuration is copied once and is the client's from then on; what a session needs is set again each time.
// Our skills lie in the store, and the client is told of them over its protocol; those that it unpacks itself are swapped
// for a copy in the store, so that a model reads the same paths in every session.
//
// Tutti Agent is in no package registry. It is built from Codex and speaks the same protocol, so Codex, version 0.171.0,
// stands in for it where this adapter is tried on a real client; what only Tutti Agent has (its login, the name of its
// marker file) is as its maker documents it.
package tuttiagent
