// Package cli is the command line tool greenroom. [Run] does one invocation: it gets everything it may use in a
// [System], answers on the writers in it, and returns the exit status. It reads no environment, home or working
// directory of its process, so that tests run it many times side by side.
//
// Each file holds one command, or one idea that several share. What is shown to people is drawn by package view; what
// is for programs (--json) is the value that core answered.
package cli
