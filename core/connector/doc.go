// Package connector is the pure part of what an agent is told of connectors: services that a person has joined to the
// workspace and that are reached through the host's tool. It renders the routing index by which an agent recognises a
// request for one of them and the set that is enabled, and works out what has changed since an agent was last told.
//
// Beside that it holds the MCP servers by which a client reaches connectors itself ([Server]). Their credentials are no
// part of what is told: an adapter gets a handle for each and places it in the environment.
//
// No service is named here. The index comes from the host, and its texts are bounded and can open nothing. The package
// calls no connector and keeps no state: what was announced is a value that the host stores.
package connector
