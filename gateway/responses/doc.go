// Package responses is the wire of the OpenAI Responses API: what a request says (ParseRequest, Items), the events of a
// stream (Encoder, append-only), error bodies (Error), and a validator of the event grammar (Validate) that every test
// of the gateway runs on its output.
//
// It knows nothing of Chat Completions and does no I/O. Values of a request are kept as the JSON text they came in.
package responses
