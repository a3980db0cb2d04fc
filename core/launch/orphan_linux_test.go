package launch_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
)

// other is what a second host, in a process of its own, is told.
type other struct {
	State, Home, Cwd string
	Env, Flags       []string
	Prompt           string
}

const otherVar = "GREENROOM_TEST_HOST"

// hostMain drives a session until it is killed, when the process is to be the second host.
func hostMain() {
	text := os.Getenv(otherVar)
	if text == "" {
		return
	}
	var o other
	err := json.Unmarshal([]byte(text), &o)
	ctx := context.Background()
	var h *core.Host
	if err == nil {
		h, err = core.New(ctx, core.Config{StateDir: o.State, Home: o.Home, Environ: o.Env, Commands: command.Fixed(),
			Adapters: []adapter.Source{{InProcess: launchtest.Adapter{Flags: o.Flags}}}})
	}
	var p *core.Prepared
	if err == nil {
		p, err = h.Prepare(ctx, core.Session{Workspace: "w", ID: "one", Provider: launchtest.Provider, Cwd: o.Cwd})
	}
	var c *launch.Conn
	if err == nil {
		c, err = launch.Open(ctx, p, launch.Options{Host: h, Environ: o.Env})
	}
	if err == nil {
		_, err = c.NewSession(ctx)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	for range c.Prompt(ctx, launch.Block{Text: o.Prompt}) {
	}
	os.Stdout.WriteString("ready\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// killed lets a second host drive an agent, and kills that host as soon as the agent has done what it was told. It gives
// the files that the agent's children have written their numbers to.
func (s *scene) killed(flags ...string) (child, orphan string) {
	s.Helper()
	dir := s.TempDir()
	child, orphan = filepath.Join(dir, "child"), filepath.Join(dir, "orphan")
	home := strings.TrimPrefix(s.env[1], "HOME=")
	o, err := json.Marshal(other{State: filepath.Join(filepath.Dir(home), "state"), Home: home, Cwd: s.cwd, Env: s.env, Flags: flags,
		Prompt: "child " + child + "\norphan " + orphan})
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), otherVar+"="+string(o))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		s.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		s.Fatalf("the host said %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	_ = cmd.Wait()
	return child, orphan
}

// agents are the processes of the fake agent that work in the scene's directory.
func (s *scene) agents() (list []string) {
	s.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range entries {
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil || !strings.HasSuffix(strings.SplitN(string(line), "\x00", 2)[0], ".test") {
			continue
		}
		if cwd, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd")); err == nil && cwd == s.cwd {
			list = append(list, e.Name())
		}
	}
	return list
}

func number(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// A host is killed. A client that behaves ends with its input.
func TestH53_ClientEndsWithItsHost(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.killed()
	begin := time.Now()
	for len(s.agents()) > 0 {
		if time.Since(begin) > 5*time.Second {
			t.Fatalf("the agent still runs: %v", s.agents())
		}
		time.Sleep(20 * time.Millisecond)
	}
	// What it left running is ended with the rest by whoever comes next.
	if report, err := s.host.Recover(t.Context()); err != nil || len(report.Ended) != 1 {
		t.Errorf("recovered %+v, %v", report, err)
	}
}

// One that goes on at the end of its input, as in a turn, is asked to end.
func TestH53_ClientIsAskedToEndWithItsHost(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.killed("--ignore-eof")
	for begin := time.Now(); len(s.agents()) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 5*time.Second {
			t.Fatalf("the agent still runs: %v", s.agents())
		}
	}
}

// A host is killed, and its client goes on: the next one ends it, whatever it does first.
func TestH53_WhatAKilledHostLeftIsEndedByTheNext(t *testing.T) {
	t.Parallel()
	ref := core.Ref{Workspace: "w", ID: "one"}
	for name, next := range map[string]func(*scene) error{
		"recover": func(s *scene) error { _, err := s.host.Recover(s.Context()); return err },
		"clean up": func(s *scene) error {
			_, err := s.host.Cleanup(s.Context(), ref, core.CleanupOptions{})
			return err
		},
		"open": func(s *scene) error {
			c, err := launch.Open(s.Context(), s.prepare("one"), s.options())
			if err == nil {
				err = c.Close()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			child, orphan := s.killed("--ignore-eof", "--ignore-term")
			if len(s.agents()) != 1 {
				t.Fatalf("the agents %v live on, want one", s.agents())
			}
			if err := next(s); err != nil {
				t.Fatal(err)
			}
			if left := s.agents(); len(left) > 0 {
				t.Errorf("the agent %v is left", left)
			}
			for _, file := range []string{child, orphan} {
				if !gone(number(t, file)) {
					t.Errorf("%s is left", filepath.Base(file))
				}
			}
			if left, err := os.ReadDir(filepath.Join(filepath.Dir(s.cwd), "state/c")); err != nil || len(left) > 0 {
				t.Errorf("records are left: %v, %v", left, err)
			}
		})
	}
}

// Nothing is ended that another host drives, nor what only has the number of a client that was left.
func TestH53_OnlyWhatIsCertainIsEnded(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	c, _ := s.open()
	if report, err := s.host.Recover(t.Context()); err != nil || len(report.Ended) > 0 {
		t.Errorf("recovered %+v, %v", report, err)
	}
	if got := said(s.turn(c, "say here")); got != "here" {
		t.Errorf("the agent says %q", got)
	}
	dir := filepath.Join(filepath.Dir(s.cwd), "state/c")
	records, err := os.ReadDir(dir)
	if err != nil || len(records) != 1 {
		t.Fatalf("records %v, %v", records, err)
	}
	// The same record of a host that is gone, and of a client that was started a tick earlier.
	file := filepath.Join(dir, records[0].Name())
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Host, Tree map[string]any
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	leader := r.Tree["leader"].(map[string]any)
	r.Host["pid"], leader["start"] = 1<<22+1, leader["start"].(float64)-1
	name, _, _ := strings.Cut(records[0].Name(), ".")
	r.Tree["mark"] = strings.Repeat("0", 32)
	if data, err = json.Marshal(map[string]any{"host": r.Host, "tree": r.Tree}); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, name+"."+strings.Repeat("0", 32))
	if err := errors.Join(os.WriteFile(stale, data, 0o600), os.WriteFile(filepath.Join(dir, name+".torn"), data[:40], 0o600)); err != nil {
		t.Fatal(err)
	}
	if report, err := s.host.Recover(t.Context()); err != nil || len(report.Ended) > 0 {
		t.Errorf("recovered %+v, %v", report, err)
	}
	if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the record of what is over is left: %v", err)
	}
	if got := said(s.turn(c, "say on")); got != "on" {
		t.Errorf("the agent says %q", got)
	}
}

