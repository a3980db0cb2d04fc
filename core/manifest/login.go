package manifest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// maxLogin bounds a login file.
const maxLogin = 1 << 20

// Settled is what became of an exposed login.
type Settled string

// The outcomes.
const (
	Untouched Settled = "untouched" // our link, or a copy equal to the user's file
	Relinked  Settled = "relinked"  // the session's file held nothing newer and gave way
	Published Settled = "published" // the session's file was newer, and became the user's
	Disputed  Settled = "conflict"  // both changed, and nothing says which is newer: both are kept
)

// Settle brings what a client wrote in the place of an exposed login back to the user's file, so that at most one live
// copy of a login is left. A version is never put over one that is newer, and never over one that changed since the
// login was exposed, unless the login says itself which is newer. The session's lock must be held, or its login must
// be recorded as running.
func (s *Store) Settle(ctx context.Context, session string, root *fsroot.Tree, l *Login) (Settled, error) {
	if own, err := rewritten(root, l); !own {
		return Untouched, err
	}
	home, err := s.openHome(ctx, l)
	if errors.Is(err, fs.ErrNotExist) || odd(err) {
		return Disputed, nil
	}
	if err != nil {
		return "", err
	}
	defer home.close()
	// Another session may have settled it while we waited for the lock.
	if own, err := rewritten(root, l); !own {
		return Untouched, err
	}
	if err := sweep(home.tree, "."); err != nil {
		return "", err
	}
	mine, _, err := root.ReadFile(l.Path, maxLogin)
	if odd(err) {
		return Disputed, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Untouched, nil
	}
	if err != nil {
		return "", err
	}
	theirs, info, err := home.tree.ReadFile(home.name, maxLogin)
	if odd(err) {
		return Disputed, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	running, err := s.recall(session, l)
	if err != nil {
		return "", err
	}
	outcome := verdict(l, mine, theirs, info != nil)
	switch outcome {
	case Published:
		o := fsroot.WriteOptions{Mode: 0o600, Sync: true, New: info == nil}
		if info != nil {
			o.Mode, o.Expect = info.Mode().Perm(), &fsroot.Expectation{Info: info}
		}
		if err := home.tree.WriteFile(home.name, mine, o); err != nil {
			return "", err
		}
		l.Baseline = Digest(mine)
	case Relinked:
		l.Baseline = fileDigest(theirs, info != nil)
	default:
		return outcome, nil
	}
	if running {
		if err := s.note(session, l); err != nil {
			return "", err
		}
	}
	if err := s.expose(root, l, theirs, outcome); err != nil && !errors.Is(err, fs.ErrNotExist) { // a session that goes
		return "", err
	}
	return outcome, nil
}

// rewritten says whether a file of the session's own stands in the place of a login.
func rewritten(root *fsroot.Tree, l *Login) (bool, error) {
	fi, err := root.Lstat(l.Path)
	if errors.Is(err, fs.ErrNotExist) || odd(err) { // or a link or a file stands above it
		return false, nil
	}
	return err == nil && fi.Mode().IsRegular(), err
}

// odd says that a login is something that cannot be compared: a link, a directory, too large, closed to us.
func odd(err error) bool {
	return errors.Is(err, fault.LinkRefused) || errors.Is(err, fault.NotRegular) || errors.Is(err, fault.Unreadable) || errors.Is(err, fsroot.ErrTooLarge)
}

// note is where it is noted that a session runs on a login file. All notes lie in one directory, since one for each
// login would come and go under the feet of other processes.
func note(source, session string) string { return "h/" + digest16(source) + "." + session }

// runs lists the notes on this session.
func (s *Session) runs() ([]string, error) {
	list, err := s.tree.List("h")
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, e := range list {
		if strings.HasSuffix(e.Name(), "."+s.Name) {
			notes = append(notes, "h/"+e.Name())
		}
	}
	return notes, nil
}

// forgetRuns removes them, for a session whose record does not say what it ran on.
func (s *Session) forgetRuns() error {
	notes, err := s.runs()
	for _, n := range notes {
		if err := s.tree.Remove(n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// recall takes the baseline from the note on a running session. Another session may have settled its login since its
// manifest was written, and nobody but its own host changes that.
func (s *Store) recall(session string, l *Login) (running bool, err error) {
	tree, err := s.Tree()
	if err != nil {
		return false, err
	}
	defer tree.Close()
	data, _, err := tree.ReadFile(note(l.Source, session), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if len(data) > 0 {
		l.Baseline = strings.TrimPrefix(string(data), "=")
	}
	return err == nil, err
}

// note writes the baseline down, under the lock of the login's directory.
func (s *Store) note(session string, l *Login) error {
	tree, err := s.Tree()
	if err != nil {
		return err
	}
	defer tree.Close()
	_, err = replace(tree, note(l.Source, "draft"), note(l.Source, session), []byte("="+l.Baseline), false)
	return err
}

// expose puts the link back, or where links do not work the newest content.
//
// What is made lies beside the place for a moment, by a name that only the holder of the lock of the login's directory
// uses, so that what a killed process left there is found by the next: the file that is to give way still stands then.
func (s *Store) expose(root *fsroot.Tree, l *Login, theirs []byte, outcome Settled) error {
	if l.Copy && outcome == Published {
		return nil
	}
	draft := path.Join(path.Dir(l.Path), ".greenroom-login-"+path.Base(l.Path))
	if _, err := root.Lstat(draft); err == nil {
		if err := root.Remove(draft); err != nil {
			return err
		}
	}
	var err error
	if l.Copy {
		err = root.WriteFile(draft, theirs, fsroot.WriteOptions{Mode: 0o600, Fresh: true})
	} else {
		err = root.Symlink(l.Source, draft)
	}
	if err != nil {
		return err
	}
	return root.Rename(draft, l.Path)
}

// verdict decides between the session's version of a login and the user's.
func verdict(l *Login, mine, theirs []byte, exists bool) Settled {
	now := fileDigest(theirs, exists)
	switch {
	case exists && bytes.Equal(mine, theirs):
		if l.Copy {
			return Untouched
		}
		return Relinked
	case l.Copy && Digest(mine) == l.Baseline:
		return Relinked // the client did not touch its copy, the user's file moved on
	case l.JSON && !json.Valid(mine):
		return Disputed
	}
	if order, ok := compare(l, mine, theirs, exists); ok {
		if order > 0 {
			return Published
		}
		return Relinked
	}
	if now == l.Baseline {
		return Published
	}
	return Disputed
}

// compare tells by the login's own time stamp or counter which version is newer: positive for mine.
func compare(l *Login, mine, theirs []byte, exists bool) (order int, ok bool) {
	if !exists || len(l.Fresher) == 0 {
		return 0, false
	}
	a, okA := fresh(mine, l.Fresher)
	b, okB := fresh(theirs, l.Fresher)
	if !okA || !okB || a.Equal(b) {
		return 0, false
	}
	return a.Compare(b), true
}

// fresh reads the time by which versions of a login are told apart: RFC 3339, or a number of seconds or milliseconds.
func fresh(data []byte, path []string) (time.Time, bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // what else stands there may be a number that is too large for us
	if d.Decode(&v) != nil {
		return time.Time{}, false
	}
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	switch v := v.(type) {
	case string:
		t, err := time.Parse(time.RFC3339Nano, v)
		return t, err == nil
	case json.Number:
		n, err := v.Float64()
		return time.UnixMilli(int64(n * 1000)), err == nil && n > 0 && n < 1e15
	}
	return time.Time{}, false
}

// home is the locked directory of a login file of the user's.
type home struct {
	tree *fsroot.Tree
	lock *fsroot.Lock
	name string
}

func (s *Store) openHome(ctx context.Context, l *Login) (*home, error) {
	tree, err := s.openOutside(filepath.Dir(l.Source))
	if err != nil {
		return nil, err
	}
	lock, err := tree.Lock(ctx, fsroot.Exclusive, true)
	if err != nil {
		tree.Close()
		return nil, err
	}
	return &home{tree: tree, lock: lock, name: filepath.Base(l.Source)}, nil
}

func (h *home) close() {
	_ = h.lock.Unlock()
	h.tree.Close()
}

// SettleAll settles the logins of a session. Disputed ones are reported.
func (s *Session) SettleAll(ctx context.Context) (kept []Kept, changed bool, err error) {
	if s.Manifest == nil {
		return nil, false, nil
	}
	for i := range s.Manifest.Logins {
		l := &s.Manifest.Logins[i]
		before := l.Baseline
		outcome, err := s.state.Settle(ctx, s.Name, s.Root, l)
		if err != nil {
			return kept, changed, err
		}
		if outcome == Disputed {
			kept = append(kept, Kept{Place: "session:" + l.Path, Reason: "both this login and " + l.Label + " changed, and neither is known to be newer"})
		}
		changed = changed || l.Baseline != before
	}
	return kept, changed, nil
}

// SettleRunning settles the logins of the other sessions that run, or ran when their host was killed, on the same
// file of the user's, so that a login is not read while a newer version of it lies in one of them.
func (s *Session) SettleRunning(ctx context.Context, source string) error {
	tree := s.tree
	list, err := tree.List("h")
	if err != nil {
		return err
	}
	for _, e := range list {
		name, ok := strings.CutPrefix("h/"+e.Name(), note(source, ""))
		if !ok {
			continue
		}
		m, err := load(tree, name)
		if err != nil {
			continue // the session is gone or damaged: nothing to be read there
		}
		root, err := tree.Sub("s/" + name)
		if err != nil {
			continue
		}
		for i := range m.Logins {
			if m.Logins[i].Source != source {
				continue
			}
			if _, err := s.state.Settle(ctx, name, root, &m.Logins[i]); err != nil {
				root.Close()
				return fault.Wrap(err, fault.CodeOf(err), "settle login", m.Logins[i].Label, "")
			}
		}
		root.Close()
	}
	return nil
}
