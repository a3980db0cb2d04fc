package extension

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// InstallOptions are the rare choices of an installation.
type InstallOptions struct {
	// AllowDowngrade takes a release that is older than one that was installed before.
	AllowDowngrade bool
	// UnsafeUnsigned takes a package that nobody has verified. It stands beside the verified one of its ID, and only
	// UnsafeLoadLocal gives it.
	UnsafeUnsigned bool
}

// Install verifies content and makes it the active package of its ID. Nothing is written before it is verified. Whatever
// ends it leaves the package that was active before, or the new one. Errors are those of [Content.Verify], and
// fault.Downgrade.
func (s *Store) Install(ctx context.Context, c *Content, p *trust.Policy, t trust.Terms, o InstallOptions) (*Package, error) {
	var pkg *Package
	var err error
	if o.UnsafeUnsigned {
		pkg, err = c.UnsafeUnverified()
	} else {
		t.Installed = false
		pkg, err = c.Verify(p, t)
	}
	if err != nil {
		return nil, err
	}
	if t.ID != "" && pkg.ID() != t.ID {
		return nil, fault.New(fault.Untrusted, "install", "extension "+pkg.ID(), fmt.Sprintf("expected is %.80q", t.ID))
	}
	tree, done, err := s.exclusive(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	r, err := read(tree, pkg.ID())
	if err != nil {
		return nil, err
	}
	next, err := r.with(pkg, t.Now, o)
	if err != nil {
		return nil, err
	}
	if err := s.put(ctx, tree, pkg.Digest(), c); err != nil {
		return nil, err
	}
	if err := write(tree, next); err != nil {
		return nil, err
	}
	return pkg, prune(tree)
}

// with is the record after an installation.
func (r record) with(pkg *Package, now time.Time, o InstallOptions) (record, error) {
	release := pkg.Release()
	e := &Entry{release.Version, release.Sequence, pkg.Digest(), now.UTC()}
	if pkg.Unsafe() {
		r.Local = e
		return r, nil
	}
	if bad := r.Bound.older(e); bad != "" && !o.AllowDowngrade {
		return r, fault.New(fault.Downgrade, "install", "extension "+r.ID+" "+e.Version, bad).
			WithHint("if you want the older one, say so with --allow-downgrade")
	}
	if r.Active != nil && r.Active.Digest != e.Digest {
		r.Previous = r.Active
	}
	r.Active = e
	b := &r.Bound
	if e.Sequence >= b.Highest {
		b.Highest, b.HighestDigest = e.Sequence, e.Digest
	}
	if b.HighestVersion == "" || compare(e.Version, b.HighestVersion) > 0 {
		b.HighestVersion = e.Version
	}
	return r, nil
}

// older says why a release is no newer one, or "".
func (b bound) older(e *Entry) string {
	switch {
	case e.Sequence < b.Highest:
		return fmt.Sprintf("it has sequence %d, and %d was installed before", e.Sequence, b.Highest)
	case e.Sequence == b.Highest && e.Digest != b.HighestDigest:
		return fmt.Sprintf("it has sequence %d, which another release that was installed has too", e.Sequence)
	case b.HighestVersion != "" && compare(e.Version, b.HighestVersion) < 0:
		return fmt.Sprintf("%s was installed before", b.HighestVersion)
	}
	return ""
}

func compare(a, b string) int {
	x, err := semver.StrictNewVersion(a)
	y, other := semver.StrictNewVersion(b)
	if err != nil || other != nil {
		return strings.Compare(a, b)
	}
	return x.Compare(y)
}

// put makes sure that content lies in the store below its digest. It appears whole, after it was made durable.
func (s *Store) put(ctx context.Context, tree *fsroot.Tree, digest string, c *Content) error {
	at := path.Join(objectsDir, digest)
	there, err := readObject(ctx, tree, at)
	if err == nil && equal(there, c) {
		return nil
	}
	_, stat := tree.Lstat(at)
	if err := tree.RemoveAll(making); err != nil {
		return err
	}
	if err := fill(ctx, tree, c); err != nil {
		return errors.Join(err, tree.RemoveAll(making))
	}
	if !errors.Is(stat, fs.ErrNotExist) {
		if err := tree.RemoveAll(aside); err != nil {
			return err
		}
		if err := tree.Rename(at, aside); err != nil {
			return err
		}
	}
	if err := tree.Rename(making, at); err != nil {
		return err
	}
	return tree.Sync(objectsDir)
}

func equal(a, b *Content) bool {
	return maps.EqualFunc(a.stored(), b.stored(), bytes.Equal)
}

// fill writes content beside its place, makes it durable, and takes the right to write away.
func fill(ctx context.Context, tree *fsroot.Tree, c *Content) error {
	if err := tree.Mkdir(making, 0o700); err != nil {
		return err
	}
	files := c.stored()
	dirs := map[string]bool{making: true}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := ctx.Err(); err != nil {
			return fault.Wrap(err, fault.Deadline, "install", "extension", "the time was up")
		}
		to := path.Join(making, name)
		for dir := path.Dir(to); dir != making; dir = path.Dir(dir) {
			dirs[dir] = true
		}
		if _, err := tree.MkdirAll(path.Dir(to), 0o700); err != nil {
			return err
		}
		if err := tree.WriteFile(to, files[name], fsroot.WriteOptions{Mode: 0o400, Fresh: true, Sync: true}); err != nil {
			return err
		}
	}
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(dirs))) {
		if err := tree.Sync(dir); err != nil {
			return err
		}
		if err := tree.Chmod(dir, 0o500); err != nil {
			return err
		}
	}
	return nil
}

