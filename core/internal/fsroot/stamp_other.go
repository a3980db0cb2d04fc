//go:build !linux

package fsroot

import (
	"io/fs"
	"time"
)

// Stamp tells one state of a file from every other. There is none on this system.
type Stamp struct{}

// StampOf says that there is no stamp, so that what would be remembered by one is looked at again.
func StampOf(fs.FileInfo) (Stamp, bool) { return Stamp{}, false }

// Settled says that nothing is known of it.
func (Stamp) Settled(time.Time) bool { return false }
