package adapter_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/adapter"
)

// startHost starts this test binary as a host.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	run    string
}

func startHost(t *testing.T, mode string, env ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self), run: shortDir(t)}
	c.cmd.Env = append(os.Environ(), append([]string{"GREENROOM_TEST_HOST=" + mode, "GREENROOM_TEST_RUN=" + c.run,
		"GREENROOM_TEST_ADAPTER=" + testAdapter, "GREENROOM_TEST_DIGEST=" + testDigest}, env...)...)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Stderr = &bytes.Buffer{}
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdout = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
		c.cmd.Wait()
		if t.Failed() {
			t.Logf("the host's standard error:\n%s", c.cmd.Stderr)
		}
	})
	return c
}

// found is what the host printed.
func (c *child) found(t *testing.T, v any) {
	t.Helper()
	line, err := c.stdout.ReadBytes('\n')
	if err != nil {
		t.Fatalf("reading from the host: %v", err)
	}
	if err := json.Unmarshal(line, v); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
}

// children are the processes whose parent is the given one.
func children(t *testing.T, parent int) []int {
	t.Helper()
	var pids []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields := stat(pid); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stat is /proc/pid/stat from the state on, or nothing.
func stat(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
}

// alive says whether a process runs; one that nobody waited for does not.
func alive(pid int) bool {
	fields := stat(pid)
	return len(fields) > 0 && fields[0] != "Z" && fields[0] != "X"
}

func TestH44_AdaptersEndWithTheirHost(t *testing.T) {
	t.Parallel()
	for mode, adapters := range map[string]int{"hold": 2, "starting": 3, "panic": 2, "exit": 2} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			h := startHost(t, mode)
			h.found(t, new(map[string][]string))
			var pids []int
			eventually(t, 10*time.Second, "the adapters run", func() bool {
				pids = children(t, h.cmd.Process.Pid)
				return len(pids) == adapters
			})
			switch mode {
			case "panic", "exit":
				h.stdin.Write([]byte("x"))
			default:
				if err := h.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			h.cmd.Wait()
			eventually(t, 2*time.Second, "all adapters gone", func() bool {
				for _, pid := range pids {
					if alive(pid) {
						return false
					}
				}
				return true
			})

			// H45: the next host takes away what the dead one left.
			if left, _ := filepath.Glob(filepath.Join(h.run, "gr-*", "*", "plugin-dir*")); len(left) == 0 {
				t.Error("the host left nothing, so that there is nothing to sweep")
			}
			p := pool(t, adapter.Config{RunDir: h.run}, source("alpha"))
			notes(t, p, "alpha", "pid")
			if bases, _ := filepath.Glob(filepath.Join(h.run, "*")); len(bases) != 1 {
				t.Errorf("run directories %v, want the living one", bases)
			}
		})
	}
}

func TestH44_WhatAnAdapterStartedEndsWithIt(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"close", "exit", "hang"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := pool(t, adapter.Config{CallTimeout: time.Second}, source("alpha"))
			pid, err := strconv.Atoi(notes(t, p, "alpha", "child")["pid"][0])
			if err != nil {
				t.Fatal(err)
			}
			if !alive(pid) {
				t.Fatal("the adapter's own process does not run")
			}
			if how == "close" {
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			} else if _, err := p.Prepare(t.Context(), "alpha", request(how)); err == nil {
				t.Fatal("no error")
			}
			eventually(t, 2*time.Second, "the adapter's own process gone", func() bool { return !alive(pid) })
		})
	}
}