// Rollback makes the release before the active one active again, and verifies it first. That is the one way to an older
// release but for AllowDowngrade. Going back twice is where one was.
func (s *Store) Rollback(ctx context.Context, id string, p *trust.Policy, t trust.Terms) (*Package, error) {
	tree, r, done, err := s.change(ctx, id)
	if err != nil {
		return nil, err
	}
	defer done()
	if r.Previous == nil {
		return nil, fault.New(fault.NotInstalled, "roll back", "extension "+id, "there is no release before the active one").
			WithHint("install the one that you want, with --allow-downgrade if it is older")
	}
	pkg, err := s.load(ctx, tree, id, r.Previous, p, t)
	if err != nil {
		return nil, err
	}
	r.Active, r.Previous = r.Previous, r.Active
	return pkg, write(tree, r)
}

// Remove takes an ID away. What the lowest sequence is that may come back stays known.
func (s *Store) Remove(ctx context.Context, id string) error {
	tree, r, done, err := s.change(ctx, id)
	if err != nil {
		return err
	}
	defer done()
	if r.Active == nil && r.Local == nil {
		return notInstalled(id)
	}
	if err := write(tree, record{Schema: recordSchema, ID: id, Bound: r.Bound}); err != nil {
		return err
	}
	return prune(tree)
}

// prune removes packages that no record names. Where a record cannot be read, nothing is removed.
func prune(tree *fsroot.Tree) error {
	records, err := tree.List(activeDir)
	if err != nil {
		return err
	}
	kept := map[string]bool{path.Base(aside): true}
	for _, e := range records {
		id, ok := strings.CutSuffix(e.Name(), recordEnd)
		if !ok || !trust.ValidID(id) {
			continue
		}
		r, err := read(tree, id)
		if err != nil {
			return nil
		}
		for _, e := range []*Entry{r.Active, r.Previous, r.Local} {
			if e != nil {
				kept[e.Digest] = true
			}
		}
	}
	objects, err := tree.List(objectsDir)
	if err != nil {
		return err
	}
	for _, e := range objects {
		if !kept[e.Name()] {
			if err := tree.RemoveAll(path.Join(objectsDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
