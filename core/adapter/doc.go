// Package adapter is the host of provider adapters. It checks, starts, calls, supervises and ends their processes, and
// calls adapters in this process through the same encoding.
//
// It knows nothing of what a layout means: checking and carrying out belong to package layout. It finds no adapters
// either; a [Source] names each one.
//
// What holds:
//   - No program runs whose SHA-256 is not the pinned one, unless its source says UnsafeAnyDigest. The digest is taken
//     right before the program is executed; that the file cannot be changed in between is up to whoever installed it.
//   - A process that is attached to was started by somebody else, under a debugger; it is asked, and never ended. Only a
//     source that says UnsafeAttach has one, and none of the points below holds for it.
//   - An adapter gets nothing of the host: no standard input, no variable of its environment, no file that is
//     open there (Go marks all that it opens) but a pipe that tells it when the host has died. Its home, temporary and
//     working directory are empty and its own. That is no sandbox: it runs as the user, and is trusted by its digest.
//   - It is in a process group of its own, which is killed as a whole, and it is gone when its host is.
//   - One adapter's failure is an error of calls to it, typed by a code of package fault, and of no other's.
//   - Equal requests are one call. An answer is remembered until as many others have been used since.
//
// A [Pool] is safe for concurrent use.
package adapter
