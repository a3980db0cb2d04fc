package adapter

import "github.com/greenroom-agents/greenroom/sdk/preparer"

// Source says where an adapter comes from: a binary, or a value in this process.
type Source struct {
	// Path is the absolute path of the adapter's binary.
	Path string
	// Args are its arguments, for a binary that holds several adapters.
	Args []string
	// SHA256 is the lower-case hexadecimal digest that the binary must have. Without it the binary is refused, unless
	// UnsafeAnyDigest.
	SHA256 string
	// UnsafeAnyDigest runs whatever stands at Path, for development. It is said in logs, manifests and listings.
	UnsafeAnyDigest bool
	// InProcess is an adapter in this process. It goes through the same encoding, limits and checks as a binary.
	InProcess preparer.Preparer
}
