package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// errInjected is what a call that changes the disk fails with.
var errInjected = errors.New("injected")

// phase is one operation whose every change of the disk is made to fail.
type phase struct {
	before func(s *stage)                        // what was there
	run    func(s *stage, h *Host) error         // what is made to fail
	after  func(t *testing.T, s *stage, n int64) // what has to hold then, before anything is mended
}

// phases are the operations on a session that has a block in its workspace.
func phases() map[string]phase {
	prepare := func(s *stage, h *Host) error {
		_, err := h.Prepare(s.t.Context(), s.session("one"))
		return err
	}
	change := func(s *stage) {
		s.prepare(s.session("one"))
		s.write("home/.prop/config.toml", "model = \"other\"\n")
		s.write("home/.prop/hooks/two.json", "{}")
		if err := os.Remove(s.path("home/.prop/hooks/one.json")); err != nil {
			s.t.Fatal(err)
		}
	}
	return map[string]phase{
		"fresh": {
			before: func(*stage) {},
			run:    prepare,
			after: func(t *testing.T, s *stage, n int64) {
				if left := s.left(); len(left) != 0 {
					t.Errorf("call %d: left: %v %v", n, left, snapshot(t, s.state+"/s", false))
				}
				if _, err := os.Lstat(s.path("work/AGENTS.md")); err == nil {
					t.Errorf("call %d: the block is left in the workspace", n)
				}
			},
		},
		"again": {
			before: change,
			run:    prepare,
			after: func(t *testing.T, s *stage, n int64) {
				in, err := s.host.Session(t.Context(), s.session("one").Ref())
				if err != nil {
					t.Errorf("call %d: %v", n, err)
				}
				if in.State != "ready" && in.State != "incomplete" {
					t.Errorf("call %d: the session is %s", n, in.State)
				}
				if got := s.read(s.path("work/AGENTS.md")); strings.Count(got, "GREENROOM BEGIN") != 1 {
					t.Errorf("call %d: workspace file is %q", n, got)
				}
			},
		},
		"cleanup": {
			before: func(s *stage) { s.prepare(s.session("one")) },
			run: func(s *stage, h *Host) error {
				_, err := h.Cleanup(s.t.Context(), s.session("one").Ref(), CleanupOptions{})
				return err
			},
			after: func(*testing.T, *stage, int64) {},
		},
	}
}

// sweep runs a phase with call n = 1, 1+stride, ... failing until one run has fewer calls. Each run is followed by all
// that has to work after a failure.
func sweep(t *testing.T, ph phase, stride int64, bad func(s *stage, n, at int64) error, check func(t *testing.T, s *stage, n int64, err error)) {
	t.Helper()
	for n := int64(1); ; n += stride {
		p := prop{provider: "prop", workspace: true}
		s := newStage(t, p)
		s.write("home/.prop/auth.json", `{"last_refresh":"2026-01-01T00:00:00Z"}`)
		ph.before(s)
		user := snapshot(t, s.home, true)
		var calls atomic.Int64
		h := s.open(func(c *Config) {
			c.BeforeChange = func(at int64, _, _ string) error {
				calls.Store(at)
				return bad(s, n, at)
			}
		}, p)
		err := ph.run(s, h)
		check(t, s, n, err)
		if diff := cmp.Diff(user, snapshot(t, s.home, true)); diff != "" {
			t.Errorf("call %d: the user's home changed:\n%s", n, diff)
		}
		if err != nil {
			ph.after(t, s, n)
		}
		// A host without faults brings everything to an end.
		if _, err := s.host.Recover(t.Context()); err != nil {
			t.Errorf("call %d: recover: %v", n, err)
		}
		s.prepare(s.session("one"))
		s.cleanup(s.session("one"))
		if left := s.left(); len(left) != 0 {
			t.Errorf("call %d: left in the end: %v", n, left)
		}
		if _, err := os.Lstat(s.path("work/AGENTS.md")); err == nil {
			t.Errorf("call %d: the workspace has a file more", n)
		}
		if calls.Load() < n {
			if n < 3 {
				t.Errorf("only %d calls", calls.Load())
			}
			return
		}
		if t.Failed() {
			return
		}
	}
}

func TestC022_EveryChangeThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, ph := range phases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sweep(t, ph, 1, func(_ *stage, n, at int64) error {
				if at == n {
					return errInjected
				}
				return nil
			}, func(t *testing.T, s *stage, n int64, err error) {
				checkError(t, s, fmt.Sprintf("call %d", n), err)
			})
		})
	}
}

func TestC022_DiskThatFailsFromOneChangeOn(t *testing.T) {
	t.Parallel()
	for name, ph := range phases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ph.after = func(*testing.T, *stage, int64) {} // nothing could be put in order yet
			sweep(t, ph, 3, func(_ *stage, n, at int64) error {
				if at >= n {
					return errInjected
				}
				return nil
			}, func(t *testing.T, s *stage, n int64, err error) {
				checkError(t, s, fmt.Sprintf("call %d", n), err)
			})
		})
	}
}

// checkError holds an error to what is promised of all: a class, and no path of the machine.
func checkError(t *testing.T, s *stage, what string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%s: %v is no *core.Error", what, err)
	}
	if strings.Contains(err.Error(), s.dir) {
		t.Errorf("%s: the message names a path: %v", what, err)
	}
}

func TestC021_CancelAtEveryChangeLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, ph := range phases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cancel context.CancelFunc
			ph.run = func(s *stage, h *Host) error {
				var ctx context.Context
				ctx, cancel = context.WithCancel(t.Context())
				defer cancel()
				if name == "cleanup" {
					_, err := h.Cleanup(ctx, s.session("one").Ref(), CleanupOptions{})
					return err
				}
				_, err := h.Prepare(ctx, s.session("one"))
				return err
			}
			sweep(t, ph, 2, func(_ *stage, n, at int64) error {
				if at == n {
					cancel()
				}
				return nil
			}, func(t *testing.T, s *stage, n int64, err error) {
				checkError(t, s, fmt.Sprintf("call %d", n), err)
				if err != nil && !errors.Is(err, ErrDeadline) && !errors.Is(err, ErrBusy) {
					t.Errorf("call %d: %v, want the class of a call that was given up", n, err)
				}
			})
		})
	}
}

// failing is a prop whose preparation fails last of all, when everything is placed.
func failing() prop {
	return prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
		l.Check(preparer.Session("prop/config.toml"), preparer.CheckTOML, preparer.Key("nothing"))
	}}
}

// A preparation that failed, and that could not be undone either, says both, the cause first. The next look puts it in order.
func TestC230_AFailureThatCannotBeUndoneSaysBoth(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	h := s.open(func(c *Config) {
		c.BeforeChange = func(_ int64, call, path string) error {
			if call == "remove" && strings.HasPrefix(path, "s/") {
				return fs.ErrPermission
			}
			return nil
		}
	}, failing())
	_, err := h.Prepare(t.Context(), s.session("one"))
	checkError(t, s, "prepare", err)
	if CodeOf(err) != ErrCheckFailed || !errors.Is(err, ErrStateWrite) {
		t.Errorf("got %v, want %v and %v", err, ErrCheckFailed, ErrStateWrite)
	}
	for _, said := range []string{"nothing", "permission denied"} {
		if !strings.Contains(fmt.Sprint(err), said) {
			t.Errorf("%v does not say %q", err, said)
		}
	}
	if len(s.left()) == 0 {
		t.Error("it was undone: the case shows nothing")
	}
	if _, err := s.host.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
