package preparertest

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// patience is how long an adapter may take for one answer. A host waits as long.
const patience = 30 * time.Second

// bounded is an adapter that does not hold up the kit: one that did not answer once is not asked again.
type bounded struct {
	preparer.Preparer
	limit time.Duration
	hangs atomic.Bool
}

func (b *bounded) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	hung := fmt.Errorf("the adapter did not answer within %s", b.limit)
	if b.hangs.Load() {
		return nil, hung
	}
	type said struct {
		layout *preparer.Layout
		err    error
		// panicked is what the adapter panicked with, which goes on where it was asked.
		panicked any
	}
	answered := make(chan said, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				answered <- said{panicked: v}
			}
		}()
		l, err := b.Preparer.Prepare(ctx, r)
		answered <- said{layout: l, err: err}
	}()
	select {
	case s := <-answered:
		if s.panicked != nil {
			panic(s.panicked)
		}
		return s.layout, s.err
	case <-time.After(b.limit):
		b.hangs.Store(true)
		return nil, hung
	}
}
