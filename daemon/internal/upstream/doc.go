// Package upstream is a scripted model endpoint on the loopback interface, for showing a real client at work without
// an account: it answers every request for a turn with the same text and keeps what it was sent. It speaks as much of
// the Responses, the Messages and the Chat Completions API as a plain text turn needs, and checks no credential.
package upstream
