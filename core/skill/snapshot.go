package skill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/shelf"
)

// snapshotsDir is where snapshots lie below the store, and snapshotName is what each is called in the directory of its
// digest: a client shows the last name of the path to its model.
const (
	snapshotsDir = "agent/system-skill-bundles/v1"
	snapshotName = ".system"
)

// The most that a snapshot may hold.
const (
	maxSnapshotEntries = 4096
	maxSnapshotBytes   = 32 << 20
)

// Snapshots keeps copies of the skills that clients unpack themselves, by their content, so that two builds of a client
// stand side by side and all sessions of one build show a model the same paths. It is safe for concurrent use, and
// several processes may have one store open.
type Snapshots struct{ store *Store }

// OpenSnapshots is the store of snapshots in a tree, which must stay open and be used by nobody else.
func OpenSnapshots(tree *fsroot.Tree) *Snapshots { return &Snapshots{open(tree, snapshotsDir)} }

// Snapshot is a tree in the store.
type Snapshot struct {
	Digest string // lower-case hexadecimal SHA-256 of the names, kinds and bytes of what it holds
	Path   string // absolute
	// Repaired says that it stood there damaged and was made again.
	Repaired bool
}

// Take copies the tree at a path below root into the store, unless it is there already, and says where. The tree holds
// directories and regular files only, the marker file, which says that the client has completed it, and at least one
// SKILL.md; at most 4,096 entries and 32 MiB. Anything else is [fault.Snapshot], and nothing was stored.
func (s *Snapshots) Take(ctx context.Context, root *fsroot.Tree, rel, marker string) (Snapshot, error) {
	c, err := readTree(ctx, root, rel, marker)
	if err != nil {
		return Snapshot{}, err
	}
	leave, err := s.store.shelf.Enter(ctx, "keep")
	if err != nil {
		return Snapshot{}, err
	}
	defer leave()
	at := s.store.at(c.digest)
	if _, err := s.store.tree.MkdirAll(snapshotsDir, 0o700); err != nil {
		return Snapshot{}, err
	}
	snap := Snapshot{Digest: c.digest, Path: s.path(c.digest)}
	if _, err = s.store.checked(ctx, at, c); err != nil {
		if snap.Repaired, err = s.store.make(ctx, at, c); err != nil {
			return Snapshot{}, err
		}
	}
	return snap, nil
}

// Of is the digest of the snapshot that a path names, if it is the path of one.
func (s *Snapshots) Of(target string) (digest string, ok bool) {
	digest = filepath.Base(filepath.Dir(target))
	return digest, shelf.IsDigest(digest) && filepath.Clean(target) == s.path(digest)
}

// Check reads a snapshot again. One that is not what its digest says, or lacks the marker, is put aside, so that it can be
// made anew from a tree of the client's, and is [fault.Snapshot].
func (s *Snapshots) Check(ctx context.Context, digest, marker string) error {
	leave, err := s.store.shelf.Enter(ctx, "check")
	if err != nil {
		return err
	}
	defer leave()
	if s.whole(ctx, digest, marker) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return s.store.shelf.Late(ctx, "check")
	}
	if _, gone := s.store.tree.Lstat(s.store.at(digest)); errors.Is(gone, fs.ErrNotExist) {
		return wrong("the snapshot that the session leads to is gone")
	}
	return s.putAside(ctx, digest, marker)
}

// whole says whether a snapshot is what its digest says, with nothing beside it.
func (s *Snapshots) whole(ctx context.Context, digest, marker string) error {
	at := s.store.at(digest)
	c, err := readTree(ctx, s.store.tree, at+"/"+snapshotName, marker)
	if err != nil {
		return err
	}
	if c.digest != digest {
		return errDamaged
	}
	_, err = s.store.checked(ctx, at, c)
	return err
}

// putAside puts a damaged snapshot aside, unless somebody else has done so or made it anew before we had the lock.
func (s *Snapshots) putAside(ctx context.Context, digest, marker string) (err error) {
	lock, err := s.store.shelf.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if s.whole(ctx, digest, marker) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return s.store.shelf.Late(ctx, "check")
	}
	at := s.store.at(digest)
	if _, gone := s.store.tree.Lstat(at); !errors.Is(gone, fs.ErrNotExist) {
		if err := errors.Join(s.store.tree.RemoveAll(s.store.at(damaged)), s.store.tree.Rename(at, s.store.at(damaged))); err != nil {
			return err
		}
	}
	return wrong("the snapshot that the session leads to was damaged, and was put aside")
}

