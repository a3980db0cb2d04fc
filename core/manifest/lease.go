package manifest

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// leaseDir is the directory below a session's that whoever runs the client holds a shared lock on. It is made when a
// client is first run, not by preparing.
const leaseDir = ".lease"

// Lease says that a client runs in a session. It ends with the process that holds it.
type Lease struct {
	state *Store
	name  string
	dir   *fsroot.Tree
	lock  *fsroot.Lock
}

// Hold takes a lease on a ready session. What a killed host has left running in it is ended first. Then its logins are
// settled, and recorded as running, so that other sessions on the same login look here before they read it.
func (s *Store) Hold(ctx context.Context, name string) (*Lease, error) {
	if _, err := s.Sweep(name); err != nil {
		return nil, err
	}
	ses, err := s.Acquire(ctx, name, false)
	if err != nil {
		return nil, err
	}
	defer ses.Close()
	if ses.Manifest == nil || ses.Manifest.State != Ready {
		return nil, fault.New(fault.Incomplete, "hold session", name, "is not ready to be launched").
			WithHint("prepare it again")
	}
	if held, err := ses.held(ctx); err != nil {
		return nil, err
	} else if err := ses.running(ctx, held); err != nil {
		return nil, err
	}
	dir, err := ses.leases()
	if err != nil {
		return nil, err
	}
	lock, err := dir.Lock(ctx, fsroot.Shared, true)
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &Lease{state: s, name: name, dir: dir, lock: lock}, nil
}

// leases is the directory to hold. What else stands in its place, nobody holds, and is removed.
func (s *Session) leases() (*fsroot.Tree, error) {
	for try := 0; ; try++ {
		if err := s.Root.Mkdir(leaseDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		dir, err := s.Root.Sub(leaseDir)
		if !noLeases(err) || try > 0 {
			return dir, err
		}
		if err := s.Root.RemoveAll(leaseDir); err != nil {
			return nil, err
		}
	}
}

// noLeases says that no lease can be held, since what stands there is no directory of ours.
func noLeases(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fault.LinkRefused) || errors.Is(err, fault.NotRegular)
}

// running records that the session's logins may be rewritten from now on. The notes of a run that has ended say
// nothing of this one; already says that the session runs.
func (s *Session) running(ctx context.Context, already bool) error {
	for _, l := range s.Manifest.Logins {
		if err := s.SettleRunning(ctx, l.Source); err != nil {
			return err
		}
	}
	if _, changed, err := s.SettleAll(ctx); err != nil {
		return err
	} else if changed {
		if err := s.write(s.Manifest, false); err != nil {
			return err
		}
	}
	for _, l := range s.Manifest.Logins {
		at := note(l.Source, s.Name)
		if !already {
			if err := s.tree.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		err := s.tree.WriteFile(at, nil, fsroot.WriteOptions{Mode: 0o600, Fresh: true})
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// stopped settles the session's logins after a run and forgets that they were in use.
func (s *Session) stopped(ctx context.Context) ([]Kept, error) {
	if s.Manifest == nil {
		return nil, nil
	}
	kept, changed, err := s.SettleAll(ctx)
	if err != nil {
		return kept, err
	}
	if changed && !s.Damaged() {
		if err := s.write(s.Manifest, false); err != nil {
			return kept, err
		}
	}
	for _, l := range s.Manifest.Logins {
		if err := s.tree.Remove(note(l.Source, s.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
	}
	return kept, nil
}

// talk is the file, in the directory of leases, that names the conversation which the client had last. It goes with the
// session, and stays with what the client wrote.
const talk = "conversation"

// maxTalk bounds the id of a conversation, in bytes.
const maxTalk = 512

// Remember records which conversation the client has now.
func (l *Lease) Remember(id string) error {
	if l.lock == nil || !plainTalk(id) {
		return fault.New(fault.Invalid, "remember conversation", l.name, "the lease is over, or the id is none")
	}
	return l.dir.WriteFile(talk, []byte(id), fsroot.WriteOptions{Mode: 0o600})
}

// Talk is the conversation that the client of a session had last, "" for none. What lies there the client could have written,
// so it is held to what an id looks like.
func (s *Store) Talk(name string) string {
	tree, err := s.Tree()
	if err != nil {
		return ""
	}
	defer tree.Close()
	data, _, err := tree.ReadFile("s/"+name+"/"+leaseDir+"/"+talk, maxTalk)
	if err != nil || !plainTalk(string(data)) {
		return ""
	}
	return string(data)
}

// plainTalk says whether a text can be an id: it is not empty, no flag, and shows as it is.
func plainTalk(id string) bool {
	return id != "" && len(id) <= maxTalk && id[0] != '-' && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Release ends the lease and settles the logins that the client may have rewritten. Disputed ones are reported.
func (l *Lease) Release(ctx context.Context) ([]Kept, error) {
	if l.lock == nil {
		return nil, nil
	}
	_ = l.lock.Unlock()
	l.lock = nil
	l.dir.Close()
	ses, err := l.state.Acquire(ctx, l.name, false)
	if errors.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer ses.Close()
	if held, err := ses.held(ctx); held || err != nil {
		return nil, err // another client runs in the same session
	}
	return ses.stopped(ctx)
}

// held says whether somebody holds a lease.
func (s *Session) held(ctx context.Context) (bool, error) {
	dir, err := s.Root.Sub(leaseDir)
	if noLeases(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer dir.Close()
	lock, err := dir.Lock(ctx, fsroot.Exclusive, false)
	if errors.Is(err, fsroot.ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, lock.Unlock()
}

// Held says whether a client runs in the session, without waiting for anybody.
func (s *Store) Held(ctx context.Context, name string) bool {
	tree, err := s.Tree()
	if err != nil {
		return false
	}
	defer tree.Close()
	root, err := tree.Sub("s/" + name)
	if err != nil {
		return false
	}
	defer root.Close()
	held, _ := (&Session{Name: name, Root: root, state: s, tree: tree}).held(ctx)
	return held
}

// Rest settles the logins of a session in which no client runs any more, as its host would have done. One that somebody
// holds is left alone.
func (s *Session) Rest(ctx context.Context) error {
	if s.Manifest == nil || s.Damaged() || len(s.Manifest.Logins) == 0 {
		return nil
	}
	if held, err := s.held(ctx); held || err != nil {
		return err
	}
	kept, err := s.stopped(ctx)
	s.Reports = append(s.Reports, kept...)
	return err
}
