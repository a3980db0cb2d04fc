// Package keyless looks at Sigstore bundles for package trust: signatures of publishers who keep no key, and of whom an
// issuer of certificates, a log and a clock bear witness. A host that takes such signatures gives a [Verifier] to
// trust.Terms, and names the identities that it believes in its trust policy. It is a module of its own, since what it is
// made of is larger than all the rest of a host.
//
// It decides nobody's rights: whether the one who signed may have is the policy's to say, and so is whether files have the
// digests that were signed. It makes no network connection, and fetches no roots: they are given, pinned, by the host.
//
// Invariants:
//   - What is signed is bound to one certificate of a root, to an entry in a log of the root that holds this very
//     signature, and to a time within the life of the certificate that the log or a clock of the root vouches for.
//   - Where the root names logs of certificates, the certificate was entered there.
//   - A bundle that was signed by a key, or that holds no envelope, is refused.
package keyless
