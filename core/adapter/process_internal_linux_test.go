package adapter

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// start is a process that is to run a program as if it were an adapter.
func start(t *testing.T, path string, args ...string) *child {
	t.Helper()
	dir, err := os.MkdirTemp("", "ad")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	base, err := newRunBase(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := base.process()
	if err != nil {
		t.Fatal(err)
	}
	fork := newForker()
	same := func(s string) string { return s }
	c := &child{source: Source{Path: path, Args: args, UnsafeAnyDigest: true}, run: run, fork: fork, redact: same,
		tail: &tail{redact: same}, pause: time.Sleep, drained: make(chan struct{}), exited: make(chan struct{})}
	t.Cleanup(func() {
		if c.pid() != 0 {
			c.Kill(context.Background())
			<-c.exited
		}
		fork.close()
		base.remove()
	})
	return c
}

func TestH44_ForkingThreadHoldsItsChildren(t *testing.T) {
	t.Parallel()
	c := start(t, "/bin/sleep", "300")
	if err := c.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.exited:
		t.Fatal("it ended while the thread lives")
	case <-time.After(300 * time.Millisecond):
	}
	c.fork.close()
	select {
	case <-c.exited:
	case <-time.After(2 * time.Second):
		t.Fatal("it did not end with the thread")
	}
	if state, _ := c.ending(); state != "signal: killed" {
		t.Errorf("it ended with %q", state)
	}
}

func TestH44_LifelineAloneEndsAnAdapter(t *testing.T) {
	t.Parallel()
	// cat ends when what it reads does, as an adapter's watch does.
	c := start(t, "/bin/sh", "-c", "exec cat <&3")
	if err := c.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.line.ours.Close()
	select {
	case <-c.exited:
	case <-time.After(2 * time.Second):
		t.Fatal("it did not end with its lifeline")
	}
	if state, _ := c.ending(); state != "exit status 0" {
		t.Errorf("it ended with %q", state)
	}
}

func TestBusyBinaryIsTriedTwice(t *testing.T) {
	t.Parallel()
	in, err := os.Open("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, ends := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "written")
		out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(out, in); err != nil {
			t.Fatal(err)
		}
		c := start(t, path)
		paused := 0
		c.pause = func(time.Duration) {
			paused++
			if ends {
				out.Close()
			}
		}
		err = c.Start(context.Background())
		if paused != 1 {
			t.Errorf("it was tried %d times again", paused)
		}
		switch {
		case ends && err != nil:
			t.Errorf("it did not start: %v", err)
		case !ends && !errors.Is(err, fault.AdapterMissing):
			t.Errorf("error %v, want %v", err, fault.AdapterMissing)
		}
	}
}

func TestKillBeforeTheStartKeepsItFromRunning(t *testing.T) {
	t.Parallel()
	c := start(t, "/bin/sleep", "300")
	if err := c.Kill(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.exited:
	case <-time.After(2 * time.Second):
		t.Fatal("it runs")
	}
}
