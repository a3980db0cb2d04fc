// Package door is what a server on the loopback interface asks of a request before it looks at anything else: that it is
// for this machine and for no other name of it, that there are not too many, and whether it brings the token.
package door
