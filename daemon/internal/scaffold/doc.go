// Package scaffold holds the files that a new extension package begins with. They are whole: they validate, and a session
// can be prepared by them. It writes nothing.
package scaffold
