// Package command holds what a session knows of the host's own command line tool: the catalog that a host supplies,
// the projection that narrows it for one session, and the immutable [Snapshot] from which guide, examples and approval
// rules of one preparation are made.
//
// A catalog that fails is an error and never an empty set. A projection has an explicit mode; what it asks for and is
// not there is an error, and nothing is broadened. The package runs no command and enforces nothing by itself: a host
// asks it by session whether a command may run, since what an agent was told is no limit.
//
// Snapshots are safe for concurrent use.
package command
