// Package skill holds what a skill of ours is, how its name is chosen beside the user's, and the store in which the
// sets of skills that sessions share lie read-only.
//
// A skill's name is the name of its directory and the `name` of its front matter; the two are kept equal. The user
// wins: where a skill of theirs has a name, ours gets another ([Resolve]), and nothing of theirs is touched.
//
// A bundle is a set of skills under one digest of its bytes. It is complete or absent, is never changed after it was
// published, and is checked once in a process before it is used; one that is damaged is put aside and made again. The
// package does not place anything in a session (package layout links to a bundle), and knows who uses a bundle only when
// it is told ([Store.Collect]): a session's manifest records the digest that it leases.
package skill
