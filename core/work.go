package core

import (
	"context"
	"errors"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/layout"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// work is one preparation whose tree is known and whose locks are held.
type work struct {
	h     *Host
	a     *answered
	ses   *manifest.Session
	tree  *layout.Tree
	names map[string]string
	out   *outside
}

func (w *work) run(ctx context.Context) (_ *Prepared, failed error) {
	prev := w.ses.Manifest
	if prev != nil && prev.Copied {
		// Links could not be made for this session before: what it has are copies, and they are brought up to date.
		if err := w.unlink(); err != nil {
			return nil, err
		}
	}
	pending, err := w.pendingShares(prev)
	if err != nil {
		return nil, err
	}
	changes := w.tree.Everything()
	if prev != nil {
		w.copies(prev)
		var err error
		if changes, err = w.tree.Compare(w.ses.Root, prev.Entries); err != nil {
			return nil, err
		}
	}
	if err := w.unpacked(prev); err != nil {
		return nil, err
	}
	next := w.record(prev)
	outside := w.out.changes() || len(pending) > 0
	if prev != nil && !changes.Any() && !outside && prev.State == manifest.Ready && prev.Same(next) {
		return w.prepared(prev), nil
	}
	next.Generation++
	if prev != nil || outside {
		// Until the end the record lists what was and what will be, so that nothing is ever without one.
		draft := *next
		if prev != nil {
			draft.Entries = union(prev.Entries, next.Entries)
		}
		draft.Outside = slices.Concat(next.Outside, w.out.dropped)
		if err := w.ses.Begin(&draft); err != nil {
			return nil, err
		}
	}
	if w.out.plan != nil {
		if err := w.out.plan.Apply(); err != nil {
			return nil, err
		}
	}
	if err := w.caches(); err != nil {
		return nil, err
	}
	undo, err := w.shares(ctx, pending)
	defer func() { undo(failed) }()
	if err != nil {
		return nil, err
	}
	err = changes.Apply(w.ses.Root)
	if errors.Is(err, fsroot.ErrNoLinks) && !w.tree.Unlinked {
		next, changes, err = w.withoutLinks(prev, next)
	}
	if err != nil {
		return nil, err
	}
	if err := w.tree.Verify(w.ses.Root, w.a.roots, &w.h.memo.Documents); err != nil {
		return nil, err
	}
	// A call may have hung for so long that Prepare was given up: then it has to have failed.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Last, since it is not put back when the preparation fails.
	if len(w.out.dropped) > 0 {
		if _, err := w.out.workspace.ReleaseExcept(w.a.name, w.out.wanted); err != nil {
			return nil, err
		}
	}
	next.Entries, next.Logins = w.tree.Entries(), w.tree.Logins // how a link was made, and that a login was copied, is known only now
	if err := w.ses.Commit(next, outside); err != nil {
		return nil, err
	}
	// Only now is the lease seen by others: a bundle that was collected before that is made again. The session stands, so
	// this is done though the time may be up; nearly always it is one look.
	for _, set := range w.a.sets {
		if _, _, err := w.h.stored(context.WithoutCancel(ctx), set); err != nil {
			return nil, err
		}
	}
	if err := w.h.keepProgram(context.WithoutCancel(ctx), w.a, next); err != nil {
		return nil, err
	}
	if prev != nil && prev.State == manifest.Ready { // else it was us who did not come to the end
		for _, rel := range changes.Rewritten {
			w.a.note("rewritten", rel+" was changed or taken away since it was prepared, and was made anew", "")
		}
	}
	for _, rel := range changes.Displaced {
		w.a.note("displaced", rel+" was replaced by the client; what it wrote lies beside it, with the ending .displaced", "")
	}
	return w.prepared(next), nil
}

// leftOut says of a place what becomes of it where links cannot be made.
const leftOut = " is left out: it would lead to what the client writes to, and links cannot be made here"

// unlink puts copies in the place of the tree's links, and says what that costs.
func (w *work) unlink() error {
	left, err := w.tree.Unlink()
	if err != nil {
		return err
	}
	w.a.note("links_copied", "links cannot be made here, so that this session has copies: what changes later in the originals reaches it when it is prepared again",
		"allow this user to make symbolic links")
	for _, rel := range left {
		w.a.note("link_left_out", rel+leftOut, "")
	}
	return nil
}

// withoutLinks carries the preparation out with copies, after a link could not be made.
func (w *work) withoutLinks(prev, next *manifest.Manifest) (*manifest.Manifest, *layout.Changes, error) {
	if err := w.unlink(); err != nil {
		return nil, nil, err
	}
	generation := next.Generation
	next = w.record(prev)
	next.Generation = generation
	var had []manifest.Entry
	draft := *next
	if prev != nil {
		had = prev.Entries
		draft.Entries = union(had, next.Entries)
	}
	draft.Outside = slices.Concat(next.Outside, w.out.dropped)
	if err := w.ses.Begin(&draft); err != nil {
		return nil, nil, err
	}
	changes, err := w.tree.Compare(w.ses.Root, had)
	if err != nil {
		return nil, nil, err
	}
	return next, changes, changes.Apply(w.ses.Root)
}

// copies remembers which logins are copies, since links did not work, so that they are not made anew each time.
func (w *work) copies(prev *manifest.Manifest) {
	for i := range w.tree.Logins {
		l := &w.tree.Logins[i]
		l.Copy = slices.ContainsFunc(prev.Logins, func(p manifest.Login) bool {
			return p.Copy && p.Path == l.Path && p.Source == l.Source
		})
	}
}

// caches makes the directories that links into the cache lead to.
func (w *work) caches() error {
	for _, dir := range w.tree.Caches {
		if err := w.ses.MakeCache(dir); err != nil {
			return err
		}
	}
	return nil
}

// record is the manifest of the session as it will be.
func (w *work) record(prev *manifest.Manifest) *manifest.Manifest {
	a, now := w.a, w.h.cfg.Now().UTC()
	m := &manifest.Manifest{
		Schema: manifest.Schema, Workspace: a.session.Workspace, Session: a.session.ID, Provider: a.session.Provider, Cwd: a.session.Cwd,
		Adapter: manifest.Adapter{Version: a.adapter.Version, Digest: a.adapter.Digest, Unsafe: a.adapter.Unsafe},
		Client:  manifest.Client{Executable: a.exe, Version: a.version},
		Created: now, Updated: now,
		Entries: w.tree.Entries(), Logins: w.tree.Logins, Leases: w.tree.Leases, Copied: w.tree.Unlinked, Names: w.names, Homes: a.roots.Homes, Inherit: a.choices, Commands: a.projection,
		Models: a.source().String(), Program: a.program,
	}
	if prev != nil {
		m.Created, m.Generation, m.Snapshots = prev.Created, prev.Generation, prev.Snapshots
	}
	if w.out.plan != nil {
		m.Outside = w.out.plan.Outside()
	}
	for _, v := range a.content.Env {
		m.Env = append(m.Env, v.Name)
	}
	for _, v := range a.programEnv() {
		m.Env = append(m.Env, v.Name)
	}
	for _, v := range w.tree.Env {
		m.Env = append(m.Env, v.Name)
	}
	return m
}

// union lists what was and what will be, sorted, the new entry where both have one. Until the end a file is ours that was:
// what is to be the client's does not begin as that.
func union(prev, next []manifest.Entry) []manifest.Entry {
	all := slices.Clone(next)
	have := make(map[string]int, len(next))
	for i, e := range next {
		have[e.Path] = i
	}
	for _, e := range prev {
		if i, ok := have[e.Path]; !ok {
			all = append(all, e)
		} else if e.Custody == manifest.Ours && all[i].Custody == manifest.Seeded {
			all[i].Custody = manifest.Ours
		}
	}
	slices.SortFunc(all, func(a, b manifest.Entry) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return all
}

func asRefusal(err error) (*preparer.Refusal, bool) {
	var r *preparer.Refusal
	if errors.As(err, &r) {
		return r, true
	}
	return nil, false
}
