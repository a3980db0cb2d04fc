package fsroot

import (
	"io/fs"
	"syscall"
	"time"
)

// Stamp tells one state of a file from every other: writing to a file, replacing it or changing its mode changes it, and
// no program can set the time of change that is in it.
type Stamp struct {
	dev, ino, size    uint64
	modified, changed syscall.Timespec
	mode              fs.FileMode
}

// StampOf is the stamp of what info describes, and whether the system tells enough to have one.
func StampOf(info fs.FileInfo) (Stamp, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}, false
	}
	return Stamp{uint64(st.Dev), st.Ino, uint64(st.Size), st.Mtim, st.Ctim, info.Mode()}, true
}

// settling is longer than one tick of the clock of any file system.
const settling = 2 * time.Second

// Settled says whether the file was last changed so long before a time that a change since then has another stamp. File
// systems count time in ticks: two changes within one tick may have the same.
func (s Stamp) Settled(now time.Time) bool {
	return time.Unix(s.changed.Unix()).Before(now.Add(-settling))
}
