package manifest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// Session is a session whose lock is held. Only its holder changes what lies below its directory.
type Session struct {
	// Name is its directory name.
	Name string
	// Manifest is its record, nil for one that was never complete.
	Manifest *Manifest
	// Root is its directory. Until Commit a fresh session has another path than later.
	Root *fsroot.Tree

	state *Store
	tree  *fsroot.Tree // the state directory
	lock  *fsroot.Lock
	rel   string // where Root lies now
	// Reports tells what recovery on the way in could not put back.
	Reports []Kept
	// Ended has the session's name once for each client of which a clean-up has ended anything.
	Ended []string
}

// Kept is something that was left where it stands, and why.
type Kept struct {
	Place  string `json:"place"`
	Reason string `json:"reason"`
}

// Acquire locks a session, and makes its directory when create is set. It waits for other processes as long as ctx
// allows. What a killed process left half done is put in order first. Without create a session that has neither a
// directory nor a manifest is fault.NotFound.
func (s *Store) Acquire(ctx context.Context, name string, create bool) (*Session, error) {
	return s.acquire(ctx, name, create, true)
}

// TryAcquire is Acquire without waiting: a session that somebody works on is fault.Busy.
func (s *Store) TryAcquire(ctx context.Context, name string) (*Session, error) {
	return s.acquire(ctx, name, false, false)
}

func (s *Store) acquire(ctx context.Context, name string, create, wait bool) (*Session, error) {
	tree, err := s.Tree()
	if err != nil {
		return nil, err
	}
	for {
		ses, err := s.try(ctx, tree, name, create, wait)
		if errors.Is(err, fsroot.ErrGone) || errors.Is(err, errAgain) {
			continue
		}
		if err == nil {
			if err = ses.settleState(ctx); err == nil {
				return ses, nil
			}
			ses.unlock()
			if errors.Is(err, errAgain) {
				continue
			}
		}
		tree.Close()
		return nil, err
	}
}

var errAgain = errors.New("again")

func (s *Store) try(ctx context.Context, tree *fsroot.Tree, name string, create, wait bool) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, busy(err)
	}
	rel, made := "", false
	for _, suffix := range []string{"", ".new", ".gone"} {
		if _, err := tree.Lstat("s/" + name + suffix); err == nil {
			rel = "s/" + name + suffix
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if rel == "" {
		if !create {
			if _, err := tree.Lstat(manifestPath(name)); err != nil {
				return nil, fault.New(fault.NotFound, "open session", name, "there is no such session")
			}
		}
		rel = "s/" + name + ".new"
		err := tree.Mkdir(rel, 0o700)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errAgain // somebody found it before it was locked, and gave it up
		}
		if errors.Is(err, fault.LinkRefused) {
			return nil, dislodge(tree, rel) // and made it anew
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		made = err == nil
	}
	root, err := tree.Sub(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errAgain
	}
	if errors.Is(err, fault.LinkRefused) || errors.Is(err, fault.NotRegular) {
		return nil, dislodge(tree, rel)
	}
	if err != nil {
		return nil, err
	}
	var lock *fsroot.Lock
	if made {
		// Also when the time is up by now, since what was made can be removed only under its lock.
		lock, err = root.Lock(context.WithoutCancel(ctx), fsroot.Exclusive, false)
	}
	if !made || errors.Is(err, fsroot.ErrLocked) {
		lock, err = root.Lock(ctx, fsroot.Exclusive, wait)
	}
	if err != nil {
		root.Close()
		if errors.Is(err, fsroot.ErrLocked) || ctx.Err() != nil {
			return nil, busy(err)
		}
		return nil, err
	}
	ses := &Session{Name: name, Root: root, state: s, tree: tree, lock: lock, rel: rel}
	if final := "s/" + name; rel == final+".new" {
		// Another may have completed the session between the looks at the two names. While we hold this one, nobody can.
		if _, err := tree.Lstat(final); err == nil {
			if err = tree.RemoveAll(rel); err == nil {
				err = errAgain
			}
			ses.unlock()
			return nil, err
		}
	}
	ses.Manifest, err = s.read(tree, name)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return ses, nil
	case errors.Is(err, fault.Corrupt):
		// What lies outside is durable before it is changed, so a torn record can only be that of a session that
		// stayed in our state, and that can be removed by location.
		ses.Manifest = &Manifest{Schema: Schema, State: damaged}
		return ses, nil
	}
	if made {
		_ = tree.Remove(rel)
	}
	ses.unlock()
	return nil, err
}

