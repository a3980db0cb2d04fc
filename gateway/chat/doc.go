// Package chat is the wire of OpenAI's Chat Completions as upstreams really speak it: Parse reads a chunk or an answer
// with the liberties they take, without decoding what is only passed on, and Validate checks a request the way the
// strictest of them does.
//
// It knows nothing of the Responses API and does no I/O.
package chat
