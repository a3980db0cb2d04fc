// Package rtk keeps the program of RTK saver mode: rtk runs an agent's shell commands and shortens what they print. It
// takes a program that the host names by path and SHA-256 into the store, and says what a session sets and where
// the program and its data lie below the session.
//
// It runs nothing, and looks for nothing: not on PATH, and not where package managers put programs. What an agent is told
// of the program is a text of package canon, and by what a client runs its commands through it is up to its adapter.
//
// What holds:
//   - A program stands in the store under its SHA-256, and is compared with it before a session leads to it: once in a
//     process, and again when its file is another one or was written to.
//   - One that is partial or was altered is replaced, by another file and not in place: what runs goes on running.
//   - Where no program of that digest can be had there is an error, and never another program.
package rtk
