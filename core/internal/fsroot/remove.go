package fsroot

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Remove removes one name: a file, a link, never its target, or an empty directory.
func (t *Tree) Remove(rel string) error {
	parent, name, err := t.named("remove", rel)
	if err != nil {
		return err
	}
	if err = t.remove(parent, rel, name); err != nil {
		return err
	}
	t.forget(rel)
	return nil
}

func (t *Tree) remove(parent *os.Root, rel, name string) error {
	err := t.before(OpRemove, rel)
	if err == nil {
		err = parent.Remove(name)
	}
	return writing(err, "remove", t.subject(rel))
}

// removePasses is how often a directory is emptied that somebody goes on filling.
const removePasses = 3

// RemoveAll removes a name and all below it. It follows no link, ever, and makes directories writable that are not.
// Nothing there is no error. It goes on after an error, removes what it can, and returns the first.
func (t *Tree) RemoveAll(rel string) error {
	parent, name, err := t.named("remove", rel)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	t.forget(rel)
	return t.removeAll(parent, rel, name)
}

func (t *Tree) removeAll(parent *os.Root, rel, name string) error {
	info, err := parent.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return reading(err, "remove", t.subject(rel))
	}
	if !info.IsDir() {
		return gone(t.remove(parent, rel, name))
	}
	d, err := t.openWritable(parent, rel, name, info)
	if err != nil {
		return err
	}
	defer d.Close()
	for range removePasses {
		if err = t.empty(d, rel); err != nil {
			return err
		}
		if err = gone(t.remove(parent, rel, name)); !isNotEmpty(err) {
			return err
		}
	}
	return err
}

// openWritable opens a directory whose entries can be removed.
func (t *Tree) openWritable(parent *os.Root, rel, name string, info fs.FileInfo) (*os.Root, error) {
	writable := info.Mode().Perm() | 0o700
	d, err := sameDir(parent, name, info)
	if errors.Is(err, fs.ErrPermission) {
		if err = t.chmodName(parent, rel, name, info, writable); err != nil {
			return nil, err
		}
		d, err = sameDir(parent, name, info)
	} else if err == nil {
		if err = t.chmodDir(d, rel, info, writable); err != nil {
			d.Close()
		}
	}
	if errors.Is(err, errSwapped) {
		err = fault.Wrap(err, fault.LinkRefused, "remove", t.subject(rel), "replaced while it was being opened")
	}
	return d, reading(err, "remove", t.subject(rel))
}

// empty removes what is in a directory.
func (t *Tree) empty(d *os.Root, rel string) error {
	entries, err := list(d)
	if err != nil {
		return reading(err, "remove", t.subject(rel))
	}
	var failed error
	for _, entry := range slices.Backward(entries) {
		name := entry.Name()
		below := rel + "/" + name
		if entry.IsDir() {
			err = t.removeAll(d, below, name)
		} else {
			err = gone(t.remove(d, below, name))
		}
		failed = first(failed, err)
	}
	return failed
}

// gone lets somebody else remove a name first.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
