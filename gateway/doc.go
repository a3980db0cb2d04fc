// Package gateway is the loopback Model Gateway: it will speak the OpenAI Responses API to an agent and Chat
// Completions to an upstream. It imports nothing else of Greenroom and is useful alone. It has no code yet.
package gateway
