//go:build unix

package extension_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// job is what a second process of this test installs: a package in a directory, into a store, killed at the nth change.
type job struct {
	Package, Store string
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
	s := extension.OpenStore(j.Store, func(n int64, _, _ string) error {
		if n == j.KillAt {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	})
	return installHere(s, j)
}

func installHere(s *extension.Store, j job) error {
	c, err := extension.ReadDirectory(context.Background(), j.Package)
	if err != nil {
		return err
	}
	_, err = s.Install(context.Background(), c, j.Policy, terms(), extension.InstallOptions{})
	return err
}

// start runs a job in a process of its own.
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

// A kill at every single change of the disk leaves the release before or the new one, and the next installation goes well.
func TestC346_KillsWhileInstallingLeaveAPackage(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	dir := t.TempDir()
	place(t, dir, p.signed(t, "1.1.0", 2))
	calls := int64(0)
	{
		s, at := storeAt(t)
		install(t, s, p, "1.0.0", 1)
		counting := extension.OpenStore(at, func(n int64, _, _ string) error { calls = n; return nil })
		if err := installHere(counting, job{Package: dir, Policy: p.policy}); err != nil {
			t.Fatal(err)
		}
	}
	if calls < 20 {
		t.Fatalf("only %d changes were made", calls)
	}
	for n := int64(1); n <= calls; n++ {
		t.Run(strconv.FormatInt(n, 10), func(t *testing.T) {
			t.Parallel()
			s, at := storeAt(t)
			first := install(t, s, p, "1.0.0", 1)
			cmd := start(t, job{Package: dir, Store: at, Policy: p.policy, KillAt: n})
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("it was not killed: %v %s", err, out)
			}
			got := load(t, s, p)
			if v := got.Release().Version; v != "1.0.0" && v != "1.1.0" {
				t.Errorf("%s is active", v)
			}
			if err := installHere(s, job{Package: dir, Policy: p.policy}); err != nil {
				t.Fatal(err)
			}
			if v := load(t, s, p).Release().Version; v != "1.1.0" {
				t.Errorf("%s is active after all", v)
			}
			if back, err := s.Rollback(t.Context(), "acme", p.policy, terms()); err != nil || back.Digest() != first.Digest() {
				t.Errorf("the release before is not there: %v", err)
			}
			clean(t, at)
		})
	}
}

// clean expects nothing in a store but packages and records.
func clean(t *testing.T, at string) {
	t.Helper()
	filepath.WalkDir(at, func(path string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), ".making") {
			t.Errorf("%s is left", path)
		}
		return err
	})
	objects, err := os.ReadDir(filepath.Join(at, "objects"))
	if err != nil || len(objects) > 2 {
		t.Errorf("there are %v, %v", objects, err)
	}
}

// Processes that install at the same time do it one after the other: each wins or is refused, and the newest is active.
func TestC346_ProcessesInstallOneAfterTheOther(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	_, at := storeAt(t)
	const processes = 6
	var all sync.WaitGroup
	failures := make([]string, processes)
	for i := range processes {
		dir := t.TempDir()
		place(t, dir, p.signed(t, fmt.Sprintf("1.%d.0", i), uint64(i+1)))
		cmd := start(t, job{Package: dir, Store: at, Policy: p.policy})
		all.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				failures[i] = string(out)
			}
		})
	}
	all.Wait()
	if failures[processes-1] != "" {
		t.Errorf("the newest was refused: %s", failures[processes-1])
	}
	for i, f := range failures {
		if f != "" && !strings.Contains(f, "was installed before") {
			t.Errorf("%d: %s", i, f)
		}
	}
	s := extension.OpenStore(at, nil)
	if v := load(t, s, p).Release().Version; v != fmt.Sprintf("1.%d.0", processes-1) {
		t.Errorf("%s is active", v)
	}
	if _, err := s.Rollback(t.Context(), "acme", p.policy, terms()); err != nil && !errors.Is(err, core.ErrNotInstalled) {
		t.Error(err)
	}
	clean(t, at)
}
