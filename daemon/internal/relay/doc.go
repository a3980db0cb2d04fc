// Package relay runs a gateway for one plan: one upstream, its credential and its models. It counts what went through,
// for the line that a person is told at the end. It prints nothing, reads no environment, and keeps no credential after
// it was given to the gateway.
package relay
