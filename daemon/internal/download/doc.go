// Package download fetches what a publisher offers over the network: the list of releases at an address, and zip files.
//
// Invariants:
//   - Nothing is fetched but over HTTPS, and that holds for every redirection too. A redirection may lead to another host,
//     whose certificate is looked at like that of the first, and which is not told the address that led to it.
//   - An answer is bounded in size and time, and so is the time in which nothing of it comes.
//   - What came is believed by nobody: it is verified by whoever uses it.
//   - Messages name hosts, and no addresses.
//
// It writes nothing, and asks nobody but when it is called.
package download
