package extension

import (
	"context"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// stamped is the state of a file or directory of an object, by its path in the store.
type stamped struct {
	path  string
	stamp fsroot.Stamp
}

// known is content that a Store has read, and the state of all that it was read from, a directory before what lies in it.
type known struct {
	content *Content
	state   []stamped
}

// knownRecord is a record that a Store has read, and the state of its file.
type knownRecord struct {
	record record
	stamp  fsroot.Stamp
}

// maxKnown bounds how many packages, and how many records, a Store remembers.
const maxKnown = 64

// record is that of an ID, from memory when its file has not changed since.
func (s *Store) record(tree *fsroot.Tree, id string, now time.Time) (record, error) {
	before, whole := stampOf(tree, recordName(id))
	if whole {
		s.mu.Lock()
		k, ok := s.records[id]
		s.mu.Unlock()
		if ok && k.stamp == before {
			return k.record, nil
		}
	}
	r, err := read(tree, id)
	if err != nil || !whole || !before.Settled(now) {
		return r, err
	}
	if after, still := stampOf(tree, recordName(id)); still && after == before {
		remember(s, s.records, id, knownRecord{r, after})
	}
	return r, nil
}

// content is that of an object, from memory when nothing of it has changed since. What changed a moment ago, by the time
// that is given, is not remembered: it could change again within one tick of the clock of its file system.
func (s *Store) content(ctx context.Context, tree *fsroot.Tree, digest string, now time.Time) (*Content, error) {
	at := path.Join(objectsDir, digest)
	s.mu.Lock()
	k, ok := s.known[digest]
	s.mu.Unlock()
	if ok && same(tree, k.state) {
		return k.content, nil
	}
	before, whole := stateOf(tree, at)
	c, err := readObject(ctx, tree, at)
	if err != nil || !whole || slices.ContainsFunc(before, func(f stamped) bool { return !f.stamp.Settled(now) }) {
		return c, err
	}
	if after, still := stateOf(tree, at); still && slices.Equal(before, after) {
		remember(s, s.known, digest, known{c, after})
	}
	return c, nil
}

func remember[T any](s *Store, in map[string]T, key string, v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := in[key]; !there && len(in) >= maxKnown {
		clear(in)
	}
	in[key] = v
}

// same says whether everything is as it was. A directory that has not changed holds the same names, so that no directory
// has to be read.
func same(tree *fsroot.Tree, state []stamped) bool {
	for _, f := range state {
		if now, ok := stampOf(tree, f.path); !ok || now != f.stamp {
			return false
		}
	}
	return true
}

func stampOf(tree *fsroot.Tree, at string) (fsroot.Stamp, bool) {
	info, err := tree.Lstat(at)
	if err != nil {
		return fsroot.Stamp{}, false
	}
	return fsroot.StampOf(info)
}

// stateOf is that of an object and everything in it, and whether the system tells all of it.
func stateOf(tree *fsroot.Tree, at string) ([]stamped, bool) {
	stamps := map[string]fsroot.Stamp{}
	var walk func(at string, depth int) bool
	walk = func(at string, depth int) bool {
		info, err := tree.Lstat(at)
		if err != nil || len(stamps) > 2*MaxFiles || depth > maxDeep+2 {
			return false
		}
		stamp, ok := fsroot.StampOf(info)
		if !ok {
			return false
		}
		stamps[at] = stamp
		if !info.IsDir() {
			return true
		}
		entries, err := tree.List(at)
		if err != nil {
			return false
		}
		for _, e := range entries {
			if !walk(path.Join(at, e.Name()), depth+1) {
				return false
			}
		}
		return true
	}
	whole := walk(at, 0)
	var state []stamped
	for _, name := range slices.Sorted(maps.Keys(stamps)) {
		state = append(state, stamped{name, stamps[name]})
	}
	return state, whole
}
