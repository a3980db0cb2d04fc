package fsroot_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

func TestH15_RemoveAllLeavesWhatLinksLeadTo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user := filepath.Join(dir, "user")
	for i := range 20 {
		put(t, filepath.Join(user, "project", fmt.Sprintf("f%d", i)), "theirs")
	}
	put(t, filepath.Join(user, "file"), "theirs")
	before := shape(t, user)
	state := filepath.Join(dir, "state")
	session := filepath.Join(state, "s", "id")
	put(t, filepath.Join(session, "a", "b", "own"), "ours")
	for link, target := range map[string]string{
		"dir": filepath.Join(user, "project"), "file": filepath.Join(user, "file"), "a/b/nested": filepath.Join(user, "project"),
		"a/relative": "../../../../user/project", "up": "..", "self": ".", "loop": "loop", "dangling": "nothing", "root": "/", "a/b/up": "../../..",
	} {
		must(t, os.Symlink(target, filepath.Join(session, link)))
	}
	must(t, os.Symlink(user, filepath.Join(state, "s", "user")))
	put(t, filepath.Join(state, "s", "other", "x"), "keep")
	tree := open(t, state, nil)

	wantCode(t, tree.RemoveAll("s/id/dir/"), fault.Invalid, dir)
	wantCode(t, tree.RemoveAll("s/user/project"), fault.LinkRefused, dir)
	if _, err := os.Lstat(filepath.Join(session, "dir")); err != nil {
		t.Fatal(err)
	}
	must(t, tree.RemoveAll("s/id"))
	if _, err := os.Lstat(session); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("session is there: %v", err)
	}
	must(t, tree.RemoveAll("s/user")) // a link itself
	must(t, tree.RemoveAll("s/id"))   // nothing
	must(t, tree.RemoveAll("none/x"))
	if diff := cmp.Diff(before, shape(t, user)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{".", "s", "s/other", "s/other/x"}, keys(shape(t, state))); diff != "" {
		t.Error(diff)
	}
}

func TestRemoveTakesOneName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "full", "x"), "x")
	put(t, filepath.Join(dir, "file"), "x")
	must(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	must(t, os.Symlink("full", filepath.Join(dir, "link")))
	tree := open(t, dir, nil)
	for _, name := range []string{"file", "empty", "link"} {
		must(t, tree.Remove(name))
	}
	if err := tree.Remove("full"); err == nil {
		t.Error("removed a full directory")
	}
	if err := tree.Remove("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("remove of nothing: %v", err)
	}
	if diff := cmp.Diff([]string{".", "full", "full/x"}, keys(shape(t, dir))); diff != "" {
		t.Error(diff)
	}
}

func TestRemoveAllGoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 5 {
		put(t, filepath.Join(dir, "d", fmt.Sprint(i), "x"), "x")
	}
	failed := errors.New("refused")
	tree := open(t, dir, &fsroot.Seam{Before: func(_ int64, _, name string) error {
		if name == "d/2/x" {
			return failed
		}
		return nil
	}})
	if err := tree.RemoveAll("d"); !errors.Is(err, failed) {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff([]string{".", "d", "d/2", "d/2/x"}, keys(shape(t, dir))); diff != "" {
		t.Error(diff)
	}
}

// A client that still runs writes into the directory while it is being removed.
func TestRemoveAllWhileSomebodyWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "d", "x"), "x")
	writes := 0
	tree := open(t, dir, &fsroot.Seam{Before: func(_ int64, op, name string) error {
		if name == "d" && op == fsroot.OpRemove && writes < 2 {
			writes++
			put(t, filepath.Join(dir, "d", fmt.Sprint(writes)), "more")
		}
		return nil
	}})
	must(t, tree.RemoveAll("d"))
	if diff := cmp.Diff([]string{"."}, keys(shape(t, dir))); diff != "" || writes != 2 {
		t.Error(writes, diff)
	}
}

func keys(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, filepath.ToSlash(name))
	}
	slices.Sort(names)
	return names
}
