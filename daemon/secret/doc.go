// Package secret seals credentials for storage: AES-256-GCM with a random nonce, bound to the workspace, the plan and the
// revision that they belong to, so that a sealed credential cannot be moved to another row. Sealing keys are made by HKDF
// from secrets that lie outside the store: in a file that only its owner reads, in a keychain, or in a variable of the
// environment.
//
// A [Ring] holds the key that seals and older ones that only open, and opens what the legacy derivation sealed. It stores
// nothing. A ring is immutable and safe for concurrent use.
package secret
