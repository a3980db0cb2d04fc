package manifest

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// What is on its way into a shared directory, and what is complete and not in its place yet.
const (
	drafted   = ".greenroom-draft"
	completed = ".greenroom-seed"
)

func staged(name string) bool { return name == drafted || name == completed }

// stage copies what a directory holds to beside its place in another one, so that no file comes there before all of them
// can. What a killed process leaves of it lies at the top of that directory, where the next one looks.
func stage(ctx context.Context, from, to *fsroot.Tree) (int, error) {
	err := to.Mkdir(drafted, 0o700)
	if err != nil {
		return 0, err
	}
	n := 0
	draft, err := to.Sub(drafted)
	if err == nil {
		n, err = transfer(ctx, from, draft)
		draft.Close()
	}
	if err == nil && n > 0 {
		return n, to.Rename(drafted, completed)
	}
	if gone := to.RemoveAll(drafted); err == nil {
		err = gone
	}
	return n, err
}

// unstage puts what is complete into its place, also when whoever staged it was killed, and removes what is not.
func unstage(to *fsroot.Tree) error {
	if err := to.RemoveAll(drafted); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := to.Lstat(completed); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := settle(to, "."); err != nil {
		return err
	}
	return to.RemoveAll(completed)
}

// settle moves what is complete below a directory to where it belongs. What is there stays.
func settle(to *fsroot.Tree, dir string) error {
	list, err := to.List(path.Join(completed, dir))
	if err != nil {
		return err
	}
	for _, e := range list {
		rel := path.Join(dir, e.Name())
		fi, err := to.Lstat(rel)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = to.Rename(path.Join(completed, rel), rel)
		case err == nil && fi.IsDir() && e.IsDir():
			err = settle(to, rel)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// transfer copies what a directory holds into another one, and says how much that was. What is there stays. It looks at
// everything first: a directory that holds a link or a special file, or too much, changes nothing.
func transfer(ctx context.Context, from, to *fsroot.Tree) (int, error) {
	t := &transfers{ctx: ctx, from: from, to: to}
	if err := t.look(".", 0); err != nil {
		return 0, err
	}
	for _, rel := range t.dirs {
		if err := t.dir(rel); err != nil {
			return 0, err
		}
	}
	for _, f := range t.files {
		if err := t.file(f); err != nil {
			return 0, err
		}
	}
	return len(t.dirs) + len(t.files), nil
}

type transfers struct {
	ctx      context.Context
	from, to *fsroot.Tree
	dirs     []string // outermost first
	files    []string
	bytes    int64
}

func (t *transfers) look(dir string, depth int) error {
	list, err := t.from.List(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		rel := path.Join(dir, e.Name())
		fi, err := t.from.Lstat(rel)
		if err != nil {
			return err
		}
		bad := func(code fault.Code, detail string) error { return fault.New(code, "share", rel, detail) }
		switch mode := fi.Mode(); {
		case len(t.dirs)+len(t.files) >= maxShared || depth >= maxSharedDepth:
			return bad(fault.Invalid, "there is too much")
		case mode.IsDir():
			t.dirs = append(t.dirs, rel)
			if err := t.look(rel, depth+1); err != nil {
				return err
			}
		case mode.IsRegular() && fsroot.IsTemp(e.Name()):
		case mode.IsRegular():
			if t.bytes += fi.Size(); fi.Size() > maxSharedFile || t.bytes > maxSharedAll {
				return bad(fault.Invalid, "there is too much")
			}
			t.files = append(t.files, rel)
		case mode&fs.ModeSymlink != 0:
			return bad(fault.LinkRefused, "a link lies in it")
		default:
			return bad(fault.NotRegular, "something lies in it that is neither file nor directory")
		}
	}
	return nil
}

// dir makes a directory, or takes the one that is there. One where a file stands is passed over, with all that it holds.
func (t *transfers) dir(rel string) error {
	fi, err := t.from.Lstat(rel)
	if err != nil {
		return err
	}
	err = t.to.Mkdir(rel, fi.Mode().Perm()|0o700)
	if errors.Is(err, fs.ErrExist) || odd(err) {
		return nil
	}
	return err
}

func (t *transfers) file(rel string) error {
	if _, err := t.to.Lstat(rel); !errors.Is(err, fs.ErrNotExist) {
		if err == nil || odd(err) {
			return nil
		}
		return err
	}
	data, fi, err := t.from.ReadFile(rel, maxSharedFile)
	if err != nil {
		return err
	}
	err = t.to.WriteFile(rel, data, fsroot.WriteOptions{Mode: fi.Mode().Perm(), Sync: true, New: true})
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
