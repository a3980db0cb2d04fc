// Package canon holds the text that agents read: one instructions document in sections, a shorter prompt for hosts that
// place skills themselves, and the skills, as Markdown in this binary, and renders them for one host, one kind of client
// and the commands that a session has. See docs/decisions/008-content.md.
//
// No text of an agent comes from anywhere else: adapters place handles to what this package rendered. What differs
// between clients is data of their descriptors ([Facts]); no provider is named here, and neither is a session, a path or
// a machine, so equal facts give equal bytes everywhere.
//
// Templates are parsed once, when a [Set] is made, and everything about them that can be wrong is found then or when
// they are rendered: an unknown field, skill, command or input is an error, never an empty string. A Set is safe for concurrent use.
package canon
