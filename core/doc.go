// Package core prepares sessions of coding agents and takes them away again. A program embeds a [Host], asks it to
// [Host.Prepare] a [Session], starts the client with the [Prepared] overlay, and later asks for [Host.Cleanup].
//
// Core alone writes: adapters (package sdk/preparer) decide what a session should look like, in another process, and
// core checks and carries it out, records it before it changes anything outside its own state, and removes exactly
// what it wrote. It does not start clients, own credentials, or know any provider by name.
//
// A Host is safe for concurrent use, and several processes may use one state directory at once.
package core
