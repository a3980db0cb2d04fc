// Package modelendpoint holds what a session is told of the endpoint that its models are at: protocol, base URL, models,
// and the credential. It asks no endpoint anything and knows no client.
//
// A [Key] shows its value to no printing, logging or encoding; [Key.Reveal] is the one way to it. An adapter is told
// everything of an endpoint but the key, for which it has a handle.
package modelendpoint
