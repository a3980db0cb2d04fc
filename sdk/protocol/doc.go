// Package protocol carries the plain Go types of package preparer over a wire and back. It holds the contract
// (preparer.proto), the converters both ways, the digests that hosts remember layouts by, an adapter in this process
// behind the same encoding, and the glue to go-plugin. It does not start processes (the host and package serve do) and
// it does not judge a layout (the host does).
//
// Invariants: what is not known is refused, never dropped; a nil and an empty slice or map have the same bytes, and
// decode to nil (the one exception is the Only of an Expose, where nil takes all and empty takes none); equal values
// have equal bytes; no message is larger than [MaxMessage], no value nests deeper than [MaxDepth].
//
// Everything here is safe for concurrent use.
package protocol
