// Package lockfile reads and writes greenroom.lock.yaml: which adapters a host starts, with the digests of their binaries
// for all platforms, so that one file serves a team whose machines differ. It says what was decided, and decides nothing:
// package depot does, by a trust policy.
//
// Invariants: a file that is not understood whole is refused; what is written is sorted, so that equal locks are equal
// bytes.
package lockfile
