// Package depot keeps the adapter binaries that were installed from signed releases, and the lock file that says which of
// them are started. A release is a directory with the binaries of all platforms and the signature over their digests; of
// these the lock file takes all, and the depot the binary of this platform. The binary is copied and hashed in one pass,
// into a directory that is named by its digest, and started from there: whatever becomes of where it came from.
//
// It starts nothing. Package adapter does, and hashes the binary once more beside starting it.
//
// Invariants: what the trust policy does not believe is neither written nor given; the lock file names a binary only after
// that is durable.
package depot