// A client is stopped by somebody else than who drives it. The turn says that it has ended, and the session stays.
func TestStopEndsWhatAnotherDrives(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	c, talk := s.open()
	second, err := core.New(t.Context(), core.Config{StateDir: filepath.Join(filepath.Dir(s.cwd), "state"), Home: filepath.Dir(s.cwd),
		Environ: s.env, Commands: command.Fixed(), Adapters: []adapter.Source{{InProcess: launchtest.Adapter{}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	orphan := filepath.Join(t.TempDir(), "orphan")
	var last launch.Event
	for last = range c.Prompt(t.Context(), launch.Block{Text: "orphan " + orphan + "\nsay a\nsleep 1m"}) {
		if last.Kind == launch.Text {
			if n, err := second.Stop(t.Context(), core.Ref{Workspace: "w", ID: "one"}); n != 1 || err != nil {
				t.Errorf("stopped %d, %v", n, err)
			}
		}
	}
	if !errors.Is(last.Err, launch.ErrEnded) {
		t.Errorf("the turn ended with %+v", last)
	}
	if !gone(number(t, orphan)) {
		t.Error("what it had started is left")
	}
	if n, err := second.Stop(t.Context(), core.Ref{Workspace: "w", ID: "one"}); n != 0 || err != nil {
		t.Errorf("stopped again %d, %v", n, err)
	}
	if got := said(s.turn(c, "say on\nshow")); !strings.HasPrefix(got, "on") || !strings.Contains(got, talk.ID) {
		t.Errorf("the next turn says %q", got)
	}
}