func TestH45_NothingIsLeftAfterTwentyCycles(t *testing.T) {
	t.Parallel()
	tmp := shortDir(t)
	h := startHost(t, "cycles", "TMPDIR="+tmp)
	var n [2]struct{ Goroutines, Files, Threads int }
	h.found(t, &n)
	if err := h.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{tmp, h.run} {
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range left {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	if n[1].Goroutines > n[0].Goroutines || n[1].Files > n[0].Files || n[1].Threads > n[0].Threads+6 {
		t.Errorf("after 3 cycles %+v, after 21 %+v", n[0], n[1])
	}
	t.Logf("after 3 cycles %+v, after 21 %+v", n[0], n[1])
}

func TestH50_NothingOfTheHostReachesAnAdapter(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	allowed := map[string]bool{"GREENROOM_ADAPTER": true, "GREENROOM_LIFELINE": true, "LANG": true, "HOME": true,
		"TMPDIR": true, "PLUGIN_MIN_PORT": true, "PLUGIN_MAX_PORT": true, "PLUGIN_PROTOCOL_VERSIONS": true,
		"PLUGIN_CLIENT_CERT": true, "PLUGIN_UNIX_SOCKET_DIR": true}
	if os.Getenv("GREENROOM_CANARY") != canary {
		t.Fatal("there is no canary in the host's environment")
	}
	environ := notes(t, p, "alpha", "environ")["env"]
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if !allowed[name] || strings.Contains(v, canary) {
			t.Errorf("the adapter sees %s", v)
		}
	}
	if len(environ) != len(allowed) {
		t.Errorf("the adapter sees %d variables, want %d", len(environ), len(allowed))
	}
}

func TestH50_AdapterSeesOnlyItsPrivateDirectories(t *testing.T) {
	t.Parallel()
	h := startHost(t, "hold")
	if _, err := io.WriteString(h.stdin, "for the host alone"); err != nil {
		t.Fatal(err)
	}
	var found map[string][]string
	h.found(t, &found)
	for _, in := range found["stdin"] {
		if in != "0 bytes, <nil>" {
			t.Errorf("an adapter read from standard input: %s", in)
		}
	}
	if len(found["stdin"]) != 2 || found["wd"][0] == found["wd"][1] {
		t.Errorf("two adapters share the directory %v", found["wd"])
	}
	for _, code := range []string{"wd", "home", "tmp", "sockets"} {
		for _, dir := range found[code] {
			if !strings.HasPrefix(dir, h.run+"/gr-") {
				t.Errorf("%s is %s", code, dir)
			}
			if want := map[string]int{"sockets": 1}[code]; len(entries(t, dir)) != want {
				t.Errorf("%s has %d entries, want %d", code, len(entries(t, dir)), want)
			}
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: mode %v, %v", code, info.Mode(), err)
			}
		}
	}
	for _, fd := range found["fd"] {
		number, target, _ := strings.Cut(fd, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case n == 0 && target != "/dev/null", n > 0 && n <= 3 && !strings.HasPrefix(target, "pipe:"),
			n > 3 && target == testAdapter: // which the host holds open
			t.Errorf("descriptor %d of an adapter is %s", n, target)
		}
	}
}

func entries(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	e, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestH51_InterruptOfTheHostsGroupLeavesTheCallAlone(t *testing.T) {
	t.Parallel()
	h := startHost(t, "interrupt")
	line := func() string {
		t.Helper()
		s, err := h.stdout.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(s)
	}
	if got := line(); got != "calling" {
		t.Fatalf("the host says %q", got)
	}
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	if err := syscall.Kill(-h.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"interrupted", "answered"} {
		if got := line(); got != want {
			t.Fatalf("the host says %q, want %q", got, want)
		}
	}
	if err := h.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the host ended after %s", took)
	}
	if left := entries(t, h.run); len(left) > 0 {
		t.Errorf("%d entries are left", len(left))
	}
}

func TestIdleAdapterIsEndedAndStartedAgain(t *testing.T) {
	t.Parallel()
	run := shortDir(t)
	p := pool(t, adapter.Config{Idle: 300 * time.Millisecond, RunDir: run}, source("alpha"))
	first, err := strconv.Atoi(notes(t, p, "alpha", "slow:600ms")["pid"][0]) // longer than idle, and not ended
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, "the idle adapter gone", func() bool { return !alive(first) })
	eventually(t, 10*time.Second, "its directory gone", func() bool {
		left, err := filepath.Glob(filepath.Join(run, "gr-*", "*", "*"))
		return err == nil && len(left) == 0
	})
	infos, err := p.Providers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if infos[0].State != adapter.Stopped || infos[0].Crashes != 0 {
		t.Errorf("the idle adapter is %s with %d crashes", infos[0].State, infos[0].Crashes)
	}
	if second := notes(t, p, "alpha", "pid")["pid"][0]; second == strconv.Itoa(first) {
		t.Errorf("process %d answered again", first)
	}
}

func TestDeathBetweenCallsIsSeen(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	pid, err := strconv.Atoi(notes(t, p, "alpha", "pid")["pid"][0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, "the death is seen", func() bool {
		infos, err := p.Providers(t.Context())
		return err == nil && infos[0].State == adapter.Stopped && infos[0].Crashes == 1
	})
	notes(t, p, "alpha", "slow:1ms")
}

func TestStoppedAdapterDoesNotHoldUpClose(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	pid, err := strconv.Atoi(notes(t, p, "alpha", "pid")["pid"][0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, "the adapter stands still", func() bool { return stat(pid)[0] == "T" })
	closed := make(chan error, 1)
	go func() { closed <- p.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("closing takes for ever")
	}
	if alive(pid) {
		t.Error("the adapter is still there")
	}
}
