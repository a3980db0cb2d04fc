// Package fsroot is the only place of the host that writes, renames, links or removes files. A [Tree] is a directory
// that is held open; everything below it is reached by walking from there, one name at a time, without following a
// link. Files of the user that may well be links are read by [ReadInput], [StatInput] and [ListInput], which follow
// links and never write.
//
// It knows nothing of sessions, manifests or who owns a file, decides on no name but its own temporary ones, and
// takes no lock by itself.
//
// Invariants:
//   - No call resolves a link below a tree. A component that is a link gives [fault.LinkRefused], whether it points out
//     of the tree or not. Each directory is looked at, opened and compared before it is used, and kept open.
//   - A file that is not regular is never opened, so a FIFO cannot block and a device has no effect.
//   - A file is replaced by writing another beside it and renaming. Nothing is written through a link or into a file
//     that has other hard links, and a reader sees the old bytes or the new ones.
//   - Every call that may change the disk passes the [Seam] first.
//   - Errors carry labels and relative paths, never an absolute path. [fs.ErrNotExist], [fs.ErrExist] and
//     [fs.ErrPermission] stay reachable with errors.Is.
//
// A tree believes the directories it has opened: when another process replaces one, calls go on in the old directory.
// [Tree.Sub] and [Tree.Lock] look again, so open, lock, then work. A process that swaps names between two system calls
// can make a call fail or act on another name in the same tree; it cannot lead a call out of the tree.
package fsroot
