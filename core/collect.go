package core

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/greenroom-agents/greenroom/core/manifest"
)

// DefaultGrace is how old a bundle of skills has to be before it is collected.
const DefaultGrace = 24 * time.Hour

// CollectOptions says what is collected. The zero value spares everything of the last day.
type CollectOptions struct {
	// Grace is how long a bundle stays in any case, counted from when it was made. Default: [DefaultGrace]. A negative
	// one spares nothing that is not in use.
	Grace time.Duration
}

// Collected says what was removed.
type Collected struct {
	Bundles []string `json:"bundles"` // digests
	// Snapshots are digests of copies of clients' own skills.
	Snapshots []string `json:"snapshots,omitempty"`
	// Programs are digests of versions of rtk.
	Programs []string `json:"programs,omitempty"`
}

// Collect removes bundles of skills that no session uses any more. A bundle in use is never removed, whatever other
// hosts prepare at the same time. When the record of any session cannot be read, nothing is removed.
func (h *Host) Collect(ctx context.Context, o CollectOptions) (*Collected, error) {
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	return watched(ctx, h, "", "collect skills", "store", func(ctx context.Context, _ *operation) (*Collected, error) {
		if err := h.ensure(); err != nil {
			return nil, err
		}
		store, err := h.skillStore()
		if errors.Is(err, fs.ErrNotExist) {
			return &Collected{Bundles: []string{}}, nil
		}
		if err != nil {
			return nil, err
		}
		removed, err := store.Collect(ctx, h.cfg.Now().Add(-o.Grace), func() (map[string]bool, error) {
			return h.held(ctx, func(m *manifest.Manifest) []string { return m.Leases })
		})
		out := &Collected{Bundles: append([]string{}, removed...)}
		if err == nil {
			out.Snapshots, err = h.collectSnapshots(ctx, o)
		}
		if err == nil {
			out.Programs, err = h.collectPrograms(ctx, o)
		}
		return out, err
	})
}

// held are the digests that the records of all sessions name.
func (h *Host) held(ctx context.Context, of func(*manifest.Manifest) []string) (map[string]bool, error) {
	names, err := h.store.Names(ctx)
	if err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for _, name := range names {
		m, err := h.store.Load(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, digest := range of(m) {
			held[digest] = true
		}
	}
	return held, nil
}
