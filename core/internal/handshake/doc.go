// Package handshake is what a prepared session hands to package launch for the time between the client's handshake and its
// first thread: directories of skills to tell it of, skills to look for, a tree to put into the store. Paths of the store
// stand here, which belong to no public type, so nobody outside of core can read them.
//
// It does nothing: core makes the steps, and launch takes them.
package handshake
