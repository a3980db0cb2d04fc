package adapter

import (
	"path/filepath"

	"github.com/hashicorp/go-plugin"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Source says where an adapter comes from: a binary, or a value in this process.
type Source struct {
	// Provider is the id of the provider that the adapter serves. With it, a call for one provider starts no other
	// adapter. Without it, the adapter is started to be asked. A wrong id is an error of every call to it.
	Provider string
	// Path is the absolute path of the adapter's binary.
	Path string
	// Args are its arguments, for a binary that holds several adapters.
	Args []string
	// SHA256 is the lower-case hexadecimal digest that the binary must have. Without it the binary is refused, unless
	// UnsafeAnyDigest.
	SHA256 string
	// UnsafeAnyDigest runs whatever stands at Path, for development. It is said in logs, manifests and listings.
	UnsafeAnyDigest bool
	// UnsafeAttach asks a process that somebody started under a debugger, in the place of a binary. Nothing says which
	// program that is; it is never ended, is waited for as long as it takes, and nothing that it answers is remembered. It is
	// said in logs, manifests and listings. See [ParseAttach].
	UnsafeAttach *plugin.ReattachConfig
	// InProcess is an adapter in this process. It goes through the same encoding, limits and checks as a binary.
	InProcess preparer.Preparer
}

// label names the source in messages, without a path of the machine.
func (s Source) label() string {
	base := s.base()
	if s.Provider == "" || s.Provider == base {
		return "adapter " + base
	}
	return "adapter " + s.Provider + " (" + base + ")"
}

// base is the name of the binary, without where it is.
func (s Source) base() string {
	switch {
	case s.InProcess != nil:
		return inProcess
	case s.UnsafeAttach != nil:
		return Attached
	}
	return filepath.Base(s.Path)
}

// check says what is wrong with the source as it stands, without a look at the disk.
func (s Source) check() error {
	bad := func(detail string) error { return fault.New(fault.Invalid, "configure", s.label(), detail) }
	binary := s.Path != "" || len(s.Args) > 0 || s.SHA256 != "" || s.UnsafeAnyDigest
	switch {
	case s.UnsafeAttach != nil && (binary || s.InProcess != nil):
		return bad("an adapter that is attached to has no path, arguments or digest, and is not in this process")
	case s.UnsafeAttach != nil:
		return attachable(s.UnsafeAttach)
	case s.InProcess != nil && binary:
		return bad("an adapter in this process has no path, arguments or digest")
	case s.InProcess != nil:
		return nil
	case s.Path == "":
		return bad("neither a path nor an adapter in this process is given")
	case !filepath.IsAbs(s.Path):
		return bad("the path is not absolute")
	case s.SHA256 != "" && !isDigest(s.SHA256):
		return bad("the digest is not 64 lower-case hexadecimal digits")
	}
	return nil
}
