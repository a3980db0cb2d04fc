package manifest

import (
	"context"
	"errors"
	"io/fs"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// Keep is what a clean-up leaves.
type Keep string

// What can be left.
const (
	KeepNothing     Keep = ""            // everything goes
	KeepTranscripts Keep = "transcripts" // what the client wrote below its directory stays, for a later preparation
	KeepAll         Keep = "all"         // only logins are settled
)

// CleanupOptions says how a session is taken away.
type CleanupOptions struct {
	Keep Keep
	// UnsafeForce takes it away even while a client runs in it, which is ended, and goes on when it cannot be.
	UnsafeForce bool
}

// Cleanup takes a session away: its logins are settled, its blocks taken out of the workspace when nobody else holds
// them, its directory removed without following a link. What is not ours any more stays and is reported. A login that
// cannot be settled keeps the session's directory.
//
// What a killed host has left running in it is ended first. Whatever runs in it is, or was left to, unless all is kept: its
// directory goes from under it. Ended tells of it.
func (s *Session) Cleanup(ctx context.Context, o CleanupOptions) (kept []Kept, err error) {
	if s.Ended, err = s.state.Sweep(s.Name); err != nil {
		return nil, err
	}
	if held, err := s.held(ctx); err != nil {
		return nil, err
	} else if held && !o.UnsafeForce {
		return nil, fault.New(fault.Running, "clean up", s.Name, "a client is running in the session").
			WithHint("end it first")
	}
	if o.Keep != KeepAll {
		ended, err := s.state.clear(s.Name)
		s.Ended = append(s.Ended, ended...)
		if err != nil && !o.UnsafeForce {
			return nil, err
		}
	}
	if s.Manifest == nil {
		return nil, s.giveUp(ctx)
	}
	if s.Damaged() && o.Keep != KeepAll && !o.UnsafeForce {
		if ran, err := s.runs(); err != nil {
			return nil, err
		} else if len(ran) > 0 {
			return s.setAside(ctx)
		}
	}
	disputed, err := s.stopped(ctx)
	if err != nil {
		return disputed, err
	}
	switch {
	case o.Keep == KeepAll:
		return disputed, nil
	case o.Keep == KeepTranscripts, len(disputed) > 0:
		kept, err = s.strip(ctx)
		kept = append(disputed, kept...)
		if err == nil && len(disputed) > 0 {
			err = fault.New(fault.LoginConflict, "clean up", s.Name, "a login in the session and the user's own both changed").
				WithHint("keep the one that works, and clean up again")
		}
		return kept, err
	}
	return s.finish(ctx)
}

// finish is the part of a clean-up that cannot be turned back.
func (s *Session) finish(ctx context.Context) ([]Kept, error) {
	from := len(s.Reports)
	err := s.giveUp(ctx)
	return s.Reports[from:], err
}

// setAside is the clean-up of a session that ran when its host was killed and whose record is damaged. A newer version of a
// login may lie in it, and nothing says where: its directory is kept under another name.
func (s *Session) setAside(ctx context.Context) ([]Kept, error) {
	from := len(s.Reports)
	if err := s.tree.Remove(manifestPath(s.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := s.quarantine(ctx); !errors.Is(err, errAgain) {
		return nil, err
	}
	s.Manifest = nil
	kept := append(s.Reports[from:], Kept{Place: s.rel, Reason: "a login may lie in it that is newer than the user's, and its record is damaged"})
	return kept, s.forgetRuns()
}

// release gives up the session's hold on the workspace.
func (s *Session) release(ctx context.Context) error {
	m := s.Manifest
	if s.Damaged() {
		return s.releaseAll(ctx)
	}
	if len(m.Outside) == 0 {
		return nil
	}
	return s.outside(ctx, m.Cwd, m.Outside[0].Key, s.free)
}

// releaseAll is release for a session of which nothing is known but its name.
func (s *Session) releaseAll(ctx context.Context) error {
	where, err := s.state.holding(ctx, s.tree, s.Name)
	if err != nil {
		return err
	}
	for _, key := range sortedKeys(where) {
		if err := s.outside(ctx, where[key], key, s.free); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) free(w *Workspace) ([]Kept, error) { return w.Release(s.Name) }

// giveUp renames the directory, which is the point of no return and takes no room on a disk that may be full, and
// removes everything.
func (s *Session) giveUp(ctx context.Context) error {
	gone := "s/" + s.Name + ".gone"
	if s.rel != gone {
		if err := s.tree.Rename(s.rel, gone); err != nil {
			return err
		}
		s.rel = gone
	}
	if s.Manifest != nil && len(s.Manifest.Outside) > 0 {
		if err := s.tree.Sync("s"); err != nil {
			return err
		}
	}
	if err := s.vanish(ctx); !errors.Is(err, errAgain) {
		return err
	}
	return nil
}

// strip removes what is ours and leaves what the client wrote. The session is incomplete then, and can be prepared
// again.
func (s *Session) strip(ctx context.Context) ([]Kept, error) {
	from := len(s.Reports)
	m := s.Manifest
	if !s.Damaged() {
		// From here on the tree is not what the record says of a ready one.
		m.State = Incomplete
		if err := s.write(m, false); err != nil {
			return nil, err
		}
	}
	if err := s.release(ctx); err != nil {
		return nil, err
	}
	if s.Damaged() {
		return s.Reports[from:], nil
	}
	disputed := map[string]bool{}
	for _, l := range m.Logins {
		if fi, err := s.Root.Lstat(l.Path); err == nil && fi.Mode().IsRegular() {
			disputed[l.Path] = true
		}
	}
	for i := len(m.Entries) - 1; i >= 0; i-- {
		e := m.Entries[i]
		if disputed[e.Path] || e.Custody == Seeded {
			continue
		}
		err := s.removeEntry(e)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && e.Kind != Dir {
			return nil, err
		}
	}
	m.Outside = nil
	return s.Reports[from:], s.write(m, false)
}

// removeEntry removes an entry that still is of the kind that we wrote.
func (s *Session) removeEntry(e Entry) error {
	fi, err := s.Root.Lstat(e.Path)
	if odd(err) {
		return nil // a link or a file stands above it now
	}
	if err != nil {
		return err
	}
	mode := fi.Mode()
	same := e.Kind == Dir && mode.IsDir() || e.Kind == File && mode.IsRegular() || e.Kind == Link && (fsroot.IsLink(mode) || s.Root.Leads(e.Path, e.Target))
	if !same {
		return nil
	}
	return s.Root.Remove(e.Path)
}
