// Package lines carries messages over a pair of pipes, each on one line.
//
// It does not know what is in a line. Invariants: a line that is longer than the limit is never held whole and ends the
// reading; a write that the other side does not read ends with its context; lines of several writers are never mixed; whatever
// waits on a connection ends with it, and an answer that came before that is taken.
package lines
