// Package input looks at the user's things for an adapter: the closed list of files and directories that a descriptor
// names, in the user's client homes, the user's home directory and the workspace. It reads and never writes. What is
// found goes into a [Snapshot], whose files can be compared with the disk again before a session is written from them.
//
// Links are followed, since people keep their settings behind links; nothing but regular files and directories is
// opened, so that a FIFO blocks nobody.
package input
