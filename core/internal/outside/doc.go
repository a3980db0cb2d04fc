// Package outside makes text of other programs fit to stand inside a document of ours. It does not judge what such
// text says: it only takes from it the means to be read as structure.
package outside
