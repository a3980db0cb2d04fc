package core

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// unshared is the agent as an older package declared it: its directory was each session's own.
func unshared() overlay.Agent {
	a := envoy()
	a.Prep.Home.SharedDirs = nil
	a.Version = "0.9.0"
	return a
}

// helper puts a program into the directory that a session of the older package has for itself.
func (s *stage) helper(p *Prepared, text string) string {
	s.t.Helper()
	at := filepath.Join(p.Dir, "envoy/bin")
	if err := errors.Join(os.MkdirAll(filepath.Join(at, "deep"), 0o700), os.WriteFile(filepath.Join(at, "tool"), []byte(text), 0o755), os.WriteFile(filepath.Join(at, "deep/data"), []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
	return at
}

func TestC332_SeedingAnEmptySharedDirectory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(s *stage, old, newer *Prepared)
		want  string // content of the tool
	}{
		"the newest": {nil, "newer"},
		"a link is passed over": {func(s *stage, _, newer *Prepared) {
			must(s, os.Symlink(s.path("home/.ssh"), filepath.Join(newer.Dir, "envoy/bin/link")))
		}, "old"},
		"one that is a link itself": {func(s *stage, _, newer *Prepared) {
			at := filepath.Join(newer.Dir, "envoy/bin")
			must(s, errors.Join(os.RemoveAll(at), os.Symlink(s.path("home/.ssh"), at)))
		}, "old"},
		"an empty one": {func(s *stage, _, newer *Prepared) {
			at := filepath.Join(newer.Dir, "envoy/bin")
			must(s, errors.Join(os.RemoveAll(at), os.Mkdir(at, 0o700)))
		}, "old"},
		"one whose record is damaged": {func(s *stage, _, newer *Prepared) {
			must(s, os.WriteFile(filepath.Join(s.state, "m", filepath.Base(newer.Dir)+".json"), []byte("{}"), 0o600))
		}, "old"},
		"one under another name": {func(s *stage, _, newer *Prepared) {
			m := filepath.Join(s.state, "m")
			must(s, errors.Join(os.Rename(newer.Dir, newer.Dir[:len(newer.Dir)-16]+"0123456789abcdef"),
				os.Rename(filepath.Join(m, filepath.Base(newer.Dir)+".json"), filepath.Join(m, filepath.Base(newer.Dir)[:len(filepath.Base(newer.Dir))-16]+"0123456789abcdef.json"))))
		}, "old"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := envoyStage(t)
			s.write("home/.ssh/id", "canary")
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			s.host = s.open(func(c *Config) { c.Now = func() time.Time { return now } }, prop{provider: "prop"})
			other := unshared()
			other.Key = "other"
			old := s.prepare(s.extended("old", unshared()))
			s.helper(old, "old")
			now = now.Add(time.Hour)
			newer := s.prepare(s.extended("newer", unshared()))
			s.helper(newer, "newer")
			now = now.Add(time.Hour)
			foreign := s.prepare(s.extended("foreign", other))
			s.helper(foreign, "foreign")
			if c.spoil != nil {
				c.spoil(s, old, newer)
			}
			p := s.prepare(s.extended("one", envoy()))
			shared := s.path("home/.envoy/bin")
			if got := s.read(filepath.Join(shared, "tool")); got != c.want {
				t.Errorf("seeded with %q, want %q", got, c.want)
			}
			if got := s.read(filepath.Join(p.Dir, "envoy/bin/deep/data")); got != c.want {
				t.Errorf("the session sees %q", got)
			}
			if fi, err := os.Stat(filepath.Join(shared, "tool")); err != nil || fi.Mode().Perm() != 0o755 {
				t.Errorf("the tool: %v, %v", fi.Mode(), err)
			}
			if _, err := os.Lstat(filepath.Join(shared, "link")); err == nil {
				t.Error("a link was taken over")
			}
			// What is there is never filled again.
			must(s, os.WriteFile(filepath.Join(shared, "tool"), []byte("the user's"), 0o755))
			s.prepare(s.extended("two", envoy()))
			if got := s.read(filepath.Join(shared, "tool")); got != "the user's" {
				t.Errorf("it was seeded again: %q", got)
			}
			s.shownNowhereBut("canary", s.path("home/.ssh/id"))
		})
	}
}

