package rtk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// seamed is the shop's store as another process opens it, of which before is called before each change of the disk.
func (s *shop) seamed(before func(n int64, call, path string) error) *Store {
	s.t.Helper()
	tree, err := fsroot.Open(filepath.Join(s.dir, "store"), &fsroot.Seam{Before: before})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { tree.Close() })
	return Open(tree, false)
}

// Whatever ends a process while it takes a program, or puts it in the place of a damaged one: what stands in the store is the
// whole program or none, and the next one has it.
func TestC309_WhateverEndsATakeLeavesNoPartOfAProgram(t *testing.T) {
	t.Parallel()
	for n := int64(1); ; n++ {
		reached := false
		for _, damaged := range []bool{false, true} {
			s := newShop(t)
			a := s.artefact("rtk", "one")
			if damaged {
				s.keep(Fixed(a), "")
				overwrite(t, s.store.Path(a.SHA256), "o")
			}
			_, err := s.seamed(func(i int64, _, _ string) error {
				if i >= n {
					reached = true
					return errors.New("killed")
				}
				return nil
			}).Keep(t.Context(), Fixed(a), "")
			left, stat := os.ReadFile(s.store.Path(a.SHA256))
			if err == nil && string(left) != "one" || stat == nil && string(left) != "one" && !(damaged && string(left) == "o") {
				t.Errorf("at %d, damaged %v: the store holds %q after %v", n, damaged, left, err)
			}
			s.store = opened(t, s.dir)
			if got := s.keep(Fixed(a), a.SHA256); s.body(got) != "one" {
				t.Errorf("at %d, damaged %v: the store holds %q after all", n, damaged, s.body(got))
			}
		}
		if !reached {
			if n < 6 {
				t.Errorf("there were only %d changes", n)
			}
			return
		}
	}
}

// Somebody who may write to the host's file changes it after it was looked at, or puts another in its place. What gets into
// the store is what was compared, or nothing.
func TestC309_AProgramThatIsSwappedWhileItIsTaken(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(path string) error{
		"written to": func(path string) error { return os.WriteFile(path, []byte("eno"), 0o755) },
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("eno"), 0o755), os.Rename(path+".new", path))
		},
	} {
		s := newShop(t)
		a := s.artefact("rtk", "one")
		swapped := false
		_, err := s.seamed(func(int64, string, string) error {
			if swapped {
				return nil
			}
			swapped = true
			return swap(a.Path)
		}).Keep(t.Context(), Fixed(a), "")
		left, stat := os.ReadFile(s.store.Path(a.SHA256))
		if name == "written to" && (!errors.Is(err, fault.Artefact) || stat == nil) || name == "replaced" && (err != nil || string(left) != "one") || !swapped {
			t.Errorf("%s: %v, and the store holds %q, %v", name, err, left, stat)
		}
	}
}
