// Package rig is the stage on which the conformance tests run real clients: scratch folders, a user's home with content
// that can be found again, snapshots of directory trees, processes that end, a terminal that a process sits at, and a machine
// whose settings are other ones.
//
// It never touches the real home of the person who runs the tests, and reaches nothing but loopback. It does not prepare
// sessions and judges no client.
package rig