// dislodge removes what stands where the directory of a session must be: a link, never what it leads to, or a file. We
// make neither, and the session could not even be cleaned up.
func dislodge(tree *fsroot.Tree, rel string) error {
	info, err := tree.Lstat(rel)
	if err == nil && !info.IsDir() {
		err = tree.Remove(rel)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errAgain
}

// damaged is the state of a session whose manifest cannot be read. It is never written.
const damaged State = "damaged"

// Damaged says that the manifest cannot be read: the session can only be removed.
func (s *Session) Damaged() bool { return s.Manifest != nil && s.Manifest.State == damaged }

// Fresh says that the session was never complete.
func (s *Session) Fresh() bool { return s.Manifest == nil }

// Dir is the absolute path that the session has once it is complete.
func (s *Session) Dir() string { return s.state.Dir(s.Name) }

func busy(err error) error {
	return fault.Wrap(err, fault.Busy, "lock session", "", "another operation on this session is under way").
		WithHint("wait for it to end, and try again")
}

// Close gives the lock back. The directory of a session that was never complete, and into which nothing was written,
// is removed.
func (s *Session) Close() {
	if s.Manifest == nil && s.rel == "s/"+s.Name+".new" {
		_ = s.tree.RemoveAll(s.rel)
	}
	s.unlock()
	s.tree.Close()
}

func (s *Session) unlock() {
	_ = s.lock.Unlock()
	s.Root.Close()
}

// Begin writes the manifest of a preparation that is about to change things. It is durable when anything outside our
// state will be changed.
func (s *Session) Begin(m *Manifest) error {
	m.State = Preparing
	return s.write(m, len(m.Outside) > 0)
}

// Amend records a change that is made to a ready session between two preparations, before it is made.
func (s *Session) Amend(change func(*Manifest)) error {
	if s.Manifest == nil || s.Manifest.State != Ready {
		return fault.New(fault.Incomplete, "change session", s.Name, "is not ready").WithHint("prepare it again")
	}
	m := *s.Manifest
	change(&m)
	return s.write(&m, false)
}

// Commit writes the manifest of a preparation that is carried out, and gives a fresh session its name. Sync makes it
// durable.
func (s *Session) Commit(m *Manifest, sync bool) error {
	m.State = Ready
	err := s.write(m, sync)
	if err == nil {
		err = s.adopt()
	}
	if err != nil && s.Manifest == m {
		m.State = Preparing // for Abort; what is on the disk counts for nobody else, who would have to hold the lock
	}
	return err
}

// adopt gives a fresh session its name. The manifest is written first, so that a directory of that name without a
// manifest can only be one whose manifest was lost.
func (s *Session) adopt() error {
	final := "s/" + s.Name
	if s.rel == final {
		return nil
	}
	if err := s.tree.Rename(s.rel, final); err != nil {
		return err
	}
	s.rel = final
	return nil
}

func (s *Session) write(m *Manifest, sync bool) error {
	data, err := m.Encode()
	if err != nil {
		return err
	}
	placed, err := replace(s.tree, s.rel+"/.manifest", manifestPath(s.Name), data, sync)
	if placed {
		s.Manifest = m
		s.state.records.put(sealOf(data, data[:bytes.IndexByte(data, '\n')]), m)
	}
	return err
}

// replace writes a record by way of a name that only the holder of its lock uses, so that what a killed process left
// there is overwritten by the next one. The record may be in place and not be durable: then there is an error all the
// same.
func replace(tree *fsroot.Tree, draft, final string, data []byte, sync bool) (placed bool, err error) {
	o := fsroot.WriteOptions{Mode: 0o600, Sync: sync, Fresh: true}
	err = tree.WriteFile(draft, data, o)
	if errors.Is(err, fs.ErrExist) {
		if err = tree.RemoveAll(draft); err == nil {
			err = tree.WriteFile(draft, data, o)
		}
	}
	if err != nil {
		return false, err
	}
	if err := tree.Rename(draft, final); err != nil {
		_ = tree.Remove(draft)
		return false, err
	}
	if sync {
		err = tree.Sync(path.Dir(final))
	}
	return true, err
}

// sweep removes the temporary names that a killed process left in a directory. The lock that guards writes there must
// be held.
func sweep(tree *fsroot.Tree, dir string) error {
	list, err := tree.List(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		// We make no directory under such a name, so one is somebody's.
		if fsroot.IsTemp(e.Name()) && !e.IsDir() {
			if err := tree.Remove(path.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
