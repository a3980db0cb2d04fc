package bench

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/command"
)

// Counts do not depend on the machine.
const (
	maxAllocations = 1500
	maxInodes      = 12 // of a session of Codex
)

func TestSpeedAllocations(t *testing.T) {
	for _, provider := range []string{"codex", "claude"} {
		s := place{on: disk}.site(t, provider, false)
		n := 0
		fresh := testing.AllocsPerRun(30, func() { n++; s.prepare(s.session(n)) })
		again := testing.AllocsPerRun(30, func() { s.prepare(s.session(0)) })
		cleanup := testing.AllocsPerRun(n-1, func() { s.stage.cleanup(s.session(n)); n-- })
		t.Logf("%s: %.0f allocations for a fresh session, %.0f again, %.0f to clean up (aim %d)", provider, fresh, again, cleanup, maxAllocations)
		if most := max(fresh, again, cleanup); most > maxAllocations {
			t.Errorf("%s: %.0f allocations, allowed are %d", provider, most, maxAllocations)
		}
	}
}

func TestSpeedInodes(t *testing.T) {
	for _, provider := range []string{"codex", "claude"} {
		s := place{on: disk}.site(t, provider, false)
		s.prepare(s.speechless(3)) // its skills, which are others, lie in the store from here on
		for name, c := range map[string]struct {
			session core.Session
			most    int
		}{
			"with everything":  {s.session(1), maxInodes + approvals[provider]},
			"without commands": {s.speechless(2), maxInodes},
		} {
			before := count(t, s.path("state"))
			p := s.prepare(c.session)
			made := count(t, s.path("state")) - before
			t.Logf("%s %s: %d inodes for a session (aim %d)", provider, name, made, maxInodes)
			if made > c.most {
				t.Errorf("%s %s: a session made %d inodes, allowed are %d", provider, name, made, c.most)
			}
			if of := s.floorOf(p, "floor-"+p.Ref.ID).inodes(); made != of {
				t.Errorf("%s %s: a session made %d inodes, but consists of %d", provider, name, made, of)
			}
		}
	}
}

// approvals are the files more of a session that has commands: Codex is told in one which of them it need not ask about.
var approvals = map[string]int{"codex": 1}

// speechless is a session that has none of the host's commands.
func (s *site) speechless(n int) core.Session {
	ses := s.session(n)
	ses.Projection = &command.CommandCapabilityProjection{Mode: command.None}
	return ses
}

// count is how many files, directories and links lie below a directory.
func count(t testing.TB, dir string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(string, fs.DirEntry, error) error { n++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// repeats is how often a session is prepared again.
const repeats = 1000

// A desktop prepares before every turn.
func TestSpeedAgainChangesNothing(t *testing.T) {
	for _, provider := range []string{"codex", "claude"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			s := place{on: disk}.site(t, provider, true)
			before := state(t, s.path("state"))
			s.writes.Store(0)
			for range repeats {
				if p := s.prepare(s.session(0)); p.Generation != 1 {
					t.Fatalf("preparing again made generation %d", p.Generation)
				}
			}
			if n := s.writes.Load(); n > 0 {
				t.Errorf("preparing again wrote %d times", n)
			}
			if diff := cmp.Diff(before, state(t, s.path("state"))); diff != "" {
				t.Error("preparing again changed the state:", diff)
			}
			if n := s.host.AdapterCalls(provider); n != 1 {
				t.Errorf("the adapter was asked %d times", n)
			}
		})
	}
}

// state describes everything below a directory by mode, time of change and content.
func state(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprint(fi.Mode(), fi.ModTime().UnixNano())
		switch {
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += " " + string(data)
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line += " -> " + to
		}
		out[path] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
