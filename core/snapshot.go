package core

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// asideName is what a tree of the client's is called while a link takes its place. What a killed process left under it is
// removed by the next: the client unpacks its skills anew where they are missing.
const asideName = ".greenroom-unpacked"

// snapshot puts the skills that a client unpacked below its session into the store, and a link to them in their place. A
// link that stands there must lead to a snapshot that is whole.
func (h *Host) snapshot(ctx context.Context, r Ref, at, marker string) error {
	end, err := h.beginWriting()
	if err != nil {
		return inTime(ctx, err)
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	defer cancel()
	ses, err := h.store.Acquire(ctx, manifest.Name(r.Workspace, r.ID), false)
	if err != nil {
		return inTime(ctx, err)
	}
	defer ses.Close()
	return inTime(ctx, h.withSnapshots(func(store *skill.Snapshots) error { return keep(ctx, ses, store, at, marker) }))
}

// withSnapshots opens the store of snapshots for a while.
func (h *Host) withSnapshots(do func(*skill.Snapshots) error) error {
	tree, err := fsroot.Open(filepath.Join(h.store.Path(), "store"), h.seam)
	if err != nil {
		return err
	}
	defer tree.Close()
	return do(skill.OpenSnapshots(tree))
}

func keep(ctx context.Context, ses *manifest.Session, store *skill.Snapshots, at, marker string) error {
	if err := ses.Root.RemoveAll(aside(at)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fi, err := ses.Root.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Snapshot, "keep skills", "skills of the client", "the client has unpacked none")
	}
	if err != nil {
		return err
	}
	if fsroot.IsLink(fi.Mode()) {
		return kept(ctx, ses, store, at, marker)
	}
	snap, err := store.Take(ctx, ses.Root, at, marker)
	if err != nil {
		return err
	}
	fresh, err := leased(ses, at, snap.Digest)
	if err != nil {
		return err
	}
	if fresh {
		// Only now is it seen that the session uses it: what was collected before that is made again.
		if snap, err = store.Take(ctx, ses.Root, at, marker); err != nil {
			return err
		}
	}
	return swap(ses.Root, at, snap.Path)
}

// kept checks the snapshot that a session leads to already.
func kept(ctx context.Context, ses *manifest.Session, store *skill.Snapshots, at, marker string) error {
	target, err := ses.Root.Readlink(at)
	if err != nil {
		return err
	}
	digest, ok := store.Of(target)
	if !ok {
		return fault.New(fault.Snapshot, "keep skills", "skills of the client", "a link that leads elsewhere stands in their place").
			WithHint("remove the link, and start the client again")
	}
	if _, err := leased(ses, at, digest); err != nil {
		return err
	}
	err = store.Check(ctx, digest, marker)
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Code == fault.Snapshot {
		// Without the link the client unpacks them anew when it starts, and with it, it would run without them.
		if gone := ses.Root.Remove(at); gone != nil {
			return errors.Join(f, gone)
		}
		return f.WithHint("start the client again: it unpacks them anew")
	}
	return err
}

// leased records that the session uses a snapshot, and says whether that is new.
func leased(ses *manifest.Session, at, digest string) (fresh bool, err error) {
	use := manifest.Snapshot{Path: at, Digest: digest}
	if ses.Manifest != nil && slices.Contains(ses.Manifest.Snapshots, use) {
		return false, nil
	}
	return true, ses.Amend(func(m *manifest.Manifest) { m.Snapshots = append(slices.Clone(m.Snapshots), use) })
}

func aside(at string) string { return path.Join(path.Dir(at), asideName) }

// swap puts a link to the snapshot in the place of the tree. When it fails, the tree stands there again, or is kept beside.
func swap(root *fsroot.Tree, at, target string) error {
	beside := aside(at)
	if err := root.Rename(at, beside); err != nil {
		return err
	}
	_, err := root.Link(target, at)
	if err == nil {
		return root.RemoveAll(beside)
	}
	if back := root.Rename(beside, at); back != nil {
		return fault.Wrap(errors.Join(err, back), fault.Snapshot, "keep skills", "skills of the client", "could not be replaced nor put back").
			WithHint("they lie beside their place as " + asideName + "; the client unpacks them anew when it starts")
	}
	if errors.Is(err, fsroot.ErrNoLinks) {
		return nil // they stay the session's own
	}
	return err
}

// collectSnapshots removes the snapshots that no session uses any more.
func (h *Host) collectSnapshots(ctx context.Context, o CollectOptions) (removed []string, err error) {
	err = h.withSnapshots(func(store *skill.Snapshots) error {
		removed, err = store.Collect(ctx, h.cfg.Now().Add(-o.Grace), func() (map[string]bool, error) {
			return h.held(ctx, func(m *manifest.Manifest) (digests []string) {
				for _, s := range m.Snapshots {
					digests = append(digests, s.Digest)
				}
				return digests
			})
		})
		return err
	})
	return removed, err
}
