// Package fault is the one error type of core: a stable code, what was being done, to what, and how to mend it apart
// from the message. It holds no logic. Messages are lower case and carry no absolute user path and no secret: paths
// are named by label, such as "home:codex/config.toml".
package fault
