// Package api serves model plans, agents and sessions of a data directory over HTTP, as openapi.yaml says; the document is
// embedded, served, and held against the handlers by tests.
//
// Whoever has the token may do everything that it offers. It listens where its caller does, which is a loopback address:
// requests for another host and those that a browser sends for a page are refused whatever token they hold. Bodies and the
// rate of requests are bounded. Changes name the revision that they were made from (If-Match). Problems are told as problem
// details (RFC 9457) with a code. No answer and no event holds a credential.
package api
