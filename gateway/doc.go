// Package gateway is the loopback Model Gateway: it speaks the OpenAI Responses API to an agent and Chat Completions to
// an upstream. It imports nothing else of Greenroom and is useful alone.
//
// A Server listens on a loopback address and serves POST /v1/responses to whoever holds the token of a route. A route
// belongs to one session of one workspace and knows the upstream, its credential and its models. Register prepares a
// route and gives a Handle with a fresh token; the token is good from Commit on, and at that moment, not before, the
// token it replaces is dead. Revoke ends the session's route and every request that runs on it.
//
// Invariants: the credential of a route leaves only in the request to its upstream; nothing of the client's headers
// or of its client_metadata reaches the upstream; no redirect is followed; every stream ends in exactly one terminal
// event or in a closed connection; the next upstream event is read only after the one before was written, so a slow
// client slows the upstream down and no queue grows.
//
// Routes live in memory only. A Server is safe for concurrent use. Passthrough routes, which forward an agent's own
// protocol with the credential swapped in, live on a second listener that is off by default.
package gateway
