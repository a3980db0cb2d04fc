// Package binding binds agent sessions to model plans: agent, plan, endpoint, route through the gateway, prepared session.
// Between two turns it follows the plan. What a turn began with it ends with.
//
// [Binder.Begin] prepares a session on what its agent, or a plan that was named, says now. [Binding.Admit] goes before each
// turn, as core/launch calls it: when the plan has a newer revision that a client would notice, it prepares the session
// anew on a fresh route, stores what the session is bound to in place of what it was, and only then makes the new token
// good and the old one dead. Whatever fails before that leaves the old binding as it was, and fails the turn. A revision
// that nobody would notice is stored and nothing else. [Binding.End] ends the route and the hold on the plan's key.
//
// A plan that is disabled goes on in sessions that run, and is refused to those that begin, in another process too; one
// that is deleted ends its sessions with their turn. The key of a plan that is reached through the gateway never leaves
// this process but to the endpoint.
package binding
