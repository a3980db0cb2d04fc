// Package roster finds the adapter binaries that a command line tool may start, and the digests they are pinned to. It
// starts nothing: whether a binary has the digest is checked by core, beside starting it.
//
// An adapter is a file named greenroom-<provider>. Its digest stands in a file adapters.json in the same directory,
// which the build, or `greenroom adapters pin`, writes. One that no such file names is found but not started. Those that were
// installed from signed releases (core/depot) come before the ones beside the tool.
package roster
