package skill_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/skill"
)

const snapshotMarker = ".client-system-skills.marker"

// unpacked is what a client unpacks: files by path below skills/.system.
func unpacked(build string) map[string]string {
	return map[string]string{snapshotMarker: build + "\n", "creator/SKILL.md": "---\nname: creator\n---\n" + build, "creator/scripts/run.py": "\xff\xfe", "drawer/SKILL.md": "d"}
}

func putTree(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, body := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(body), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func openTree(t testing.TB, dir string) *fsroot.Tree {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	tree, err := fsroot.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func TestC192_TwoBuildsStandSideBySide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := skill.OpenSnapshots(openTree(t, filepath.Join(dir, "store")))
	taken := map[string]skill.Snapshot{}
	for _, build := range []string{"one", "two"} {
		home := filepath.Join(dir, build)
		putTree(t, filepath.Join(home, "skills/.system"), unpacked(build))
		if err := os.Mkdir(filepath.Join(home, "skills/.system/empty"), 0o700); err != nil {
			t.Fatal(err)
		}
		root := openTree(t, home)
		snap, err := store.Take(t.Context(), root, "skills/.system", snapshotMarker)
		if err != nil {
			t.Fatal(err)
		}
		again, err := store.Take(t.Context(), root, "skills/.system", snapshotMarker)
		if err != nil || again != snap {
			t.Errorf("again: %v, %v and not %v", err, again, snap)
		}
		taken[build] = snap
	}
	one, two := taken["one"], taken["two"]
	if one.Digest == two.Digest {
		t.Error("two builds have one digest")
	}
	for build, snap := range taken {
		if want := filepath.Join(dir, "store/agent/system-skill-bundles/v1", snap.Digest, ".system"); snap.Path != want {
			t.Errorf("it lies at %s", snap.Path)
		}
		if got, ok := store.Of(snap.Path); !ok || got != snap.Digest {
			t.Errorf("its path is not known again")
		}
		for name, body := range unpacked(build) {
			p := filepath.Join(snap.Path, filepath.FromSlash(name))
			data, err := os.ReadFile(p)
			fi, _ := os.Lstat(p)
			if err != nil || string(data) != body || fi.Mode().Perm() != 0o444 {
				t.Errorf("%s: %v %q %v", name, err, data, fi)
			}
		}
		if fi, err := os.Lstat(filepath.Join(snap.Path, "empty")); err != nil || !fi.IsDir() {
			t.Error("an empty directory is lost")
		}
	}
	for _, p := range []string{filepath.Join(dir, "x"), filepath.Join(dir, "store/agent/system-skill-bundles/v1", strings.Repeat("z", 64), ".system"), filepath.Dir(one.Path)} {
		if _, ok := store.Of(p); ok {
			t.Errorf("%s counts as a snapshot", p)
		}
	}
}

func TestC192_WhatIsNoSnapshot(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(dir string) error{
		"no marker": func(dir string) error { return os.Remove(filepath.Join(dir, snapshotMarker)) },
		"marker a link": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, snapshotMarker)), os.Symlink("/etc/hostname", filepath.Join(dir, snapshotMarker)))
		},
		"no skill": func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "creator")), os.RemoveAll(filepath.Join(dir, "drawer")))
		},
		"a link":       func(dir string) error { return os.Symlink("/etc", filepath.Join(dir, "etc")) },
		"no directory": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) },
		"too many": func(dir string) error {
			for i := range 4096 {
				if err := os.WriteFile(filepath.Join(dir, "drawer", fmt.Sprint(i)), nil, 0o600); err != nil {
					return err
				}
			}
			return nil
		},
		"too large": func(dir string) error { return os.Truncate(filepath.Join(dir, "drawer/SKILL.md"), 32<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			at := filepath.Join(dir, "home/skills/.system")
			putTree(t, at, unpacked("one"))
			if err := spoil(at); err != nil {
				t.Fatal(err)
			}
			store := skill.OpenSnapshots(openTree(t, filepath.Join(dir, "store")))
			if _, err := store.Take(t.Context(), openTree(t, filepath.Join(dir, "home")), "skills/.system", snapshotMarker); !errors.Is(err, fault.Snapshot) {
				t.Errorf("got %v", err)
			}
			if list, _ := os.ReadDir(filepath.Join(dir, "store")); len(list) > 0 {
				t.Errorf("the store holds %v", list)
			}
		})
	}
}

