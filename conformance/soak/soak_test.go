package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
)

const (
	workers  = 6
	sessions = 12 // for each provider; fewer than the workers want, so that they meet
)

// TestSoakSessionsComeAndGo prepares, runs, lists, recovers and cleans up at random from two hosts at once.
func TestSoakSessionsComeAndGo(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("GREENROOM_SOAK"))
	if err != nil {
		t.Skip("GREENROOM_SOAK does not say how long to go on")
	}
	s := newStage(t)
	home, work := s.snapshot("home"), s.snapshot("work")
	hosts := []*core.Host{s.host(s.binaries()), s.host(s.inProcess())}
	// Adapters, pools and caches are there from here on.
	for _, h := range hosts {
		for _, p := range providers {
			s.once(h, p)
		}
	}
	before := weigh()

	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	seed := uint64(time.Now().UnixNano())
	var done [len(acts)]atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		r := rand.New(rand.NewPCG(seed, uint64(w)))
		wg.Go(func() {
			for ctx.Err() == nil {
				n := r.IntN(len(acts))
				who := core.Session{
					Workspace: "w", ID: fmt.Sprint("s", r.IntN(sessions)), Provider: providers[r.IntN(len(providers))], Cwd: s.path("work"),
				}
				who.ID += "-" + who.Provider
				// An act that has begun is seen to its end.
				err := acts[n].do(context.WithoutCancel(ctx), hosts[r.IntN(len(hosts))], who)
				if err != nil && !slices.Contains(acts[n].may, core.CodeOf(err)) {
					t.Errorf("seed %d: %s %s: %s: %v%s", seed, acts[n].name, who.ID, core.CodeOf(err), err, causes(err))
					cancel()
				}
				done[n].Add(1)
			}
		})
	}
	wg.Wait()
	for i := range acts {
		t.Logf("%-12s %d times", acts[i].name, done[i].Load())
	}

	s.end(hosts[0])
	if after := weigh(); after.files > before.files+8 || after.routines > before.routines+8 {
		t.Errorf("before there were %v, after %v", before, after)
	}
	for _, h := range hosts {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if changes := home.Changes(s.snapshot("home")); len(changes) > 0 {
		t.Errorf("the user's home: %v", changes)
	}
	if changes := work.Changes(s.snapshot("work")); len(changes) > 0 {
		t.Errorf("the workspace: %v", changes)
	}
	s.empty()
}

// acts are what workers do, and which errors are answers to what another worker does at the same time.
var acts = [...]struct {
	name string
	may  []core.Code
	do   func(context.Context, *core.Host, core.Session) error
}{
	{"prepare", nil, func(ctx context.Context, h *core.Host, s core.Session) error {
		p, err := h.Prepare(ctx, s)
		if err == nil && p.Dir == "" {
			return errors.New("it has no directory")
		}
		return err
	}},
	{"run", []core.Code{core.ErrNotFound, core.ErrIncomplete}, func(ctx context.Context, h *core.Host, s core.Session) error {
		l, err := h.Hold(ctx, s.Ref())
		if err != nil {
			return err
		}
		defer l.Release(ctx)
		info, err := h.Session(ctx, s.Ref())
		if err != nil {
			return err
		}
		// What clients do: a file of their own, and one of ours written anew.
		if err := os.WriteFile(filepath.Join(info.Dir, "transcript.jsonl"), []byte("{}\n"), 0o600); err != nil {
			return err
		}
		_, err = l.Release(ctx)
		return err
	}},
	{"explain", nil, func(ctx context.Context, h *core.Host, s core.Session) error {
		_, err := h.Explain(ctx, s)
		return err
	}},
	{"list", nil, func(ctx context.Context, h *core.Host, _ core.Session) error {
		for _, err := range h.Sessions(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{"recover", nil, func(ctx context.Context, h *core.Host, _ core.Session) error {
		_, err := h.Recover(ctx)
		return err
	}},
	{"keep", []core.Code{core.ErrRunning}, func(ctx context.Context, h *core.Host, s core.Session) error {
		_, err := h.Cleanup(ctx, s.Ref(), core.CleanupOptions{Keep: core.KeepTranscripts})
		return err
	}},
	{"clean up", []core.Code{core.ErrRunning}, func(ctx context.Context, h *core.Host, s core.Session) error {
		_, err := h.Cleanup(ctx, s.Ref(), core.CleanupOptions{})
		return err
	}},
}

// weight is what a process that leaks has more and more of.
type weight struct{ files, routines int }

func (w weight) String() string {
	return fmt.Sprintf("%d open files and %d goroutines", w.files, w.routines)
}

func (s *stage) snapshot(rel string) rig.Snapshot {
	s.t.Helper()
	snapshot, err := rig.Take(s.path(rel))
	if err != nil {
		s.t.Fatal(err)
	}
	return snapshot
}

// causes is what stands behind an error, which its message does not show.
func causes(err error) string {
	text := ""
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) {
		case interface{ Unwrap() []error }:
			for _, err := range e.Unwrap() {
				text += fmt.Sprintf("; %v", err)
				walk(err)
			}
		case interface{ Unwrap() error }:
			if err := e.Unwrap(); err != nil {
				text += fmt.Sprintf("; %v", err)
				walk(err)
			}
		}
	}
	walk(err)
	return text
}
