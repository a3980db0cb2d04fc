// Package connector is the pure part of what an agent is told of connectors: services that a person has joined to the
// workspace and that are reached through the host's tool. It renders the routing index by which an agent recognises a
// request for one of them and the set that is enabled, and works out what has changed since an agent was last told.
//
// No service is named here. The index comes from the host, and its texts are bounded and can open nothing. The package
// calls no connector, keeps no state and sees no credential: what was announced is a value that the host stores.
package connector
