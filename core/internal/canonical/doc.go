// Package canonical writes a JSON document in the one form that signatures of the public release documents are over, so
// that white space and the order of fields do not count: no white space, names sorted by their bytes, numbers as the
// nearest double in its shortest decimal form, and strings with the escapes that Go's encoding/json makes, which are those
// of RFC 8785 and further <, >, &, U+2028 and U+2029.
//
// Invariants:
//   - Two documents that say something different never have the same form. What the form could not keep apart is refused: a
//     number that would be rounded, half of a surrogate pair, a name that stands twice.
//   - The form is a JSON document, says the same, and is its own form.
//
// It reads no format, and signs and verifies nothing.
package canonical
