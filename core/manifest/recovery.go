package manifest

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"syscall"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// settleState puts in order what a killed process left of a session whose lock is held now. It leaves a session that
// is ready, or incomplete, or has no manifest and an empty directory. errAgain says that the directory went away.
func (s *Session) settleState(ctx context.Context) error {
	final := "s/" + s.Name
	if fresh := s.rel == final+".new" && s.Manifest == nil; !fresh && (s.rel != final || s.Manifest == nil) {
		// What was left to run on in a directory that is not there any more, or that nothing is known of, ends.
		if _, err := s.state.Sweep(s.Name); err != nil {
			return err
		}
	}
	switch {
	case s.rel == final+".gone":
		return s.vanish(ctx)
	case s.Damaged():
		return nil
	case s.Manifest == nil && s.rel == final:
		return s.quarantine(ctx)
	case s.Manifest == nil:
		return s.empty()
	case s.Manifest.State == Preparing:
		return s.abandon(ctx)
	case s.rel != final:
		return s.rename()
	}
	return nil
}

// rename gives a session that was completed just before its process was killed its name. One that should hold something
// and is empty is another case: its directory was removed by somebody, and made anew to lock it.
func (s *Session) rename() error {
	list, err := s.Root.List(".")
	if err != nil {
		return err
	}
	if s.Manifest.State != Ready || len(list) == 0 && len(s.Manifest.Entries) > 0 {
		return s.lost()
	}
	return s.adopt()
}

// lost makes a session whose directory somebody removed incomplete, so that the next preparation builds it anew.
func (s *Session) lost() error {
	if err := s.empty(); err != nil {
		return err
	}
	s.Manifest.State = Incomplete
	if err := s.write(s.Manifest, false); err != nil {
		return err
	}
	return s.adopt()
}

// Abort puts in order after a preparation that failed: nothing is left of a first one, and a later one leaves an
// incomplete session.
func (s *Session) Abort(ctx context.Context) error {
	if s.Manifest == nil {
		return s.empty()
	}
	if s.Manifest.State == Preparing {
		return s.abandon(ctx)
	}
	return nil
}

// abandon undoes what a preparation changed outside our state.
func (s *Session) abandon(ctx context.Context) error {
	m := s.Manifest
	if m.Generation <= 1 {
		// First, since what follows may need the room.
		if err := s.empty(); err != nil {
			return err
		}
	}
	if len(m.Outside) > 0 {
		if err := s.outside(ctx, m.Cwd, m.Outside[0].Key, func(w *Workspace) ([]Kept, error) { return w.undo(s.Name, m.Outside) }); err != nil {
			return err
		}
	}
	if m.Generation > 1 {
		if err := s.sweep(); err != nil {
			return err
		}
		held := m.Outside[:0]
		for _, o := range m.Outside {
			if !o.Joined {
				held = append(held, Outside{Path: o.Path, Key: o.Key, Link: o.Link, Was: o.Was, Post: o.Was})
			}
		}
		m.Outside, m.State = held, Incomplete
		if err := s.write(m, false); err != nil {
			return err
		}
		return s.adopt()
	}
	if final := "s/" + s.Name; s.rel == final {
		if err := s.tree.Rename(final, final+".new"); err != nil {
			return err
		}
		s.rel = final + ".new"
	}
	if err := s.tree.Remove(manifestPath(s.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.Manifest = nil
	return nil
}

// sweep removes the temporary names that a killed process left beside our entries.
func (s *Session) sweep() error {
	dirs := map[string]bool{".": true}
	for _, e := range s.Manifest.Entries {
		dirs[path.Dir(e.Path)] = true
	}
	for _, dir := range sortedKeys(dirs) {
		err := sweep(s.Root, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fault.LinkRefused) && !errors.Is(err, fault.NotRegular) {
			return err
		}
	}
	return nil
}

// outside runs f on a locked workspace. One that is not there any more holds nothing that could be changed, and one whose
// record is damaged nothing that is known.
func (s *Session) outside(ctx context.Context, cwd, key string, f func(*Workspace) ([]Kept, error)) error {
	w, err := s.state.openWorkspace(ctx, cwd, key)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fault.NotRegular) || errors.Is(err, syscall.ELOOP):
		s.forget(key)
		s.Reports = append(s.Reports, Kept{Place: "workspace", Reason: "is not there any more"})
		return nil
	case errors.Is(err, fault.Corrupt):
		s.Reports = append(s.Reports, Kept{Place: "workspace", Reason: "the record of the managed blocks in it is damaged"})
		return nil
	case err != nil:
		return err
	}
	defer w.Close()
	kept, err := f(w)
	s.Reports = append(s.Reports, kept...)
	return err
}

// forget takes the session off the record of a workspace that is gone, and so cannot be locked. Should two do it at
// once, the record of a directory that is gone stays.
func (s *Session) forget(key string) {
	w := &Workspace{state: s.state, own: s.tree, key: key}
	data, _, err := s.tree.ReadFile(w.path(), maxRecord)
	if err != nil || w.decode(data) != nil {
		return
	}
	for _, b := range w.record.Files {
		drop(b, s.Name)
	}
	_ = w.save()
}

// empty removes everything below the session's directory. It follows no link.
func (s *Session) empty() error {
	list, err := s.Root.List(".")
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := s.Root.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// vanish removes a session that was given up: first what lies below its directory, since the rest needs some room, then
// what it holds outside, and last what says so.
func (s *Session) vanish(ctx context.Context) error {
	emptied := s.empty()
	if s.Manifest != nil {
		if err := s.release(ctx); err != nil {
			return err
		}
	}
	if emptied != nil {
		return emptied
	}
	if s.Damaged() {
		if err := s.forgetRuns(); err != nil {
			return err
		}
	}
	if err := s.tree.Remove(manifestPath(s.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.Manifest = nil
	if err := s.tree.RemoveAll(s.rel); err != nil {
		return err
	}
	return errAgain
}

// quarantine moves a directory aside that has the name of a complete session and no manifest: it may hold what a
// client wrote, and nothing says what is ours. What it holds in a workspace is known from there, and given up.
func (s *Session) quarantine(ctx context.Context) error {
	if err := s.releaseAll(ctx); err != nil {
		return err
	}
	for _, suffix := range []string{".lost", ".lost2", ".lost3", ".lost4", ".lost5", ".lost6", ".lost7", ".lost8", ".lost9"} {
		to := "s/" + s.Name + suffix
		if _, err := s.tree.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := s.tree.Rename(s.rel, to); err != nil {
			return err
		}
		s.rel = to
		return errAgain
	}
	return fault.New(fault.Corrupt, "open session", s.Name, "its manifest was lost again and again").
		WithHint("look at the directories that end in .lost, and remove them")
}
