// Package codex is the adapter for the Codex CLI: it says what a session of that client looks like, and does nothing.
//
// A session has a Codex home of its own, which CODEX_HOME names. What the user has in theirs is brought along kind by
// kind: the configuration as an edited private copy, made afresh at each preparation; skills one by one as links; the
// login as a link, since a second live copy of it would log one of them out (H01); files that the client may write to as
// private copies. Nothing in the user's home is changed by preparing. A hook that the user trusts is trusted in a session,
// and one that they do not trust is not; what a person trusts inside a session is forgotten with its next preparation.
//
// A session runs on the user's own login or provider, or is bound to a model endpoint that speaks the Responses API, such
// as a route of the gateway. In saver mode it has a worker of its own, in the place of the client's default role.
// Everything here was tried on the real client, version 0.171.0.
package codex
