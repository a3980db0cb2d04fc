// Package extension reads the packages that third parties describe an agent with. A package is a set of files of data: a
// manifest (tutti.agent.manifest.v2) that names every other file, profiles, among them the composer profile
// (tutti.agent.composer.v1), texts and pictures; and the signature of all of them. A [Package] was verified, and holds its
// files in memory: whoever uses it uses the bytes that were verified, whatever becomes of the disk.
//
// It does not read the overlay that a composer profile holds (package runtimeprep), prepares nothing, runs nothing of a
// package and makes no network connection.
//
// Invariants:
//   - A package holds data only: no program, no link, no name that means something else on another system, nothing that
//     its manifest does not name.
//   - Content becomes a Package by a signature that the trust policy believes, or by [Content.UnsafeUnverified].
//   - Documents are read strictly; what is not understood is refused, with file, field and rule.
package extension
