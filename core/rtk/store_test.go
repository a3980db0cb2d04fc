package rtk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// shop is a store in a directory of its own, and a host's resources beside it.
type shop struct {
	t     *testing.T
	dir   string
	store *Store
}

func newShop(t *testing.T) *shop {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "store"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &shop{t, dir, opened(t, dir)}
}

func opened(t *testing.T, dir string) *Store {
	t.Helper()
	tree, err := fsroot.Open(filepath.Join(dir, "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = tree.Close()
		_ = filepath.WalkDir(filepath.Join(dir, "store"), func(path string, _ os.DirEntry, _ error) error { return os.Chmod(path, 0o700) })
	})
	return Open(tree, false)
}

// artefact puts a program among the host's resources.
func (s *shop) artefact(name, body string) Artefact {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return Artefact{path, digestOf([]byte(body))}
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (s *shop) keep(source Source, pinned string) string {
	s.t.Helper()
	digest, err := s.store.Keep(s.t.Context(), source, pinned)
	if err != nil {
		s.t.Fatal(err)
	}
	return digest
}

// body reads what lies in the store.
func (s *shop) body(digest string) string {
	s.t.Helper()
	data, err := os.ReadFile(s.store.Path(digest))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func TestC307_WhatIsNoPinnedProgramIsRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	good := s.artefact("rtk", "one")
	empty := s.artefact("empty", "")
	for name, c := range map[string]struct {
		source Source
		says   string
	}{
		"no source":     {nil, "the host has none"},
		"source fails":  {func(context.Context) (Artefact, error) { return Artefact{}, errors.New("/home/dev: broken") }, "cannot tell where it is"},
		"no path":       {Fixed(Artefact{"  ", good.SHA256}), "names no file"},
		"relative path": {Fixed(Artefact{"rtk", good.SHA256}), "not absolute"},
		"no digest":     {Fixed(Artefact{Path: good.Path}), "gives no SHA-256"},
		"short digest":  {Fixed(Artefact{good.Path, good.SHA256[:63]}), "gives no SHA-256"},
		"other digest":  {Fixed(Artefact{good.Path, strings.Repeat("0", 64)}), "is expected"},
		"not there":     {Fixed(Artefact{good.Path + "x", good.SHA256}), "cannot be read"},
		"empty":         {Fixed(empty), "is empty"},
		"a directory":   {Fixed(Artefact{s.dir, good.SHA256}), "cannot be read, or is no regular file"},
	} {
		_, err := s.store.Keep(t.Context(), c.source, "")
		if !errors.Is(err, fault.Artefact) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), s.dir) || strings.Contains(err.Error(), "/home/dev") {
			t.Errorf("%s: the message names a path: %v", name, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(s.dir, "store")); err != nil || len(left) != 0 {
		t.Errorf("something was written: %v %v", left, err)
	}
}

// A link of the host's is followed once: the store holds the program itself, whatever becomes of the link.
func TestC307_ALinkIsFollowedAndNotKept(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.artefact("rtk-1.0", "one")
	link := filepath.Join(s.dir, "rtk")
	if err := os.Symlink("rtk-1.0", link); err != nil {
		t.Fatal(err)
	}
	digest := s.keep(Fixed(Artefact{link, a.SHA256}), "")
	if err := errors.Join(os.Remove(a.Path), os.Remove(link)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(s.store.Path(digest))
	if err != nil || !info.Mode().IsRegular() || s.body(digest) != "one" {
		t.Errorf("the store holds %v, %v", info, err)
	}
}

func TestC308_ASessionKeepsItsProgram(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first := s.keep(Fixed(s.artefact("rtk", "one")), "")
	other := s.artefact("rtk", "two")
	asked := false
	if got := s.keep(func(context.Context) (Artefact, error) { asked = true; return other, nil }, first); got != first || asked {
		t.Errorf("the session got %s, and the host was asked: %v", got, asked)
	}
	second := s.keep(Fixed(other), "")
	if second == first || s.body(first) != "one" || s.body(second) != "two" {
		t.Errorf("the store holds %q and %q", s.body(first), s.body(second))
	}
	info, err := os.Stat(s.store.Path(first))
	if err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// damages are what can become of a program in the store.
var damages = map[string]func(t *testing.T, path string){
	"altered": func(t *testing.T, path string) { overwrite(t, path, "eno") },
	"partial": func(t *testing.T, path string) { overwrite(t, path, "o") },
	"gone": func(t *testing.T, path string) {
		writable(t, filepath.Dir(path))
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	},
	"not executable": func(t *testing.T, path string) {
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
	},
	"a link": func(t *testing.T, path string) {
		writable(t, filepath.Dir(path))
		if err := errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path)); err != nil {
			t.Fatal(err)
		}
	},
}

func writable(t *testing.T, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, path, body string) {
	t.Helper()
	writable(t, path)
	if err := errors.Join(os.WriteFile(path, []byte(body), 0o700), os.Chmod(path, 0o500)); err != nil {
		t.Fatal(err)
	}
}

func TestC309_ADamagedProgramIsReplaced(t *testing.T) {
	t.Parallel()
	for name, damage := range damages {
		for who, fresh := range map[string]bool{"this process": false, "another one": true} {
			t.Run(name+", "+who, func(t *testing.T) {
				t.Parallel()
				s := newShop(t)
				a := s.artefact("rtk", "one")
				pinned := s.keep(Fixed(a), "")
				damage(t, s.store.Path(pinned))
				if fresh {
					s.store = opened(t, s.dir)
				}
				other := s.artefact("rtk2", "two")
				if _, err := s.store.Keep(t.Context(), Fixed(other), pinned); !errors.Is(err, fault.Artefact) {
					t.Errorf("the host has another program, and the session got that: %v", err)
				}
				if got := s.keep(Fixed(a), pinned); got != pinned || s.body(got) != "one" {
					t.Errorf("the store holds %q", s.body(got))
				}
				info, err := os.Lstat(s.store.Path(pinned))
				if err != nil || info.Mode() != 0o500 {
					t.Errorf("mode %v, %v", info.Mode(), err)
				}
			})
		}
	}
}

func TestC309_WhatAKilledProcessLeftIsNoProgram(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.artefact("rtk", "one")
	left := filepath.Join(s.dir, "store", programsDir, ".making")
	if err := errors.Join(os.MkdirAll(left, 0o700), os.WriteFile(filepath.Join(left, "rtk"), []byte("o"), 0o500)); err != nil {
		t.Fatal(err)
	}
	if got := s.keep(Fixed(a), ""); s.body(got) != "one" {
		t.Errorf("the store holds %q", s.body(got))
	}
	if _, err := os.Lstat(left); !os.IsNotExist(err) {
		t.Errorf("what was left is there still: %v", err)
	}
}

func TestC309_ManyTakeOneProgram(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.artefact("rtk", strings.Repeat("one", 1<<16))
	var all sync.WaitGroup
	for range 8 {
		store := opened(t, s.dir)
		all.Go(func() {
			for range 4 {
				if _, err := store.Keep(t.Context(), Fixed(a), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(filepath.Join(s.dir, "store", programsDir))
	if err != nil || len(entries) != 1 || entries[0].Name() != a.SHA256 {
		t.Errorf("the store holds %v, %v", entries, err)
	}
}

func TestCollectSparesWhatIsLeased(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	used, free := s.keep(Fixed(s.artefact("rtk", "one")), ""), s.keep(Fixed(s.artefact("rtk", "two")), "")
	gone, err := s.store.Collect(t.Context(), time.Now().Add(time.Hour), func() (map[string]bool, error) { return map[string]bool{used: true}, nil })
	if err != nil || len(gone) != 1 || gone[0] != free {
		t.Errorf("removed %v, %v", gone, err)
	}
	if s.body(used) != "one" {
		t.Error("the one in use is gone")
	}
}
