// Package launchtest plays clients for tests of package launch and of hosts: one that speaks the Codex app-server protocol
// as the real one does, and that can be told to refuse, not to know, to hang and to end. It starts no process.
package launchtest
