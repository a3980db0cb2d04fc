// Package download fetches what a publisher offers over the network: the list of releases at an address, and zip files.
//
// Invariants:
//   - Nothing is fetched but over HTTPS, and that holds for every redirection too.
//   - An answer is bounded in size and time.
//   - What came is believed by nobody: it is verified by whoever uses it.
//
// It writes nothing, and asks nobody but when it is called.
package download
