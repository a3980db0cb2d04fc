// Package kimi is the adapter for Kimi Code: it says what a session of that client looks like, and does nothing.
// Everything here was tried on the real client, version 2.1.0.
//
// A session has a KIMI_CODE_HOME of its own. Our text stands behind the user's in its AGENTS.md, which the client reads
// whole; a plugin's prompt is dropped in silence beyond 32 KiB. Our skills lie one directory down in its skills
// directory, where only skills of the project come before them. What the user set up comes along as copies, since the
// client edits its files in place, but for the login: that is the user's own directory, so that there is one copy of it
// and one lock, whichever session refreshes it.
//
// On a model endpoint the session's config.toml names the key's variable, and knows no provider but ours. Nobody is
// logged in there. The client hands its whole environment to the commands that it runs, the key included, and gives no
// way to hold it back; the session says so.
//
// What lies in ~/.agents the client finds through HOME, which is never redirected. Skills there are hidden by empty ones
// of the same name in the session; instructions and agents cannot be left out, and the host reports them as such.
//
// A conversation that is resumed keeps the text and the list of skills that it began with. So the skills of a session
// stay where they are from its first preparation on.
package kimi