func must(s *stage, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestC333_AdoptingASharedDirectory(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	ses := s.extended("one", unshared())
	at := s.helper(s.prepare(ses), "session")
	s.write("home/.envoy/bin/tool", "shared")
	ses = s.extended("one", envoy())
	p := s.prepare(ses)
	if to, err := os.Readlink(at); err != nil || to != s.path("home/.envoy/bin") {
		t.Errorf("bin leads to %q: %v", to, err)
	}
	if got := s.read(s.path("home/.envoy/bin/tool")); got != "shared" {
		t.Errorf("a file that was there is %q now", got)
	}
	if got := s.read(s.path("home/.envoy/bin/deep/data")); got != "session" {
		t.Errorf("what only the session had is %q", got)
	}
	before := snapshot(t, s.dir, true)
	if again := s.prepare(ses); again.Generation != p.Generation {
		t.Errorf("generation %d, was %d", again.Generation, p.Generation)
	}
	if diff := cmp.Diff(before, snapshot(t, s.dir, true)); diff != "" {
		t.Error(diff)
	}
	s.cleanup(ses)
	if got := s.read(s.path("home/.envoy/bin/deep/data")); got != "session" {
		t.Error("H15: clean-up went through the link")
	}
}

// Where no symbolic links can be made, the shared directory is a junction: it is adopted, kept and left alone as ever.
func TestC333_SharedDirectoryByJunction(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	s.host = s.open(func(c *Config) { c.linker = windows{} }, prop{provider: "prop"})
	s.helper(s.prepare(s.extended("one", unshared())), "session")
	s.write("home/.envoy/bin/tool", "shared")
	one, two := s.extended("one", envoy()), s.extended("two", envoy())
	for _, ses := range []Session{one, two} {
		p := s.prepare(ses)
		if via := s.vias(ses.ID)["envoy/bin"]; via != fsroot.Junction {
			t.Errorf("%s: bin is recorded as %q, want %q", ses.ID, via, fsroot.Junction)
		}
		at := filepath.Join(p.Dir, "envoy/bin")
		if to, err := os.Readlink(at); err != nil || to != s.path("home/.envoy/bin") {
			t.Errorf("%s: bin leads to %q: %v", ses.ID, to, err)
		}
		before := snapshot(t, s.dir, true)
		if again := s.prepare(ses); again.Generation != p.Generation {
			t.Errorf("%s: generation %d, was %d", ses.ID, again.Generation, p.Generation)
		}
		if diff := cmp.Diff(before, snapshot(t, s.dir, true)); diff != "" {
			t.Errorf("%s: prepared again (-before +after):\n%s", ses.ID, diff)
		}
		must(s, os.WriteFile(filepath.Join(at, "of-"+ses.ID), []byte(ses.ID), 0o600))
	}
	shared := snapshot(t, s.path("home/.envoy/bin"), true)
	for _, ses := range []Session{one, two} {
		s.cleanup(ses)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if diff := cmp.Diff(shared, snapshot(t, s.path("home/.envoy/bin"), true)); diff != "" {
		t.Errorf("H15: clean-up went through the junction (-before +after):\n%s", diff)
	}
	// What was there stays, what only the session had came along, and what sessions made is the user's.
	for rel, want := range map[string]string{"tool": "shared", "deep/data": "session", "of-one": "one", "of-two": "two"} {
		if got := s.read(s.path("home/.envoy/bin/" + rel)); got != want {
			t.Errorf("%s is %q, want %q", rel, got, want)
		}
	}
}

func TestC333_WhatCannotBeAdopted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(s *stage, at string)
		code  Code
	}{
		"link inside": {func(s *stage, at string) {
			must(s, errors.Join(os.Mkdir(at, 0o700), os.WriteFile(filepath.Join(at, "a"), nil, 0o600), os.Symlink(s.path("home/.ssh"), filepath.Join(at, "z"))))
		}, ErrLinkRefused},
		"unexpected link": {func(s *stage, at string) { must(s, os.Symlink(s.path("home/.ssh"), at)) }, ErrConflict},
		"file":            {func(s *stage, at string) { must(s, os.WriteFile(at, []byte("x"), 0o600)) }, ErrNotRegular},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := envoyStage(t)
			s.write("home/.ssh/id", "canary")
			ses := s.extended("one", unshared())
			at := filepath.Join(s.prepare(ses).Dir, "envoy/bin")
			c.spoil(s, at)
			home := snapshot(t, s.path("home"), false)
			if _, err := s.host.Prepare(t.Context(), s.extended("one", envoy())); !errors.Is(err, c.code) || !strings.Contains(err.Error(), "envoy/bin") {
				t.Errorf("got %v, want %s", err, c.code)
			}
			if diff := cmp.Diff(home, snapshot(t, s.path("home"), false)); diff != "" {
				t.Errorf("the user's home:\n%s", diff)
			}
			if _, err := os.Lstat(at); err != nil {
				t.Errorf("what the session had is gone: %v", err)
			}
		})
	}
}

