// Package process starts an adapter binary for the tests of this module and for the conformance kit. It is a plain
// host: a private socket directory, no inherited environment, a lifeline, gRPC with mutual TLS. It keeps nothing warm,
// checks no digest and restarts nothing; the adapter host of core does that.
package process
