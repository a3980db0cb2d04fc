// Package kill ends a host by a real SIGKILL at every single call that changes the disk, and at random moments, and
// shows that recovery, the next preparation and clean-up keep the guarantees of the layout engine: no byte of the
// user's is lost, and nothing of a session is left that no record tells of. It holds tests only.
package kill
