package fsroot

import (
	"errors"
	"io/fs"
	"os"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Linker makes symbolic links. Tests give one that fails in the ways of other systems.
type Linker interface {
	// Symlink makes name in the directory a link to target, and fails with [fs.ErrExist] when anything is there.
	Symlink(dir *os.Root, target, name string) error
}

// Symlink makes a link, in the place of a file or link that is there. The target is stored as it is given: it may lie
// outside of the tree or not exist. A directory is never replaced: [fault.NotRegular]. Where links cannot be made the
// error is [ErrNoLinks], and what stood there stays.
func (t *Tree) Symlink(target, rel string) error {
	parent, name, err := t.named("link", rel)
	if err != nil {
		return err
	}
	err = t.symlink(parent, target, rel, name)
	if !errors.Is(err, fs.ErrExist) {
		return t.linking(err, rel)
	}
	info, err := parent.Lstat(name)
	if err == nil && info.IsDir() {
		return fault.New(fault.NotRegular, "link", t.subject(rel), "a directory is in the way")
	}
	temp := t.tempName()
	if err := t.symlink(parent, target, rel, temp); err != nil {
		return t.linking(err, rel)
	}
	if err = t.before(OpRename, rel); err == nil {
		err = parent.Rename(temp, name)
	}
	if err != nil {
		t.discard(parent, rel, temp)
	}
	return writing(err, "link", t.subject(rel))
}

func (t *Tree) symlink(parent *os.Root, target, rel, name string) error {
	if err := t.before(OpSymlink, rel); err != nil {
		return err
	}
	return t.shared.linker.Symlink(parent, target, name)
}

func (t *Tree) linking(err error, rel string) error {
	if cause := bare(err); cause != nil && isUnsupported(cause) {
		return fault.Wrap(errors.Join(ErrNoLinks, cause), fault.StateWrite, "link", t.subject(rel), "symbolic links are not available: "+cause.Error())
	}
	return writing(err, "link", t.subject(rel))
}
