package manifest

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// Share is a directory of the user's that all sessions of a provider use, and that is made when it is missing.
type Share struct {
	Path  string // below the session's directory, where a link leads to it
	Dir   string // absolute
	Label string // of Dir, for messages
}

// What is moved or copied into a shared directory at most.
const (
	maxShared      = 4096 // files and directories
	maxSharedDepth = 16
	maxSharedFile  = 128 << 20
	maxSharedAll   = 512 << 20
)

// Shared is what became of a shared directory.
type Shared struct {
	// Made lists, outermost first, the directories that were not there.
	Made []string
	// From is the session whose directory it was filled from, "" for none; Failed are those that could not be used.
	From   string
	Failed []string
	// Adopted says that a directory of this session was moved into it.
	Adopted bool
}

// PendingShare says whether something has to be done so that a link to the shared directory can be made: it is not there,
// the session has a directory of its own in its place, or it is empty and the session is new to it. fault.Conflict is a
// link of somebody else's; had is where ours led before, "" for nowhere.
func (s *Session) PendingShare(sh Share, had string) (bool, error) {
	in, err := fsroot.StatInput(sh.Dir)
	there := err == nil && in.Kind == fsroot.InputDir
	fi, err := s.Root.Lstat(sh.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || odd(err):
	case err != nil:
		return false, err
	case fsroot.IsLink(fi.Mode()): // or a junction
		to, err := s.Root.Readlink(sh.Path)
		if err != nil || to != sh.Dir && to != had {
			return false, fault.Wrap(err, fault.Conflict, "share", "session:"+sh.Path, "points at an unexpected location").
				WithHint("remove that link, and prepare the session again")
		}
		return !there, nil
	case !fi.IsDir():
		return false, fault.New(fault.NotRegular, "share", "session:"+sh.Path, "is no directory, and stands where one is shared").
			WithHint("move it away, and prepare the session again")
	default:
		return true, nil
	}
	if !there {
		return true, nil
	}
	list, err := fsroot.ListInput(sh.Dir)
	half := slices.ContainsFunc(list, func(c fsroot.Input) bool { return staged(c.Name) })
	return err == nil && (len(list) == 0 || half), nil // or a killed process has left it half filled
}

// MakeShare makes a shared directory, fills it while it is empty, and moves what the session has in its place into it. It
// works under a lock on that directory, so that of several processes one does it. What is there already stays as it is.
// The directory is never copied into the session.
func (s *Session) MakeShare(ctx context.Context, sh Share) (*Shared, error) {
	out := &Shared{}
	base, rest := sh.Dir, ""
	for {
		in, err := fsroot.StatInput(base)
		if err == nil && in.Kind == fsroot.InputDir {
			break
		}
		up := filepath.Dir(base)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || up == base {
			return nil, fault.Wrap(err, fault.NotRegular, "share", sh.Label, "is no directory, or lies in something that is none")
		}
		base, rest = up, path.Join(filepath.Base(base), rest)
	}
	tree, err := s.state.openOutside(base)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	if rest != "" {
		made, err := tree.MkdirAll(rest, 0o700)
		for _, rel := range made {
			out.Made = append(out.Made, filepath.Join(base, filepath.FromSlash(rel)))
		}
		if err != nil {
			return out, err
		}
		if tree, err = s.state.openOutside(sh.Dir); err != nil {
			return out, err
		}
		defer tree.Close()
	}
	lock, err := tree.Lock(ctx, fsroot.Exclusive, true)
	if err != nil {
		return out, err
	}
	defer lock.Unlock()
	if err := sweep(tree, "."); err != nil {
		return out, err
	}
	if err := s.seed(ctx, tree, sh, out); err != nil {
		return out, err
	}
	return out, s.adoptInto(ctx, tree, sh, out)
}

// Undo removes what was made of a shared directory, as far as nothing is in it.
func (o *Shared) Undo(s *Store) {
	for _, dir := range slices.Backward(o.Made) {
		tree, err := s.openOutside(filepath.Dir(dir))
		if err != nil {
			return
		}
		err = tree.Remove(filepath.Base(dir))
		tree.Close()
		if err != nil {
			return
		}
	}
}

// seed fills an empty shared directory from the newest session of the same provider that has a directory of its own where
// this one has the link. One that cannot be used is passed over.
func (s *Session) seed(ctx context.Context, to *fsroot.Tree, sh Share, out *Shared) error {
	if err := unstage(to); err != nil {
		return err
	}
	list, err := to.List(".")
	if err != nil || len(list) > 0 {
		return err
	}
	found, err := s.seeds(ctx, sh)
	if err != nil {
		return err
	}
	for _, c := range found {
		from, err := s.tree.Sub("s/" + c.name + "/" + sh.Path)
		if err != nil {
			out.Failed = append(out.Failed, c.name)
			continue
		}
		n, err := stage(ctx, from, to)
		from.Close()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			out.Failed = append(out.Failed, c.name)
		case n > 0:
			out.From = c.name
			return unstage(to)
		}
	}
	return nil
}

type seedling struct {
	name string
	m    *Manifest
}

// seeds lists the other sessions of the provider that have a real directory at a path, in a home that is ours by their
// record, the newest first.
func (s *Session) seeds(ctx context.Context, sh Share) ([]seedling, error) {
	list, err := s.tree.List("s")
	if err != nil {
		return nil, err
	}
	provider := ""
	if s.Manifest != nil {
		provider = s.Manifest.Provider
	}
	var found []seedling
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name := e.Name()
		if name == s.Name || strings.Contains(name, ".") {
			continue
		}
		fi, err := s.tree.Lstat("s/" + name + "/" + sh.Path)
		if err != nil || !fi.IsDir() {
			continue
		}
		m, err := load(s.tree, name)
		if err != nil || m.Provider != provider || Name(m.Workspace, m.Session) != name || !owned(m, path.Dir(sh.Path)) {
			continue
		}
		found = append(found, seedling{name, m})
	}
	slices.SortFunc(found, func(a, b seedling) int {
		if c := b.m.Updated.Compare(a.m.Updated); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return found, nil
}

// owned says whether a record lists a directory as ours.
func owned(m *Manifest, dir string) bool {
	return slices.ContainsFunc(m.Entries, func(e Entry) bool { return e.Path == dir && e.Kind == Dir && e.Custody == Ours })
}

// adoptInto moves a directory that the session has in the place of the link.
func (s *Session) adoptInto(ctx context.Context, to *fsroot.Tree, sh Share, out *Shared) error {
	fi, err := s.Root.Lstat(sh.Path)
	if errors.Is(err, fs.ErrNotExist) || odd(err) {
		return nil
	}
	if err != nil || !fi.IsDir() {
		return err
	}
	from, err := s.Root.Sub(sh.Path)
	if err != nil {
		return err
	}
	_, err = stage(ctx, from, to)
	from.Close()
	if err == nil {
		err = unstage(to)
	}
	if err != nil {
		return fault.Wrap(err, fault.CodeOf(err), "share", "session:"+sh.Path, "holds what cannot be shared: "+reasonOf(err)).
			WithHint("move links and special files out of it, and prepare the session again")
	}
	out.Adopted = true
	return s.Root.RemoveAll(sh.Path)
}
