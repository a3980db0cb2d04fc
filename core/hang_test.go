package core

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// tap makes the calls that change the disk wait until it is opened.
type tap struct {
	once sync.Once
	at   chan struct{} // closed when the first call waits
	open chan struct{}
}

func newTap() *tap { return &tap{at: make(chan struct{}), open: make(chan struct{})} }

// stall waits at the first call below a session's directory, where its lock is held.
func (w *tap) stall(_ int64, call, path string) error {
	if call != "write" || len(path) < 2 || path[:2] != "s/" && path != "prop/RULES.md" {
		return nil
	}
	w.once.Do(func() { close(w.at) })
	<-w.open
	return nil
}

func TestC021_FileSystemThatHangsKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w := newTap()
	const limit = time.Second
	h := s.open(func(c *Config) { c.Timeout, c.BeforeChange = limit, w.stall }, prop{provider: "prop"})
	other := s.open(func(c *Config) { c.Timeout = limit }, prop{provider: "prop"})

	for _, h := range []*Host{h, other} {
		if _, err := h.Explain(t.Context(), s.session("one")); err != nil { // so that the time is not up before the lock is held
			t.Fatal(err)
		}
	}
	begun := time.Now()
	second := make(chan error, 1)
	go func() {
		select {
		case <-w.at:
		case <-time.After(time.Minute):
		}
		_, err := h.Prepare(t.Context(), s.session("one"))
		second <- err
	}()
	_, err := h.Prepare(t.Context(), s.session("one"))
	if !errors.Is(err, ErrDeadline) {
		t.Fatalf("error %v, want %v", err, ErrDeadline)
	}
	checkError(t, s, "deadline", err)
	if waited := time.Since(begun); waited > 20*(limit+grace) {
		t.Errorf("waited for %v", waited)
	}
	if err := <-second; !errors.Is(err, ErrBusy) {
		t.Errorf("one that waited for the lock meanwhile: %v, want %v", err, ErrBusy)
	}
	for what, call := range map[string]func(*Host) error{
		"prepare": func(h *Host) error { _, err := h.Prepare(t.Context(), s.session("one")); return err },
		"cleanup": func(h *Host) error {
			_, err := h.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{})
			return err
		},
	} {
		if err := call(h); !errors.Is(err, ErrPoisoned) {
			t.Errorf("%s on the same host: %v, want %v", what, err, ErrPoisoned)
		}
		if err := call(other); !errors.Is(err, ErrBusy) {
			t.Errorf("%s on another host: %v, want %v", what, err, ErrBusy)
		}
	}
	if r, err := other.Recover(t.Context()); err != nil || len(r.Busy) != 1 {
		t.Errorf("recover reports %+v, %v; want one busy session", r, err)
	}
	if _, err := h.Prepare(t.Context(), s.session("two")); !errors.Is(err, ErrDeadline) {
		t.Errorf("another session, which hangs too: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Errorf("close with what hangs: %v", err)
	}

	close(w.open)
	// What was given up was reported as failed, and comes to nothing.
	s.host.cfg.Timeout = time.Minute
	for deadline := time.Now().Add(time.Minute); len(s.left()) > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left of what was given up: %v", left)
	}
	if _, err := s.host.Prepare(t.Context(), s.session("one")); err != nil {
		t.Errorf("after the file system came back: %v", err)
	}
}

func TestC021_PoisonEndsWithTheCall(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w := newTap()
	h := s.open(func(c *Config) { c.Timeout, c.BeforeChange = time.Second, w.stall }, prop{provider: "prop"})
	if _, err := h.Explain(t.Context(), s.session("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Prepare(t.Context(), s.session("one")); !errors.Is(err, ErrDeadline) {
		t.Fatalf("error %v, want %v", err, ErrDeadline)
	}
	if !h.isStuck(nameOf(s, "one")) {
		t.Fatal("the session is not poisoned")
	}
	close(w.open)
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err = h.Prepare(t.Context(), s.session("one")); err == nil || !errors.Is(err, ErrPoisoned) && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrDeadline) {
			break
		}
	}
	if err != nil {
		t.Errorf("after the file system came back: %v", err)
	}
}

func TestC021_CleanupAndRecoverThatHangKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	for what, call := range map[string]func(*Host, *stage) error{
		"clean up": func(h *Host, s *stage) error {
			_, err := h.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{})
			return err
		},
		"recover": func(h *Host, s *stage) error { _, err := h.Recover(t.Context()); return err },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.prepare(s.session("one"))
			if what == "recover" { // a clean-up that was cut off
				dir := s.path("state/s/" + nameOf(s, "one"))
				if err := os.Rename(dir, dir+".gone"); err != nil {
					t.Fatal(err)
				}
			}
			w := newTap()
			const limit = 200 * time.Millisecond
			h := s.open(func(c *Config) {
				c.Timeout = limit
				c.BeforeChange = func(_ int64, _, path string) error {
					if strings.HasPrefix(path, "s/") {
						<-w.open
					}
					return nil
				}
			}, prop{provider: "prop"})
			other := s.open(func(c *Config) { c.Timeout = limit }, prop{provider: "prop"})
			begun := time.Now()
			err := call(h, s)
			if !errors.Is(err, ErrDeadline) || !strings.Contains(err.Error(), what) {
				t.Fatalf("error %v, want %v of %s", err, ErrDeadline, what)
			}
			checkError(t, s, what, err)
			if waited := time.Since(begun); waited > 20*(limit+grace) {
				t.Errorf("waited for %v", waited)
			}
			if _, err := h.Prepare(t.Context(), s.session("one")); !errors.Is(err, ErrPoisoned) {
				t.Errorf("prepare on the same host: %v, want %v", err, ErrPoisoned)
			}
			if _, err := other.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{}); !errors.Is(err, ErrBusy) {
				t.Errorf("clean up on another host: %v, want %v", err, ErrBusy)
			}
			for _, h := range []*Host{h, other} {
				if r, err := h.Recover(t.Context()); err != nil || len(r.Busy) != 1 {
					t.Errorf("recover reports %+v, %v; want one busy session", r, err)
				}
			}
			if err := h.Close(); err != nil {
				t.Errorf("close with what hangs: %v", err)
			}
			close(w.open)
			for end := false; !end; time.Sleep(time.Millisecond) {
				h.mu.Lock()
				end = h.adrift == 0
				h.mu.Unlock()
			}
			s.cleanup(s.session("one"))
			if left := s.left(); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestInputsThatChangeUnderPrepare(t *testing.T) {
	t.Parallel()
	for times, want := range map[int]error{1: nil, 2: nil, 3: ErrInputsChanged} {
		s := newStage(t)
		n, text := 0, "model = \"x\"\n"
		h := s.open(func(c *Config) {
			c.BeforeChange = func(_ int64, call, path string) error {
				if call == "mkdir" && path == "s/"+nameOf(s, "one")+".new" && n < times {
					n++
					text += fmt.Sprintf("another%d = true\n", n)
					return os.WriteFile(s.path("home/.prop/config.toml"), []byte(text), 0o644)
				}
				return nil
			}
		}, prop{provider: "prop"})
		p, err := h.Prepare(t.Context(), s.session("one"))
		if want != nil {
			if !errors.Is(err, want) {
				t.Errorf("changed %d times: %v, want %v", times, err, want)
			}
			checkError(t, s, "inputs", err)
			if left := s.left(); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
			continue
		}
		if err != nil {
			t.Errorf("changed %d times: %v", times, err)
			continue
		}
		if got := s.read(p.Dir + "/prop/config.toml"); strings.Count(got, "another") != times {
			t.Errorf("changed %d times: config is %q", times, got)
		}
	}
}

func TestCloseWaitsForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w := newTap()
	h := s.open(func(c *Config) { c.BeforeChange = w.stall }, prop{provider: "prop"})
	prepared, closed := make(chan error, 1), make(chan error, 1)
	go func() { _, err := h.Prepare(t.Context(), s.session("one")); prepared <- err }()
	<-w.at
	go func() { closed <- h.Close() }()
	for {
		if _, err := h.Explain(t.Context(), s.session("two")); errors.Is(err, ErrClosed) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	select {
	case <-closed:
		t.Error("close did not wait")
	default:
	}
	close(w.open)
	if err := <-prepared; err != nil {
		t.Errorf("prepare: %v", err)
	}
	if err := <-closed; err != nil {
		t.Errorf("close: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Errorf("close twice: %v", err)
	}
}

func TestClosedHostRefuses(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session("one")
	s.prepare(ses)
	lease, err := s.host.Hold(t.Context(), ses.Ref())
	if err != nil {
		t.Fatal(err)
	}
	s.host.Close()
	ctx := t.Context()
	for what, call := range map[string]func() error{
		"prepare":  func() error { _, err := s.host.Prepare(ctx, ses); return err },
		"explain":  func() error { _, err := s.host.Explain(ctx, ses); return err },
		"cleanup":  func() error { _, err := s.host.Cleanup(ctx, ses.Ref(), CleanupOptions{}); return err },
		"recover":  func() error { _, err := s.host.Recover(ctx); return err },
		"hold":     func() error { _, err := s.host.Hold(ctx, ses.Ref()); return err },
		"session":  func() error { _, err := s.host.Session(ctx, ses.Ref()); return err },
		"adapters": func() error { _, err := s.host.Adapters(ctx); return err },
		"sessions": func() (last error) {
			for _, err := range s.host.Sessions(ctx) {
				last = err
			}
			return last
		},
	} {
		if err := call(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v, want %v", what, err, ErrClosed)
		}
	}
	// A lease that could not be given back would keep the session for as long as the process lives.
	if _, err := lease.Release(ctx); err != nil {
		t.Errorf("release: %v", err)
	}
	s.host = s.open(nil, prop{provider: "prop"})
	s.cleanup(ses)
}

func TestC021_StateDirectoryThatHangsKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	open := make(chan struct{})
	stall := func(int64, string, string) error { <-open; return nil }
	h := s.open(func(c *Config) { c.Timeout, c.BeforeChange = 200*time.Millisecond, stall }, prop{provider: "prop"})
	failed := make(chan error, 2)
	for _, id := range []string{"one", "two"} {
		go func() { _, err := h.Prepare(t.Context(), s.session(id)); failed <- err }()
	}
	limit := time.After(time.Minute)
	for range 2 {
		select {
		case err := <-failed:
			if !errors.Is(err, ErrDeadline) {
				t.Errorf("error %v, want %v", err, ErrDeadline)
			}
		case <-limit:
			t.Fatal("still waiting")
		}
	}
	if _, err := h.Explain(t.Context(), s.session("one")); err != nil {
		t.Errorf("explain, which writes nothing: %v", err)
	}
	close(open)
	for end := false; !end; time.Sleep(time.Millisecond) {
		h.mu.Lock()
		end = h.adrift == 0
		h.mu.Unlock()
	}
}
