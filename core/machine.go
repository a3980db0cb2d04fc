package core

import (
	"os"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// machineSettings says whether the machine has settings for a client. The paths are those of every system: one that is not
// absolute here is of another.
func (h *Host) machineSettings(d preparer.Descriptor) bool {
	for _, at := range d.MachineSettings {
		at = filepath.FromSlash(at)
		if !filepath.IsAbs(at) {
			continue
		}
		if root := h.cfg.MachineRoot; root != "" {
			at = filepath.Join(root, at[len(filepath.VolumeName(at)):])
		}
		if _, err := os.Lstat(at); err == nil {
			return true
		}
	}
	return false
}
