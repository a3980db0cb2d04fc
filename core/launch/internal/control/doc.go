// Package control speaks the stream-json protocol over a pair of pipes: messages of a turn, and beside them requests of
// either side, which are answered under their number.
//
// It does not start programs and knows no request. Invariants: messages are handled in the order in which they came; a
// request of the other side may take as long as it likes without holding anything else up, and its context ends when the
// other side withdraws it; every call ends when the connection does.
package control
