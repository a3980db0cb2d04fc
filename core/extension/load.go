package extension

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// Load gives the active package of an ID, verified anew: who signed it and until when, and every byte that is not known to
// be the one that this Store read before. Terms name the time, which the memory of the Store goes by too. Errors: fault.NotInstalled, fault.Tampered for files that were changed in the store,
// and those of [Content.Verify].
func (s *Store) Load(ctx context.Context, id string, p *trust.Policy, t trust.Terms) (*Package, error) {
	tree, r, done, err := s.recordOf(ctx, id, t.Now)
	if err != nil {
		return nil, err
	}
	defer done()
	if r.Active == nil {
		return nil, notInstalled(id)
	}
	return s.load(ctx, tree, id, r.Active, p, t)
}

// UnsafeLoadLocal gives the package of an ID that was installed without being verified by anybody, for an author who
// develops it. Its files are held to the digest that they had then.
func (s *Store) UnsafeLoadLocal(ctx context.Context, id string) (*Package, error) {
	tree, r, done, err := s.recordOf(ctx, id, time.Time{})
	if err != nil {
		return nil, err
	}
	defer done()
	if r.Local == nil {
		return nil, notInstalled(id + " (unsigned)")
	}
	c, err := s.content(ctx, tree, r.Local.Digest, time.Time{})
	if err != nil {
		return nil, damagedBy(err, id)
	}
	pkg, err := c.UnsafeUnverified()
	if err != nil {
		return nil, err
	}
	if pkg.Digest() != r.Local.Digest || pkg.ID() != id {
		return nil, changed(id, "its files are not those that were installed")
	}
	return pkg, nil
}

// Newest is the newest version of an ID that was ever installed, "" for none. Nothing older is installed but with
// AllowDowngrade.
func (s *Store) Newest(ctx context.Context, id string) (string, error) {
	_, r, done, err := s.recordOf(ctx, id, time.Time{})
	if fault.CodeOf(err) == fault.NotInstalled {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	done()
	return r.Bound.HighestVersion, nil
}

func (s *Store) recordOf(ctx context.Context, id string, now time.Time) (*fsroot.Tree, record, func(), error) {
	if !trust.ValidID(id) {
		return nil, record{}, nil, notInstalled(id)
	}
	tree, done, err := s.shared(ctx)
	if err != nil {
		if fault.CodeOf(err) == fault.NotInstalled {
			err = notInstalled(id)
		}
		return nil, record{}, nil, err
	}
	r, err := s.record(tree, id, now)
	if err != nil {
		done()
		return nil, record{}, nil, err
	}
	return tree, r, done, nil
}

func (s *Store) load(ctx context.Context, tree *fsroot.Tree, id string, e *Entry, p *trust.Policy, t trust.Terms) (*Package, error) {
	c, err := s.content(ctx, tree, e.Digest, t.Now)
	if err != nil {
		return nil, damagedBy(err, id)
	}
	t.ID, t.Installed = id, true
	if t.Cache == nil {
		t.Cache = s.cache
	}
	pkg, err := c.Verify(p, t)
	if err != nil {
		return nil, damagedBy(err, id)
	}
	if pkg.Digest() != e.Digest {
		return nil, changed(id, "another release lies in its place")
	}
	return pkg, nil
}

// damagedBy says that what is wrong with an installed package came about in the store.
func damagedBy(err error, id string) error {
	var e *fault.Error
	switch code := fault.CodeOf(err); {
	case errors.As(err, &e) && (code == fault.PackageRules || code == fault.LinkRefused || code == fault.NotRegular || code == fault.Unreadable):
		return changed(id, e.Subject+": "+e.Detail)
	case code == fault.NotInstalled || errors.Is(err, fs.ErrNotExist):
		return changed(id, "its files are gone")
	case code == fault.Tampered:
		e.Hint = mendHint(id)
	}
	return err
}

func changed(id, detail string) error {
	return fault.New(fault.Tampered, "load", "extension "+id, "what is installed was changed: "+detail).WithHint(mendHint(id))
}

func mendHint(id string) string {
	return fmt.Sprintf("install it again, or go back to the release before with `greenroom extension rollback %s`", id)
}
