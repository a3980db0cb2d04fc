package fsroot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Linker makes links. Tests give one that fails, and succeeds, in the ways of other systems. Each call fails with
// [fs.ErrExist] when anything is there.
type Linker interface {
	// Symlink makes name in the directory a symbolic link to target.
	Symlink(dir *os.Root, target, name string) error
	// Junction makes name in the directory lead to another directory, by its absolute path. Windows lets everybody make
	// one.
	Junction(dir *os.Root, target, name string) error
	// Hard makes name in the directory another name of a file, by its absolute path.
	Hard(dir *os.Root, target, name string) error
}

// LinkKind is how one place leads to another.
type LinkKind string

// The kinds.
const (
	Symbolic LinkKind = ""
	Junction LinkKind = "junction"
	Hard     LinkKind = "hard"
	// LeftOut stands for a link that none could be made for, and that is not missed.
	LeftOut LinkKind = "none"
)

// IsLink says whether a mode is that of a symbolic link or of a junction.
func IsLink(mode fs.FileMode) bool { return mode&linkModes != 0 }

// Link is [Tree.Symlink], and where those cannot be made a junction to a directory, or another name of a file. The target
// is absolute and, for these two, exists. Where none can be made the error is that of Symlink; what stood there is gone
// then, unless it is a directory.
func (t *Tree) Link(target, rel string) (LinkKind, error) {
	err := t.Symlink(target, rel)
	if !errors.Is(err, ErrNoLinks) || !filepath.IsAbs(target) {
		return Symbolic, err
	}
	real, missing := filepath.EvalSymlinks(target) // another name of a link would be a link
	if missing != nil {
		return Symbolic, err
	}
	info, missing := os.Stat(real)
	if missing != nil {
		return Symbolic, err
	}
	kind, op, link := Hard, OpLink, t.shared.linker.Hard
	switch {
	case info.IsDir():
		kind, op, link = Junction, OpJunction, t.shared.linker.Junction
	case !info.Mode().IsRegular():
		return Symbolic, err
	}
	if kind == Junction {
		real = target // what it leads to may be exchanged
	}
	return kind, t.instead(err, op, link, real, rel)
}

// instead makes a link of another kind. Neither kind can take the place of what stands there in one step.
func (t *Tree) instead(none error, op string, link func(*os.Root, string, string) error, target, rel string) error {
	parent, name, err := t.named("link", rel)
	if err != nil {
		return err
	}
	if info, err := parent.Lstat(name); err == nil && !info.IsDir() {
		if err := t.remove(parent, rel, name); err != nil {
			return err
		}
	}
	if err = t.before(op, rel); err == nil {
		err = link(parent, target, name)
	}
	switch {
	case err == nil:
		return nil
	case isFull(bare(err)), errors.Is(err, fs.ErrExist):
		return writing(err, "link", t.subject(rel))
	}
	return none
}

// Leads says whether a place is a link to a target, of whatever kind.
func (t *Tree) Leads(rel, target string) bool {
	info, err := t.Lstat(rel)
	switch {
	case err != nil || info.IsDir():
		return false
	case IsLink(info.Mode()):
		to, err := t.Readlink(rel)
		return err == nil && to == target
	}
	original, err := os.Stat(target)
	return err == nil && os.SameFile(info, original)
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
