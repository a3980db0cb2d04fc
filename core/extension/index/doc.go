// Package index reads the public documents by which publishers offer releases of an extension: tutti.agent.versions.v1,
// the list of them, and tutti.agent.release.v1, one release with the digest of its zip file and an Ed25519 signature over
// the canonical form of the rest. It says whether a policy believes a release, and which of a list fits a host.
//
// It writes neither document, unpacks nothing, and makes no network connection: bytes come from a [Source] that the host
// gives. [Directory] is one that reads files.
//
// Invariants:
//   - Documents are read strictly: a field that is not known, stands twice or is of another kind is refused. Only the manifest
//     that a release holds may have fields that are not known here, and those are signed with the rest.
//   - The signature is over the canonical form of the bytes that came, never of what was understood of them.
//   - A list is signed by nobody. It can hide a release, and cannot make one, nor make an older one newer.
package index
