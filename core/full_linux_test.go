package core

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFullState(t *testing.T) {
	t.Parallel()
	s := newStage(t, prop{provider: "prop", workspace: true})
	disk := s.path("disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=256k,nr_inodes=200"); err != nil {
		t.Skip("a small file system cannot be mounted here: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	h := s.open(func(c *Config) { c.StateDir = filepath.Join(disk, "state") }, prop{provider: "prop", workspace: true})
	user := snapshot(t, s.home, true)
	failed, n := error(nil), 0
	for ; failed == nil && n < 100; n++ {
		_, failed = h.Prepare(t.Context(), s.session(fmt.Sprint("s", n)))
	}
	if !errors.Is(failed, ErrStateFull) {
		t.Fatalf("after %d sessions: %v, want %v", n, failed, ErrStateFull)
	}
	checkError(t, s, "full", failed)
	if _, err := h.Recover(t.Context()); err != nil {
		t.Errorf("recover on a full disk: %v", err)
	}
	for i := range n - 1 {
		if in, err := h.Session(t.Context(), s.session(fmt.Sprint("s", i)).Ref()); err != nil || in.State != "ready" {
			t.Errorf("session %d is %s, %v", i, in.State, err)
		}
	}
	for i := range n - 1 {
		if _, err := h.Cleanup(t.Context(), s.session(fmt.Sprint("s", i)).Ref(), CleanupOptions{}); err != nil {
			t.Errorf("clean-up %d: %v", i, err)
		}
	}
	if _, err := os.Lstat(s.path("work/AGENTS.md")); err == nil {
		t.Error("the block is left in the workspace")
	}
	for _, d := range []string{"m", "s", "w", "h"} {
		if left, _ := os.ReadDir(filepath.Join(disk, "state", d)); len(left) != 0 {
			t.Errorf("left in %s: %v", d, left)
		}
	}
	if _, err := h.Prepare(t.Context(), s.session("again")); err != nil {
		t.Errorf("once there is room: %v", err)
	}
	for path, line := range snapshot(t, s.home, true) {
		if user[path] != line {
			t.Errorf("%s of the user's changed", path)
		}
	}
}
