// Package translate turns a Responses request into a Chat Completions request (Request) and what the upstream answers
// into a Responses stream (Stream) or object (Answer).
//
// All of it is pure: no I/O, no clock, no randomness but Options.NewID. The same request gives the same bytes, and a
// request whose input begins like an earlier one gives messages that begin with the same bytes, because upstreams cache
// by prefix. What a strict upstream would refuse in the history is repaired, since a refused item would come back with
// every later request; each repair is counted by name. A tool item is only finished after the upstream finished well,
// because agents act on it at once.
package translate
