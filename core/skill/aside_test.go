package skill_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// One process finds a snapshot damaged, and has to wait for another, which makes it anew meanwhile: the good one stays.
func TestC192_ASnapshotThatWasMendedMeanwhileStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	putTree(t, filepath.Join(dir, "home/.system"), unpacked("one"))
	tree := openTree(t, filepath.Join(dir, "store"))
	store := skill.OpenSnapshots(tree)
	snap, err := store.Take(t.Context(), openTree(t, filepath.Join(dir, "home")), ".system", snapshotMarker)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(snap.Path, "drawer/SKILL.md")
	whole, err := os.ReadFile(file)
	if err := errors.Join(err, os.Chmod(file, 0o644), os.WriteFile(file, []byte("x"), 0o644)); err != nil {
		t.Fatal(err)
	}

	other := openTree(t, filepath.Join(dir, "store/agent/system-skill-bundles/v1"))
	lock, err := other.Lock(t.Context(), fsroot.Exclusive, false)
	if err != nil {
		t.Fatal(err)
	}
	checked := make(chan error, 1)
	go func() { checked <- store.Check(t.Context(), snap.Digest, snapshotMarker) }()
	// Long enough to find the damage; a machine that is slower sees a whole one from the beginning.
	time.Sleep(200 * time.Millisecond)
	if err := errors.Join(os.WriteFile(file, whole, 0o644), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if err := <-checked; err != nil {
		t.Errorf("the mended snapshot is refused: %v", err)
	}
	if _, err := os.Stat(snap.Path); err != nil {
		t.Errorf("it was put aside: %v", err)
	}
}
