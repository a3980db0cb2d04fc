// Package openai drives the gateway with the Go client of the vendor of the Responses API, which knows nothing of this
// repository: what it reads from the gateway is what it would read from the vendor. It holds tests only.
package openai
