// Package demo shows the main job of Greenroom from end to end without touching anything of a person's: in scratch
// folders with an invented home it prepares a session for each adapter, shows what is there, runs the client in it,
// takes the session away and looks for what is left.
//
// A real client plays where one is found, against a scripted endpoint on the loopback interface, so that what reaches
// a model can be read. Where none is found a plain program reads the session through the overlay alone. Neither needs
// an account, and neither leaves the machine.
package demo
