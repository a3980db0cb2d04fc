// Package redact keeps a credential out of text that leaves the gateway: out of error messages, and out of model text
// that arrives in pieces.
//
// A credential is recognised as it is and in the forms in which servers echo it: escaped for JSON, escaped for a URL,
// and in base64 at any of the three alignments. Error messages are also cleared of every part of a credential of 12
// bytes or more, because a message may have been cut through it, and of the upstream's host name.
//
// A credential shorter than MinLength is a stand-in that people give to local servers ("EMPTY", "ollama"): it is an
// ordinary word, no secret, and is left alone. The package does no I/O and keeps no state but that of a Filter.
// Secrets is safe for concurrent use; a Filter belongs to one stream of text.
package redact
