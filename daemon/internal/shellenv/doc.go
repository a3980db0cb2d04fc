// Package shellenv writes the difference of two environments as lines for a POSIX shell. It decides nothing about what
// the difference should be, and runs no shell.
package shellenv
