// Package overlay makes an adapter of data: what an extension declares of its agent becomes a descriptor and a layout,
// the same that the adapter of a provider answers, so that the rest of core treats both alike and knows of none by name.
//
// It is pure, like every adapter: it reads no file and no environment. It trusts nothing that it is given: [New] holds the
// declaration to the rules of package runtimeprep again, whoever has read it before, and what it answers is held to those
// of sdk/rules by whoever carries it out. Whether a package was signed by somebody who may is decided before.
//
// An [Overlay] does not change and is safe for concurrent use.
package overlay