func (s *Snapshots) path(digest string) string {
	return filepath.Join(s.store.tree.Path(), filepath.FromSlash(snapshotsDir), digest, snapshotName)
}

func wrong(format string, args ...any) error {
	return fault.New(fault.Snapshot, "keep skills", "skills of the client", fmt.Sprintf(format, args...))
}

// readTree reads a tree of a client's as the content of a snapshot.
func readTree(ctx context.Context, root *fsroot.Tree, rel, marker string) (content, error) {
	r := treeReader{root: root, c: content{files: map[string][]byte{}, list: map[string][]string{".": nil}}}
	if err := r.dir(ctx, rel, snapshotName); err != nil {
		return content{}, err
	}
	if _, ok := r.c.files[snapshotName+"/"+marker]; !ok {
		return content{}, wrong("the client has not completed them: there is no file %s", marker)
	}
	r.c.index()
	if !slices.ContainsFunc(r.c.paths, func(name string) bool { return path.Base(name) == MainFile }) {
		return content{}, wrong("there is no %s among them", MainFile)
	}
	for _, dir := range r.dirs { // an empty one counts as well
		r.c.addDir(dir)
	}
	d := newDigest("greenroom system skills 1")
	for _, dir := range r.c.dirs {
		d.field([]byte("d"))
		d.field([]byte(dir))
	}
	for _, name := range r.c.paths {
		d.field([]byte("f"))
		d.field([]byte(name))
		d.field(r.c.files[name])
	}
	r.c.digest = d.sum()
	return r.c, nil
}

type treeReader struct {
	root    *fsroot.Tree
	c       content
	dirs    []string
	entries int
	bytes   int64
}

// dir reads what lies at rel under the name that it gets in the content.
func (r *treeReader) dir(ctx context.Context, rel, name string) error {
	if ctx.Err() != nil {
		return fault.Wrap(ctx.Err(), fault.Deadline, "keep skills", "skills of the client", "the time was up")
	}
	list, err := r.root.List(rel)
	if err != nil {
		return fault.Wrap(err, fault.Snapshot, "keep skills", "skills of the client", "are no directory that can be read")
	}
	r.dirs = append(r.dirs, name)
	for _, e := range list {
		if r.entries++; r.entries > maxSnapshotEntries {
			return wrong("there are more than %d files and directories", maxSnapshotEntries)
		}
		at, as := rel+"/"+e.Name(), name+"/"+e.Name()
		if e.IsDir() {
			if err := r.dir(ctx, at, as); err != nil {
				return err
			}
			continue
		}
		data, _, err := r.root.ReadFile(at, maxSnapshotBytes-r.bytes)
		switch {
		case errors.Is(err, fsroot.ErrTooLarge):
			return wrong("they are larger than %d MiB", maxSnapshotBytes>>20)
		case err != nil:
			return fault.Wrap(err, fault.Snapshot, "keep skills", "skills of the client", "hold something that is no regular file")
		}
		r.bytes += int64(len(data))
		r.c.files[as] = bytes.Clone(data)
	}
	return nil
}

// addDir adds a directory in which there may be nothing. Its parents are there.
func (c *content) addDir(dir string) {
	if slices.Contains(c.dirs, dir) {
		return
	}
	c.dirs = append(c.dirs, dir)
	slices.Sort(c.dirs)
	if c.list[dir] == nil {
		c.list[dir] = []string{}
	}
	parent, base := ".", dir
	if i := strings.LastIndexByte(dir, '/'); i >= 0 {
		parent, base = dir[:i], dir[i+1:]
	}
	if !slices.Contains(c.list[parent], base) {
		c.list[parent] = append(c.list[parent], base)
		slices.Sort(c.list[parent])
	}
}

// Collect removes snapshots as [Store.Collect] removes bundles.
func (s *Snapshots) Collect(ctx context.Context, before time.Time, leased func() (map[string]bool, error)) ([]string, error) {
	return s.store.Collect(ctx, before, leased)
}