func TestC192_ManyTakeOneTreeAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	putTree(t, filepath.Join(dir, "home/.system"), unpacked("one"))
	var wg sync.WaitGroup
	got := make([]skill.Snapshot, 8)
	for i := range got {
		store, root := skill.OpenSnapshots(openTree(t, filepath.Join(dir, "store"))), openTree(t, filepath.Join(dir, "home"))
		wg.Go(func() {
			var err error
			if got[i], err = store.Take(context.Background(), root, ".system", snapshotMarker); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range got {
		if s != got[0] {
			t.Errorf("%v and %v", s, got[0])
		}
	}
	list, err := os.ReadDir(filepath.Join(dir, "store/agent/system-skill-bundles/v1"))
	if err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
}

func TestC192_DamagedSnapshot(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(at string) error{
		"another byte": func(at string) error {
			return errors.Join(os.Chmod(filepath.Join(at, "drawer/SKILL.md"), 0o644), os.WriteFile(filepath.Join(at, "drawer/SKILL.md"), []byte("x"), 0o644))
		},
		"a file more": func(at string) error {
			return errors.Join(os.Chmod(at, 0o755), os.WriteFile(filepath.Join(at, "more"), nil, 0o644))
		},
		"one beside": func(at string) error {
			d := filepath.Dir(at)
			return errors.Join(os.Chmod(d, 0o755), os.WriteFile(filepath.Join(d, "more"), nil, 0o644))
		},
		"no marker": func(at string) error {
			return errors.Join(os.Chmod(at, 0o755), os.Remove(filepath.Join(at, snapshotMarker)))
		},
		"nothing left": func(at string) error {
			return errors.Join(os.Chmod(at, 0o755), os.Chmod(filepath.Dir(at), 0o755), os.Rename(at, at+".x"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			putTree(t, filepath.Join(dir, "home/.system"), unpacked("one"))
			store, root := skill.OpenSnapshots(openTree(t, filepath.Join(dir, "store"))), openTree(t, filepath.Join(dir, "home"))
			snap, err := store.Take(t.Context(), root, ".system", snapshotMarker)
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Check(t.Context(), snap.Digest, snapshotMarker); err != nil {
				t.Fatal(err)
			}
			if err := spoil(snap.Path); err != nil {
				t.Fatal(err)
			}
			if err := store.Check(t.Context(), snap.Digest, snapshotMarker); !errors.Is(err, fault.Snapshot) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Lstat(filepath.Dir(snap.Path)); !errors.Is(err, fs.ErrNotExist) {
				t.Error("it is not put aside")
			}
			if again, err := store.Take(t.Context(), root, ".system", snapshotMarker); err != nil || again.Path != snap.Path {
				t.Errorf("it cannot be made again: %v", err)
			} else if err := store.Check(t.Context(), snap.Digest, snapshotMarker); err != nil {
				t.Error(err)
			}
			// One that is damaged is also mended where the client brings it again.
			if err := spoil(snap.Path); err != nil {
				t.Fatal(err)
			}
			if again, err := store.Take(t.Context(), root, ".system", snapshotMarker); err != nil || !again.Repaired {
				t.Errorf("not repaired: %v", err)
			}
		})
	}
}

func TestC200_ASnapshotInUseIsNotCollected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := skill.OpenSnapshots(openTree(t, filepath.Join(dir, "store")))
	var used string
	for _, build := range []string{"one", "two"} {
		putTree(t, filepath.Join(dir, build, ".system"), unpacked(build))
		snap, err := store.Take(t.Context(), openTree(t, filepath.Join(dir, build)), ".system", snapshotMarker)
		if err != nil {
			t.Fatal(err)
		}
		used = snap.Digest
	}
	held := func() (map[string]bool, error) { return map[string]bool{used: true}, nil }
	if gone, err := store.Collect(t.Context(), time.Now().Add(-time.Hour), held); err != nil || len(gone) > 0 {
		t.Errorf("young ones: %v %v", gone, err)
	}
	if gone, err := store.Collect(t.Context(), time.Now().Add(time.Hour), held); err != nil || len(gone) != 1 || gone[0] == used {
		t.Errorf("%v %v", gone, err)
	}
	if err := store.Check(t.Context(), used, snapshotMarker); err != nil {
		t.Error(err)
	}
}
