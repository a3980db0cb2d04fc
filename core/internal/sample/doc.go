// Package sample is a catalog of commands for tests: every command that the canonical texts know, and others, sixty in
// all. No program imports it.
package sample
