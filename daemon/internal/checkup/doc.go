// Package checkup says how things are that sessions need, and how to mend what is wrong, and tries whether a directory
// can hold sessions. It changes nothing that outlives it: to try a directory it makes another one in it, and takes that
// away again.
package checkup
