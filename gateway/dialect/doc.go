// Package dialect says what an upstream's Chat Completions endpoint takes and how it spells what the standard leaves
// open. A Dialect is data; the translation reads it, nothing here acts.
//
// Default is for hosts nobody has described: it sends no field that a strict endpoint refuses. ForURL finds a known host,
// Named gives one by name, Refused recognises an answer that names an optional field which has to be left out.
package dialect
