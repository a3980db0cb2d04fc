// Package detect checks an endpoint the way that a session would use it, in four stages: network, auth, model_discovery and
// inference. Each says how it went, why it failed and what a person can do, in words for programs. Then it tries what
// agents need beside: a streamed answer and a forced tool call, for an endpoint of the openai protocol through a gateway,
// as its clients do; these are reported and fail nothing.
//
// A check never follows a redirect, since that could carry the credential away; it sends the credential in the one form
// that a session sends it in; it changes no plan; what it reports of an answer is cut and cleared of the credential. It has
// a deadline for each stage and ends with its context. It stores nothing. A Detector is safe for concurrent use.
package detect
