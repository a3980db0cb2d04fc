// Package preparertest is the conformance kit for adapters, to be run with go test by whoever writes one:
//
//	func TestConformance(t *testing.T) {
//		preparertest.Run(t, preparertest.Config{Preparer: stagehand{}, Binary: built})
//	}
//
// [Run] holds an adapter to its descriptor over a thousand requests made of it, in this process and, with a binary, in
// another. [Golden] compares layouts with text files that people can review. [CheckDescriptor] and [CheckLayout] are the
// rules on their own.
//
// The kit judges what can be judged without a host and without the client: it does not carry a layout out, and passing
// it does not show that the client reads what was placed. The host checks every layout again.
package preparertest
