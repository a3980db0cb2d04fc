// Package trustbook keeps which workspaces a person said that they trust, so that they are asked once.
//
// Each has a file of its own, named by a digest of its path with all links resolved: two that answer at once do not
// disturb each other, and a link that is led elsewhere later is another workspace. It knows a yes only. What it cannot
// read or does not understand is no.
package trustbook
