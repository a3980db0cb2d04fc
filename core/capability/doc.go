// Package capability resolves what one kind of host gives its sessions. A [DeploymentProfile] lists capability packs; a
// pack decides about its policy, its skills and its environment together, so that an agent is never told of something
// that it cannot do. Skills of hosts and of single sessions join behind those of packs.
//
// Packs get a narrow [View] of a session: no secret, no path and no session id can be reached from it, and texts are
// rendered by package canon from values that hold none either. Resolution is deterministic: equal choices give equal
// results, in the order of the profile. Errors name the pack. The package writes nothing and keeps no state.
package capability