func TestSharedDirectoryThatIsNone(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	s.write("home/.envoy/bin", "a file of the user's")
	if _, err := s.host.Prepare(t.Context(), s.extended("one", envoy())); !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), "home:envoy/bin") {
		t.Errorf("got %v", err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// W-14: several hosts, as processes are, fill and share one directory.
func TestSharedDirectoryOfManyHostsAtOnce(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	s.helper(s.prepare(s.extended("old", unshared())), "seed")
	var all sync.WaitGroup
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		h := s.open(nil, prop{provider: "prop"})
		ses := s.extended(id, envoy())
		all.Go(func() {
			p, err := h.Prepare(t.Context(), ses)
			if err != nil {
				t.Error(err)
			} else if data, err := os.ReadFile(filepath.Join(p.Dir, "envoy/bin/tool")); err != nil || string(data) != "seed" {
				t.Errorf("%s sees %q, %v", ses.ID, data, err)
			}
		})
	}
	all.Wait()
	want := []string{"deep", "tool"}
	var got []string
	list, err := os.ReadDir(s.path("home/.envoy/bin"))
	for _, e := range list {
		got = append(got, e.Name())
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("in the shared directory: %v, %v", got, err)
	}
}

// A preparation that fails at any call leaves of the shared directory nothing, or what another one can go on with.
func TestSharedDirectoryWhenACallFails(t *testing.T) {
	t.Parallel()
	fail := errors.New("no")
	for n := int64(1); ; n++ {
		s := envoyStage(t)
		s.helper(s.prepare(s.extended("old", unshared())), "seed")
		failed := false
		h := s.open(func(c *Config) {
			c.BeforeChange = func(i int64, _, _ string) error {
				if i == n {
					failed = true
					return fail
				}
				return nil
			}
		}, prop{provider: "prop"})
		_, err := h.Prepare(t.Context(), s.extended("one", envoy()))
		if !failed {
			if err != nil || n < 20 {
				t.Errorf("%d calls: %v", n, err)
			}
			return
		}
		if err != nil {
			if _, err := os.Lstat(filepath.Join(s.state, "s", nameOf(s, "one"))); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("call %d: the session is left: %v", n, err)
			}
			if list, err := os.ReadDir(s.path("home/.envoy/bin")); err == nil && len(list) == 0 {
				t.Errorf("call %d: an empty directory is left", n)
			}
		}
		// Filling it fails no preparation: then the next session's does it.
		p := s.prepare(s.extended("two", envoy()))
		if got := s.read(filepath.Join(p.Dir, "envoy/bin/tool")); got != "seed" {
			t.Errorf("call %d: %q", n, got)
		}
		if list, err := os.ReadDir(s.path("home/.envoy/bin")); err != nil || len(list) != 2 {
			t.Errorf("call %d: %v, %v", n, list, err)
		}
	}
}
