// Package vmhost lets a program prepare and drive agents on another machine, such as a VM, as if they were on its own. A
// [Server] embeds core.Host where the agents run; a [Client] reaches it.
//
// What lies between carries bytes, says which path of the one machine is which of the other ([Paths]), and knows who is at
// the other end ([Trust]). It decides nothing: sessions are prepared by the same core.Host as everywhere; permissions and
// questions are answered, turns admitted and connectors named by whoever holds the client ([Options]); no provider is named.
//
// Every method is a JSON document in a message of gRPC, over mutual TLS 1.3. The types are those of core and core/launch;
// errors are *core.Error with the codes that core gave, and those of this package.
package vmhost
