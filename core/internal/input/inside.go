package input

import (
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// inside refuses a file that a link leads out of its home, for an input that has to stay there.
func (it *Item) inside(roots Roots, l preparer.Location, at located) error {
	if !it.Input.Inside {
		return nil
	}
	home := roots.Workspace
	switch l.Base {
	case preparer.BaseHome:
		home = roots.Homes[l.Home]
	case preparer.BaseUser:
		home = roots.User
	}
	within, err := fsroot.Resolve(home)
	if err == nil {
		var to, rel string
		if to, err = fsroot.Resolve(at.path); err == nil {
			if rel, err = filepath.Rel(within, to); err == nil && filepath.IsLocal(rel) {
				return nil
			}
		}
	}
	return fault.Wrap(err, fault.LinkRefused, "read input", at.label, "is a link that leads out of its home, and only what lies there is copied").
		WithHint("put the file itself there")
}
