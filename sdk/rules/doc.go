// Package rules says what a host takes from an adapter: what a descriptor and a layout may hold. Hosts refuse by it
// before they touch anything, and the kit of package preparertest shows authors the same findings, so that there is
// one policy and both keep it.
//
// The rules look at values only: nothing is read, resolved or changed. What depends on a session, such as whether a
// document has a section, is found by the host when it resolves handles.
package rules
