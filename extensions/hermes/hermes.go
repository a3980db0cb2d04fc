// Package hermes is an extension package for Hermes Agent: data and its signature, and no code that anything else knows
// of. The directory package holds it as it is installed; [Files] is the same for a host that brings it along.
//
// It is signed with a key that lies beside it for tests, so that its signature says nothing: no policy that comes with
// Greenroom believes that key, and a publisher signs the package with a key of their own.
package hermes

import "embed"

// Files is the package, below "package".
//
//go:embed package
var Files embed.FS
