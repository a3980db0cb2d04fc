// Package layout turns an adapter's layout into files. It checks a layout against the host's policy ([Check]), resolves
// its handles into the concrete tree of one session ([Compile]), and makes the disk look like that tree
// ([Tree.Apply]), writing only what differs.
//
// Compile reads and never writes. Apply writes below the session's directory only, through package fsroot, and follows
// no link there; managed blocks in the workspace are carried out by package manifest. Nothing here calls an adapter or
// takes a lock: the caller holds the session's.
package layout
