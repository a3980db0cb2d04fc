// Package conformance runs the real clients, pinned by clients/package-lock.json, in sessions that Greenroom prepared
// through adapter processes, against a scripted model provider on loopback. What they send and leave behind is compared
// with what Greenroom promises; docs/compatibility.md is made from the results.
//
// The tests skip, and say so, where the clients are not installed. With GREENROOM_REQUIRE_CLIENTS=1 that is a failure.
// They never touch the real home of the person who runs them, and a proxy that refuses everything stands in front of
// every address that is not loopback.
package conformance
