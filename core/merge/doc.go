// Package merge edits configuration files on their parsed trees: TOML, JSON, JSONC and YAML, and managed blocks in plain
// text. All functions are pure: bytes in, bytes out. What has to be known of the disk is asked through [Env].
//
// It does not choose bases, resolve handles or write files; the layout engine does.
//
// Invariants:
//   - Nothing is edited by line or by substring. What was written is parsed again and compared with the tree that was
//     meant; a difference is an error.
//   - Input that does not parse is an error with a line, never an empty document.
//   - When no edit changes anything, the base is returned byte for byte.
//   - Values that no edit names keep their meaning. YAML keeps comments, order, anchors and merge keys; JSON keeps order
//     and the digits of its numbers, JSONC loses its comments; TOML loses comments and order.
//   - A key that stands twice is refused in every format, and so are files of more than 8 MiB or 10,000 levels.
//   - No message holds a value of the file: only labels, key paths, kinds, lines and base names.
//
// The functions are safe for concurrent use.
package merge
