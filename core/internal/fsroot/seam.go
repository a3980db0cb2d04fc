package fsroot

import "sync/atomic"

// The operations that a [Seam] sees. Each is one call that may change the disk: of these the system sees exactly one
// call that succeeds, when the operation succeeds.
const (
	OpMkdir   = "mkdir"
	OpCreate  = "create" // of an empty file, always exclusive
	OpWrite   = "write"  // of the whole content
	OpChmod   = "chmod"  // only where the mode is not the wanted one already
	OpRename  = "rename"
	OpLink    = "link"
	OpSymlink = "symlink"
	// OpJunction is that of a directory of Windows.
	OpJunction = "junction"
	OpRemove   = "remove" // of one name
	OpSync     = "sync"   // of a file or a directory; changes nothing that can be seen, but can fail
)

// Seam counts every call that may change the disk, so that tests can fail or kill at each. A nil *Seam does nothing.
// One Seam may serve several trees at once.
type Seam struct {
	// Before is called in front of each call with n = 1, 2, ... and the path relative to the opened tree. The call is
	// not made when it returns an error, and fails with that error. It may be nil.
	Before func(n int64, op, name string) error
	// Linker makes links in the place of the system's, unless the tree has one of its own. nil: the system's.
	Linker Linker

	calls atomic.Int64
}

// Count is how many calls were made or refused so far.
func (s *Seam) Count() int64 {
	if s == nil {
		return 0
	}
	return s.calls.Load()
}

func (t *Tree) before(op, rel string) error {
	s := t.shared.seam
	if s == nil {
		return nil
	}
	n := s.calls.Add(1)
	if s.Before == nil {
		return nil
	}
	return s.Before(n, op, t.prefix+rel)
}
