// Package trust says whether a release was signed by whom it has to be. A release is a set of files under a name, a
// version and a sequence number: an extension package, or the binaries of an adapter. Its signature is a DSSE envelope
// around an in-toto statement that lists the SHA-256 digest of every file. A [Policy] of the host's says which keys may
// sign what, since when and until when, how many of them it takes, and what was revoked. An [Identity] is a publisher
// without a key; what looks at the bundles that such sign comes from outside, as a [BundleVerifier].
//
// It compares no digest with a file: that is for whoever reads the files, in the same bytes that are then used. It makes
// no network connection, looks at no clock but the one that it is given, and knows nothing of where files lie.
//
// Invariants:
//   - The zero Policy trusts nobody.
//   - The algorithm is that of the key in the policy, never one that a message names. Ed25519 and ECDSA P-256 are known.
//   - What is signed is bytes. Nothing is decoded before a key of the policy has signed it, and the payload type and the
//     kind of the statement are held to what was asked for.
//   - Names are compared for equality, never as a part or a pattern of each other.
//   - A refusal says what was expected and what was found.
package trust
