package core

import (
	"context"

	"github.com/greenroom-agents/greenroom/core/manifest"
)

// pendingShares lists the shared directories of the user's for which something has to be done before links to them are
// made. It changes nothing.
func (w *work) pendingShares(prev *manifest.Manifest) ([]manifest.Share, error) {
	if w.tree.Unlinked {
		return nil, nil // never a copy
	}
	var list []manifest.Share
	for _, s := range w.tree.Shares {
		had := ""
		if prev != nil {
			for _, e := range prev.Entries {
				if e.Path == s.Path {
					had = e.Target
				}
			}
		}
		pending, err := w.ses.PendingShare(s, had)
		if err != nil {
			return nil, err
		}
		if pending {
			list = append(list, s)
		}
	}
	return list, nil
}

// shares makes them. What undo is called with is what became of the preparation: directories that it made and that are
// empty go with it when it failed.
func (w *work) shares(ctx context.Context, list []manifest.Share) (undo func(failed error), err error) {
	var made []*manifest.Shared
	undo = func(failed error) {
		for i := len(made) - 1; i >= 0 && failed != nil; i-- {
			made[i].Undo(w.h.store)
		}
	}
	for _, s := range list {
		out, err := w.ses.MakeShare(ctx, s)
		if out != nil {
			made = append(made, out)
			w.h.cfg.Logger.Info("shared directory", "session", w.a.name, "place", s.Label, "made", len(out.Made), "from", out.From, "passed_over", out.Failed, "adopted", out.Adopted)
		}
		if err != nil {
			return undo, err
		}
	}
	return undo, nil
}
