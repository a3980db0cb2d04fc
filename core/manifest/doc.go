// Package manifest is the durable record of sessions: what was written for one, where, what stood there before, and in
// which state it is. Clean-up and recovery are functions of the record and the disk alone, never of anything that a
// process remembers.
//
// The record of a session lies beside its directory, never in it:
//
//	m/<name>.json   the manifest: one line of JSON, and its SHA-256
//	s/<name>        the session's directory; <name>.new until it is first complete, <name>.gone once it is given up
//	w/<hash>.json   which sessions share which managed blocks of one workspace
//	h/<hash>.<name> which running session holds a login of one file of the user's
//	c/<name>.<mark> a client that runs in a session, and by which process it was started
//
// Locks are flock on directories, so that they end with the process. Their order: session, workspace, home. No lock
// is held over a call to another process.
//
// The package does not decide what a session should look like (package layout does).
package manifest
