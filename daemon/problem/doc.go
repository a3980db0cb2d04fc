// Package problem is what goes wrong with plans, agents and what they are kept in, in a form that a person and a program
// can act on: a code, the field that it is about, and how to mend it. It holds no credential and no path of the user's.
package problem
