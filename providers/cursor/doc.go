// Package cursor is the adapter for the Cursor Agent CLI: it says what a session of that client looks like, and does
// nothing.
//
// The client runs in the user's own home, so that all of the user's own comes along and their login is used where it
// is. A session adds one plugin of its own, outside of the project, which --plugin-dir names in front of the client's
// acp command. Over ACP the client shows its model neither the skills nor the rules of such a plugin, so the canonical
// instructions and a catalog of the skills, with the paths at which they lie, go with the first prompt. On a terminal
// nobody sends that prompt, and a session has the skills alone.
//
// There are no hooks: nothing of a session needs one, a file of hooks with a single event that the client does not know
// is void as a whole, and over ACP those of a plugin were not run (2026.07.01). The reference implementation keeps a
// guard against tasks in the background that it does not install, for the same reason; see docs/threat-model.md.
//
// No client could be had to try this on. It keeps to what the vendor documents and others measured: plugin layout and
// places of skills by cursor.com/docs, flags and prompt by builds 2026.07.01 to 2026.10.01. Whether the client follows
// links in a plugin is not known, so skills are files.
package cursor
