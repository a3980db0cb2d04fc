// Package opencode is the adapter for OpenCode: it says what a session of that client looks like, and does nothing.
// Everything here was tried on the real client, version 1.18.33.
//
// A session has a configuration directory of its own, which the client reads last of all: instructions, skills and an
// opencode.json. The user's own directory cannot be moved, because XDG_CONFIG_HOME names it and logins of other programs
// lie there too; so what is to stay out is switched off by name, and what the client gives no switch for is reported as
// coming along. Data and logins of the client stay where they are.
//
// A model endpoint becomes one provider with a constant id, and the only one that is on. Whatever a file deeper down says
// of a provider of that name is overridden key by key. The configuration of the project stays out of such a session,
// since it could start programs or read variables; its instructions and skills come along. The key stands in one
// variable of the client's process, which the commands of the agent see too: the session says so.
package opencode
