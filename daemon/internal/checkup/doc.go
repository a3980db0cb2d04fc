// Package checkup looks at a machine for what sessions need, and says what it finds and how to mend what is wrong. It
// changes nothing that outlives it: to try a directory it makes a directory in it and takes that away again.
package checkup
