package fsroot

import (
	"errors"
	"io/fs"
	"os"
)

// Mkdir makes one directory, whose parent must exist. The mode is exact, whatever the umask; 0 is 0700. It fails with
// [fs.ErrExist] when anything is there.
func (t *Tree) Mkdir(rel string, mode fs.FileMode) error {
	parent, name, err := t.named("make directory", rel)
	if err != nil {
		return err
	}
	if mode = mode.Perm(); mode == 0 {
		mode = 0o700
	}
	if err = t.before(OpMkdir, rel); err == nil {
		err = parent.Mkdir(name, mode)
	}
	if err != nil {
		return writing(err, "make directory", t.subject(rel))
	}
	t.forget(rel)
	info, err := t.look(parent, rel, name)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o500 == 0o500 || !keepsModes {
		// It can be opened, is most likely about to be filled, and its mode is best changed through its handle.
		d, err := t.enter(parent, rel, name, info)
		if err != nil {
			return err
		}
		return t.chmodDir(d.root, rel, d.info, mode)
	}
	return t.chmodName(parent, rel, name, info, mode)
}

// MkdirAll makes a directory and the parents that are missing, all with the same exact mode, and says which it made,
// parents first. Directories that are there keep their mode. When it fails, made says what it made before.
func (t *Tree) MkdirAll(rel string, mode fs.FileMode) (made []string, err error) {
	if err := t.check("make directory", rel); err != nil {
		return nil, err
	}
	return t.mkdirAll(rel, mode, nil)
}

func (t *Tree) mkdirAll(rel string, mode fs.FileMode, made []string) ([]string, error) {
	_, err := t.dir(rel)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return made, err
	}
	above, _ := split(rel)
	if above != "." {
		if made, err = t.mkdirAll(above, mode, made); err != nil {
			return made, err
		}
	}
	err = t.Mkdir(rel, mode)
	if errors.Is(err, fs.ErrExist) {
		_, err = t.dir(rel) // somebody else was faster
		return made, err
	}
	if err == nil {
		made = append(made, rel)
	}
	return made, err
}

// Chmod gives a file or directory an exact mode. A link gives [fault.LinkRefused]. Other names of a hard-linked file
// are that file too.
func (t *Tree) Chmod(rel string, mode fs.FileMode) error {
	parent, name, err := t.at("change mode", rel)
	if err != nil {
		return err
	}
	mode = mode.Perm()
	info, err := parent.Lstat(name)
	if err != nil {
		return reading(err, "change mode", t.subject(rel))
	}
	switch {
	case info.IsDir():
		d, err := t.dir(rel)
		if errors.Is(err, fs.ErrPermission) {
			return t.chmodName(parent, rel, name, info, mode)
		}
		if err != nil {
			return err
		}
		return t.chmodDir(d, rel, info, mode)
	case info.Mode().IsRegular() && info.Mode().Perm() == mode:
		return nil
	}
	f, _, err := t.openRegular(parent, "change mode", name, rel)
	if errors.Is(err, fs.ErrPermission) {
		return t.chmodName(parent, rel, name, info, mode)
	}
	if err != nil {
		return err
	}
	return t.chmodFile(f, rel, mode)
}

// chmodDir changes the mode of an open directory, where it is another.
func (t *Tree) chmodDir(d *os.Root, rel string, info fs.FileInfo, mode fs.FileMode) error {
	if info.Mode().Perm() == mode || !keepsModes {
		return nil
	}
	f, err := openDir(d)
	if err != nil {
		return reading(err, "change mode", t.subject(rel))
	}
	return t.chmodFile(f, rel, mode)
}

func (t *Tree) chmodFile(f *os.File, rel string, mode fs.FileMode) error {
	err := t.before(OpChmod, rel)
	if err == nil {
		err = f.Chmod(mode)
	}
	return writing(first(err, f.Close()), "change mode", t.subject(rel))
}

// chmodName changes the mode of what this user may not open.
func (t *Tree) chmodName(parent *os.Root, rel, name string, info fs.FileInfo, mode fs.FileMode) error {
	if info.Mode().Perm() == mode {
		return nil
	}
	err := t.before(OpChmod, rel)
	if err == nil {
		err = parent.Chmod(name, mode)
	}
	return writing(err, "change mode", t.subject(rel))
}

// Rename gives a file, link or directory another name in the tree. A file or link may take the place of a file or link;
// a directory at the new name gives [fs.ErrExist]. Within one directory it is a call with two plain names. Across
// directories both parents are looked at again first, since the system is given their paths below the tree.
func (t *Tree) Rename(from, to string) error {
	if _, _, err := t.named("rename", to); err != nil {
		return err
	}
	parent, name, err := t.named("rename", from)
	if err != nil {
		return err
	}
	fromDir, _ := split(from)
	toDir, newName := split(to)
	if fromDir != toDir {
		for _, d := range []string{fromDir, toDir} {
			if _, err := t.again(d); err != nil {
				return err
			}
		}
		parent, name, newName = t.root, from, to
	}
	if err = t.before(OpRename, from); err == nil {
		err = parent.Rename(name, newName)
	}
	if err != nil {
		return writing(err, "rename", t.subject(from))
	}
	t.forget(from)
	t.forget(to)
	return nil
}

// Sync makes the names in a directory durable. It does nothing on Windows, which has no such call.
func (t *Tree) Sync(rel string) error {
	if err := t.check("sync", rel); err != nil {
		return err
	}
	d, err := t.dir(rel)
	if err != nil {
		return err
	}
	return t.syncDir(d, rel)
}

func (t *Tree) syncDir(d *os.Root, rel string) error {
	if !syncsDirs {
		return nil
	}
	f, err := openDir(d)
	if err != nil {
		return reading(err, "sync", t.subject(rel))
	}
	if err = t.before(OpSync, rel); err == nil {
		err = f.Sync()
	}
	return writing(first(err, f.Close()), "sync", t.subject(rel))
}
