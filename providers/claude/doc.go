// Package claude is the adapter for Claude Code: it says what a session of that client looks like, and does nothing.
//
// The user's Claude home is used where it is. A home of our own would log the user out, because the client files its
// login by the exact text of CLAUDE_CONFIG_DIR (H08), so that variable is neither set nor changed here. What is ours
// comes by flags: a prompt file, a plugin with the skills, and, only when something of the user's is to stay out, a
// settings file that says so. The client takes one --settings, the last: a person who passes their own to such a session
// brings back what was to stay out, and the session says that in a diagnostic.
//
// A session is on the user's own login or on a model endpoint of the anthropic protocol. The endpoint is bound by the
// environment; settings files would beat that, so the client is told that a host manages its provider, and the settings
// file of ours, which holds no secret, closes what that leaves open. Everything here was tried on the real client, version
// 2.1.197.
package claude
