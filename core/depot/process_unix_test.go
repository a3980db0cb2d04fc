//go:build unix

package depot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/core/depot"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// job is what a second process of this test installs: a release in a directory, into a depot, killed at the nth change.
type job struct {
	Release, Depot string
	Policy         *trust.Policy
	KillAt         int64
}

const jobVariable = "GREENROOM_TEST_INSTALL"

func TestMain(m *testing.M) {
	text, ok := os.LookupEnv(jobVariable)
	if !ok {
		os.Exit(m.Run())
	}
	if err := work(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func work(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	if err := j.Policy.Complete(); err != nil {
		return err
	}
	d := depot.Open(j.Depot, here, func(n int64, _, _ string) error {
		if n == j.KillAt {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	})
	_, err := d.Install(context.Background(), j.Release, j.Policy, terms(), depot.InstallOptions{})
	return err
}

// start is a process of its own that does a job.
func start(t *testing.T, j job) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{jobVariable + "=" + string(text)}
	return cmd
}

// usable is the version of the only adapter of a depot, whose binary has to be that of this version to the last byte.
func usable(t *testing.T, d *depot.Depot, p publisher) string {
	t.Helper()
	h := one(t, d, p.policy)
	if h.Err != nil {
		t.Fatalf("%s cannot be used: %v", h.Version, h.Err)
	}
	data, err := os.ReadFile(h.Source.Path)
	if err != nil || string(data) != binary("acme", h.Version, here) {
		t.Errorf("the binary of %s is %q, %v", h.Version, data, err)
	}
	if info, err := os.Stat(h.Source.Path); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the binary of %s: %v, %v", h.Version, info, err)
	}
	return h.Version
}

// settled expects nothing below store and signed but the release that is locked and the one before it.
func settled(t *testing.T, dir string) {
	t.Helper()
	for _, sub := range []string{"store", "signed"} {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil || len(entries) > 2 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }) {
			t.Errorf("%s holds %v, %v", sub, entries, err)
		}
	}
}

// A kill at every single change of the disk leaves the adapter before or the new one, and the next installation goes well.
func TestC346_KillsWhileInstallingLeaveAnAdapter(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "acme")
	first, second := p.release(t, "acme", "1.0.0", 1), p.release(t, "acme", "1.1.0", 2)
	calls := int64(0)
	{
		d, dir := open(t)
		install(t, d, p, first)
		install(t, depot.Open(dir, here, func(n int64, _, _ string) error { calls = n; return nil }), p, second)
	}
	if calls < 8 {
		t.Fatalf("only %d changes were made", calls)
	}
	for n := int64(1); n <= calls; n++ {
		t.Run(strconv.FormatInt(n, 10), func(t *testing.T) {
			t.Parallel()
			d, dir := open(t)
			install(t, d, p, first)
			cmd := start(t, job{Release: second, Depot: dir, Policy: p.policy, KillAt: n})
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("it was not killed: %v %s", err, out)
			}
			if v := usable(t, d, p); v != "1.0.0" && v != "1.1.0" {
				t.Errorf("%s is locked", v)
			}
			install(t, d, p, second)
			if v := usable(t, d, p); v != "1.1.0" {
				t.Errorf("%s is locked after all", v)
			}
			settled(t, dir)
		})
	}
}

// Processes that install at the same time do it one after the other: each wins or is refused, and the newest is locked.
func TestC346_ProcessesInstallAdaptersOneAfterTheOther(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "acme")
	d, dir := open(t)
	const processes = 4
	var all sync.WaitGroup
	failures := make([]string, processes)
	for i := range processes {
		cmd := start(t, job{Release: p.release(t, "acme", fmt.Sprintf("1.%d.0", i), uint64(i+1)), Depot: dir, Policy: p.policy})
		all.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				failures[i] = fmt.Sprintf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	for i, f := range failures {
		if f != "" && (i == processes-1 || !strings.Contains(f, "is in the lock file")) {
			t.Errorf("1.%d.0: %s", i, f)
		}
	}
	if v := usable(t, d, p); v != fmt.Sprintf("1.%d.0", processes-1) {
		t.Errorf("%s is locked", v)
	}
	settled(t, dir)
}
