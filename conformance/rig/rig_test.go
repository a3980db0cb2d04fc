package rig_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
)

func take(t *testing.T, dir string) rig.Snapshot {
	t.Helper()
	s, err := rig.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSnapshotSeesEveryChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rig.Write(t, filepath.Join(dir, "kept"), "a")
	rig.Write(t, filepath.Join(dir, "edited"), "a")
	rig.Write(t, filepath.Join(dir, "opened"), "a")
	rig.Write(t, filepath.Join(dir, "gone"), "a")
	rig.Write(t, filepath.Join(dir, "own", "deep", "log"), "a")
	if err := os.Symlink("kept", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	before := take(t, dir)

	rig.Write(t, filepath.Join(dir, "edited"), "b")
	rig.Write(t, filepath.Join(dir, "own", "deep", "log"), "b")
	rig.Write(t, filepath.Join(dir, "made", "by", "client"), "b")
	rig.Write(t, filepath.Join(dir, "made", "stray"), "b")
	rig.Write(t, filepath.Join(dir, "state_5.sqlite"), "b")
	for _, err := range []error{
		os.Chmod(filepath.Join(dir, "opened"), 0o644),
		os.Remove(filepath.Join(dir, "gone")),
		os.Remove(filepath.Join(dir, "link")),
		os.Symlink("edited", filepath.Join(dir, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := before.Changes(take(t, dir), "own", "made/by", "state_*.sqlite")
	want := []string{"changed edited", "changed link", "changed opened", "created made/stray", "removed gone"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := before.Changes(before); got != nil {
		t.Errorf("a snapshot differs from itself: %q", got)
	}
}

func TestSnapshotOfNothingIsEmpty(t *testing.T) {
	t.Parallel()
	if s := take(t, filepath.Join(t.TempDir(), "none")); len(s) != 0 {
		t.Errorf("got %v", s)
	}
}

func TestRunKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	result := rig.Run(exec.Command("sh", "-c", "(sleep 2; echo late > '"+mark+"') & sleep 60"), 200*time.Millisecond)
	if !errors.Is(result.Err, rig.ErrTimeout) {
		t.Fatalf("got %v", result.Err)
	}
	time.Sleep(2500 * time.Millisecond)
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Errorf("a child outlived its group: %v", err)
	}
}

func TestRunKeepsOutputAndError(t *testing.T) {
	t.Parallel()
	result := rig.Run(exec.Command("sh", "-c", "cat; echo out; echo err >&2; exit 3"), time.Minute)
	var exit *exec.ExitError
	if result.Stdout != "out\n" || result.Stderr != "err\n" || !errors.As(result.Err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("got %+v", result)
	}
}

func talk(t *testing.T, script string, limit time.Duration) *rig.Dialog {
	t.Helper()
	d, err := rig.Talk(exec.Command("sh", "-c", script), limit)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDialogSpeaksInLines(t *testing.T) {
	t.Parallel()
	d := talk(t, `echo noise; while read -r line; do echo "{\"got\":$line}"; done`, time.Minute)
	for _, word := range []string{"one", "two"} {
		if err := d.Send(word); err != nil {
			t.Fatal(err)
		}
		answer, err := d.Until(func(m map[string]any) bool { return m["got"] != nil })
		if err != nil || answer["got"] != word {
			t.Errorf("%v, %v", answer, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestDialogSaysHowItEnded(t *testing.T) {
	t.Parallel()
	never := func(map[string]any) bool { return false }
	if _, err := talk(t, "echo why >&2; exit 3", time.Minute).Until(never); err == nil || !strings.Contains(err.Error(), "why") {
		t.Errorf("a failed process: %v", err)
	}
	if _, err := talk(t, "exit 0", time.Minute).Until(never); err == nil {
		t.Error("a process that ended early is no error")
	}
	if _, err := talk(t, "sleep 60", 100*time.Millisecond).Until(never); !errors.Is(err, rig.ErrTimeout) {
		t.Errorf("a hung process: %v", err)
	}
}
