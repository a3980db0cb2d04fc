// Package sse reads server-sent events with bounded memory.
//
// The reader takes every line ending (LF, CRLF, CR), a byte order mark, comments, data in several lines and a last event
// without an empty line behind it, because upstreams send all of these. It works on bytes: text that was cut in the
// middle of a character by the network is whole again in the event.
package sse
