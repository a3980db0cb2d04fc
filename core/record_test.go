package core

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/manifest"
)

// record is the path of the manifest of session "one".
func (s *stage) record() string { return filepath.Join(s.state, "m", nameOf(s, "one")+".json") }

func (s *stage) overwrite(path, text string) {
	s.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func TestC133_DamagedManifestIsNoReasonToLeaveAnything(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(string) string{
		"torn":       func(text string) string { return text[:len(text)/2] },
		"empty":      func(string) string { return "" },
		"other byte": func(text string) string { return strings.Replace(text, "ready", "raedy", 1) },
		"no digest":  func(text string) string { return strings.SplitN(text, "\n", 2)[0] },
		"binary":     func(string) string { return "\x00\xff\n\x00" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := blockStage(t)
			s.write("work/AGENTS.md", "mine\r\n")
			p := s.prepare(s.session("one"))
			s.prepare(s.session("two"))
			s.write("state/s/"+nameOf(s, "one")+"/prop/history.jsonl", "{}")
			s.overwrite(s.record(), damage(s.read(s.record())))

			_, err := s.host.Prepare(t.Context(), s.session("one"))
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("prepare: %v, want %v", err, ErrCorrupt)
			}
			checkError(t, s, "prepare", err)
			if _, err := s.host.Explain(t.Context(), s.session("one")); !errors.Is(err, ErrCorrupt) {
				t.Errorf("explain: %v, want %v", err, ErrCorrupt)
			}
			if _, err := s.host.Hold(t.Context(), s.session("one").Ref()); !errors.Is(err, ErrIncomplete) && !errors.Is(err, ErrCorrupt) {
				t.Errorf("hold: %v", err)
			}
			if _, err := s.host.Recover(t.Context()); err != nil {
				t.Errorf("recover: %v", err)
			}
			if _, err := os.Stat(filepath.Join(p.Dir, "prop/history.jsonl")); err != nil {
				t.Errorf("recovery removed what the client wrote: %v", err)
			}
			broken := 0
			for in, err := range s.host.Sessions(t.Context()) {
				if err != nil {
					broken++
					if in.Name != nameOf(s, "one") || !errors.Is(err, ErrCorrupt) {
						t.Errorf("listed as %+v, %v", in, err)
					}
				}
			}
			if broken != 1 {
				t.Errorf("%d sessions are listed with an error, want 1", broken)
			}
			s.cleanup(s.session("one"))
			if !strings.Contains(s.read(s.path("work/AGENTS.md")), "GREENROOM BEGIN") {
				t.Error("clean-up took the block away from the other session")
			}
			s.cleanup(s.session("two"))
			if got := s.read(s.path("work/AGENTS.md")); got != "mine\r\n" {
				t.Errorf("workspace file is %q", got)
			}
			if left := s.left(); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestC133_DamagedSessionIsCleanedUpByName(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.write("work/AGENTS.md", "mine\n")
	s.prepare(s.session("one"))
	two := s.prepare(s.session("two"))
	s.overwrite(s.record(), "torn")
	s.write("state/m/notes.json", "somebody's")
	s.write("state/s/notes/text", "somebody's")
	for name, want := range map[string]error{
		nameOf(s, "two"): ErrInvalid, nameOf(s, "three"): ErrNotFound, "notes": ErrInvalid, "../s/" + nameOf(s, "one"): ErrInvalid,
		nameOf(s, "one") + ".new": ErrInvalid, strings.ToUpper(nameOf(s, "one")): ErrInvalid, "": ErrInvalid,
	} {
		_, err := s.host.CleanupDamaged(t.Context(), name, CleanupOptions{})
		if !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	if r, err := s.host.CleanupDamaged(t.Context(), nameOf(s, "one"), CleanupOptions{}); err != nil || len(r.Kept) != 0 {
		t.Errorf("report %+v, %v", r, err)
	}
	if s.read(s.path("state/s/notes/text")) != "somebody's" || !strings.Contains(s.read(s.path("work/AGENTS.md")), "GREENROOM BEGIN") {
		t.Error("it took away what belongs to others")
	}
	if _, err := os.Stat(two.Dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(s.state, "s", nameOf(s, "one"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the session is there: %v", err)
	}
}

// sealed is a record as it would lie on the disk.
func sealed(line string) string { return line + "\n" + manifest.Digest([]byte(line)) + "\n" }

func TestI13_RecordOfAnotherVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"same shape":    `{"schema":2,"workspace":"w1","session":"one","provider":"prop","state":"ready"}`,
		"another shape": `{"schema":7,"entries":{"a":1},"state":["x"]}`,
		"older":         `{"schema":0}`,
		"another seal":  `{"schema":2}`,
	} {
		for _, tree := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s %v", name, tree), func(t *testing.T) {
				t.Parallel()
				s := blockStage(t)
				s.prepare(s.session("one"))
				text := sealed(line)
				if name == "another seal" {
					text = line + "\nof another kind\n"
				}
				s.overwrite(s.record(), text)
				if !tree {
					if err := os.RemoveAll(filepath.Join(s.state, "s", nameOf(s, "one"))); err != nil {
						t.Fatal(err)
					}
				}
				before := snapshot(t, s.dir, true)
				ctx, ses := t.Context(), s.session("one")
				for what, call := range map[string]func() error{
					"prepare": func() error { _, err := s.host.Prepare(ctx, ses); return err },
					"explain": func() error { _, err := s.host.Explain(ctx, ses); return err },
					"cleanup": func() error { _, err := s.host.Cleanup(ctx, ses.Ref(), CleanupOptions{}); return err },
					"force": func() error {
						_, err := s.host.Cleanup(ctx, ses.Ref(), CleanupOptions{UnsafeForce: true})
						return err
					},
					"recover": func() error { _, err := s.host.Recover(ctx); return err },
					"hold":    func() error { _, err := s.host.Hold(ctx, ses.Ref()); return err },
					"session": func() error { _, err := s.host.Session(ctx, ses.Ref()); return err },
				} {
					err := call()
					if !errors.Is(err, ErrUnknownSchema) {
						t.Errorf("%s: %v, want %v", what, err, ErrUnknownSchema)
					}
					checkError(t, s, what, err)
				}
				after := snapshot(t, s.dir, true)
				for _, m := range []map[string]string{before, after} {
					delete(m, "state/s") // its time is that of a directory that was made and taken away again
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("something was touched:\n%s", diff)
				}
			})
		}
	}
}

func TestC131_LostManifest(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.write("work/AGENTS.md", "mine\n")
	s.prepare(s.session("one"))
	s.write("state/s/"+nameOf(s, "one")+"/prop/history.jsonl", "{}")
	if err := os.Remove(s.record()); err != nil {
		t.Fatal(err)
	}
	r, err := s.host.Recover(t.Context())
	if err != nil || len(r.Recovered) != 1 {
		t.Errorf("recover: %+v, %v", r, err)
	}
	lost := "s/" + nameOf(s, "one") + ".lost"
	if diff := cmp.Diff([]string{lost}, s.left()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if got := s.read(s.path("work/AGENTS.md")); got != "mine\n" {
		t.Errorf("nobody holds the block, and the file is %q", got)
	}
	if got := s.read(filepath.Join(s.state, lost, "prop/history.jsonl")); got != "{}" {
		t.Errorf("what the client wrote is %q", got)
	}
	if r, err = s.host.Recover(t.Context()); err != nil || len(r.Recovered) != 0 {
		t.Errorf("I12: recovering again: %+v, %v", r, err)
	}
	s.prepare(s.session("one"))
	s.cleanup(s.session("one"))
	if diff := cmp.Diff([]string{lost}, s.left()); diff != "" {
		t.Errorf("left in the end (-want +got):\n%s", diff)
	}
}

func TestC131_LostDirectory(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	p := s.prepare(s.session("one"))
	if err := os.RemoveAll(p.Dir); err != nil {
		t.Fatal(err)
	}
	r, err := s.host.Recover(t.Context())
	if err != nil || len(r.Recovered) != 1 || r.Recovered[0].State != manifest.Incomplete {
		t.Errorf("recover: %+v, %v", r, err)
	}
	if _, err := s.host.Hold(t.Context(), s.session("one").Ref()); !errors.Is(err, ErrIncomplete) {
		t.Errorf("hold: %v, want %v", err, ErrIncomplete)
	}
	s.prepare(s.session("one"))
	if _, err := os.Stat(filepath.Join(p.Dir, "prop/config.toml")); err != nil {
		t.Error(err)
	}
	s.cleanup(s.session("one"))
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestDamagedWorkspaceRecordKeepsNobodyFromCleaningUp(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.prepare(s.session("one"))
	records, err := filepath.Glob(filepath.Join(s.state, "w", "*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("records %v, %v", records, err)
	}
	s.overwrite(records[0], "torn")
	if _, err := s.host.Prepare(t.Context(), s.session("two")); !errors.Is(err, ErrCorrupt) {
		t.Errorf("another session: %v, want %v", err, ErrCorrupt)
	}
	if r := s.cleanup(s.session("one")); len(r.Kept) != 1 {
		t.Errorf("kept %v, want a word on the workspace", r.Kept)
	}
}

func TestC136_HolderThatIsGoneHoldsNothing(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.prepare(s.session("one"))
	s.prepare(s.session("two"))
	// As somebody who tidies up would: all of a session, and not what others say of it.
	for _, p := range []string{s.record(), filepath.Join(s.state, "s", nameOf(s, "one"))} {
		if err := os.RemoveAll(p); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.told("zebra", prop{provider: "prop", workspace: true}).Prepare(t.Context(), s.session("two")); err != nil {
		t.Errorf("a text that only a session that is gone held: %v", err)
	}
	s.cleanup(s.session("two"))
	if _, err := os.Lstat(s.path("work/AGENTS.md")); err == nil {
		t.Error("the file is left")
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestC121_ManifestNamesTheSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := Session{Workspace: "w/1 ☃", ID: "../" + strings.Repeat("é", 200), Provider: "prop", Cwd: s.cwd}
	p := s.prepare(ses)
	if rel, err := filepath.Rel(filepath.Join(s.state, "s"), p.Dir); err != nil || strings.ContainsAny(rel, "/.é ") {
		t.Errorf("C120: the directory is %q, %v", rel, err)
	}
	in, err := s.host.Session(t.Context(), ses.Ref())
	if err != nil {
		t.Fatal(err)
	}
	if in.Ref != ses.Ref() || in.Cwd != ses.Cwd || in.Dir != p.Dir || in.Provider != "prop" || in.State != manifest.Ready || in.Running || in.Generation != 1 {
		t.Errorf("recorded as %+v", in)
	}
	other := ses
	other.Workspace = "w2"
	if q := s.prepare(other); q.Dir == p.Dir {
		t.Error("sessions of two workspaces share a directory")
	}
	var refs []Ref
	for in, err := range s.host.Sessions(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		refs = append(refs, in.Ref)
	}
	if len(refs) != 2 {
		t.Errorf("listed %v, want both", refs)
	}
	s.cleanup(ses)
	if _, err := s.host.Session(t.Context(), ses.Ref()); !errors.Is(err, ErrNotFound) {
		t.Errorf("after clean-up: %v, want %v", err, ErrNotFound)
	}
	if r, err := s.host.Cleanup(t.Context(), ses.Ref(), CleanupOptions{}); err != nil || r.Removed != 0 {
		t.Errorf("C132: cleaning up twice: %+v, %v", r, err)
	}
	for _, r := range []Ref{{"", "x"}, {"x", " "}, {"x", "a\x00"}} {
		if _, err := s.host.Cleanup(t.Context(), r, CleanupOptions{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("cleaning up %v: %v, want %v", r, err, ErrInvalid)
		}
	}
}

func TestSessionOfAnotherProviderOrDirectory(t *testing.T) {
	t.Parallel()
	s := newStage(t, prop{provider: "prop"}, prop{provider: "other"})
	s.prepare(s.session("one"))
	s.write("work2/x", "")
	other, moved := s.session("one"), s.session("one")
	other.Provider, moved.Cwd = "other", s.path("work2")
	for _, ses := range []Session{other, moved} {
		if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, ErrSessionMismatch) {
			t.Errorf("prepare: %v, want %v", err, ErrSessionMismatch)
		}
		if _, err := s.host.Explain(t.Context(), ses); !errors.Is(err, ErrSessionMismatch) {
			t.Errorf("explain: %v, want %v", err, ErrSessionMismatch)
		}
	}
	if in, err := s.host.Session(t.Context(), s.session("one").Ref()); err != nil || in.State != manifest.Ready {
		t.Errorf("the session is %s, %v", in.State, err)
	}
}

func TestC123_TranscriptsAreKeptAndGoWithTheNextCleanup(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	ses := s.session("one")
	p := s.prepare(ses)
	name := "state/s/" + nameOf(s, "one")
	s.write(name+"/prop/sessions/rollout.jsonl", "{}\n")
	s.write(name+"/prop/state.json", `{"seeded":true,"theirs":1}`)
	s.write(name+"/outside.db", "db")
	if _, err := s.host.Cleanup(t.Context(), ses.Ref(), CleanupOptions{Keep: KeepTranscripts}); err != nil {
		t.Fatal(err)
	}
	got := snapshot(t, p.Dir, false)
	for path, want := range map[string]bool{
		"prop/sessions/rollout.jsonl": true, "prop/state.json": true, "outside.db": true,
		"prop/config.toml": false, "prop/auth.json": false, "prop/skills": false, "prop/bin": false, "prop/plugins": false,
	} {
		if (got[path] != "") != want {
			t.Errorf("%s is there: %v, want %v", path, !want, want)
		}
	}
	if _, err := os.Lstat(s.path("work/AGENTS.md")); err == nil {
		t.Error("the block is left")
	}
	if _, err := s.host.Hold(t.Context(), ses.Ref()); !errors.Is(err, ErrIncomplete) {
		t.Errorf("hold: %v, want %v", err, ErrIncomplete)
	}
	s.prepare(ses)
	if got := s.read(filepath.Join(p.Dir, "prop/state.json")); !strings.Contains(got, "theirs") {
		t.Errorf("the client's own file is %q", got)
	}
	if _, err := s.host.Cleanup(t.Context(), ses.Ref(), CleanupOptions{Keep: KeepAll}); err != nil {
		t.Fatal(err)
	}
	if in, err := s.host.Session(t.Context(), ses.Ref()); err != nil || in.State != manifest.Ready {
		t.Errorf("after keeping all the session is %s, %v", in.State, err)
	}
	s.cleanup(ses)
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestC142_AnotherHostCleansUpAsWell(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	before := snapshot(t, s.cwd, false)
	s.prepare(s.session("one"))
	s.host.Close()
	// Neither the adapter nor the user's home is needed for it.
	h := s.open(func(c *Config) { c.Home = s.path("nobody") })
	if _, err := h.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{}); err != nil {
		t.Fatal(err)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if diff := cmp.Diff(before, snapshot(t, s.cwd, false)); diff != "" {
		t.Errorf("left in the workspace:\n%s", diff)
	}
}

func TestRunningSessionIsNotCleanedUp(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session("one")
	if _, err := s.host.Hold(t.Context(), ses.Ref()); !errors.Is(err, ErrNotFound) {
		t.Errorf("hold of nothing: %v, want %v", err, ErrNotFound)
	}
	s.prepare(ses)
	a, errA := s.host.Hold(t.Context(), ses.Ref())
	b, errB := s.open(nil).Hold(t.Context(), ses.Ref())
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	for i, l := range []*Lease{a, b} {
		_, err := s.host.Cleanup(t.Context(), ses.Ref(), CleanupOptions{})
		if !errors.Is(err, ErrRunning) {
			t.Errorf("with %d leases: %v, want %v", 2-i, err, ErrRunning)
		}
		if in, err := s.host.Session(t.Context(), ses.Ref()); err != nil || !in.Running {
			t.Errorf("running: %v, %v", in.Running, err)
		}
		for range 2 {
			if _, err := l.Release(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	s.cleanup(ses)
	s.prepare(ses)
	l, err := s.host.Hold(t.Context(), ses.Ref())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.host.Cleanup(t.Context(), ses.Ref(), CleanupOptions{UnsafeForce: true}); err != nil {
		t.Errorf("by force: %v", err)
	}
	if _, err := l.Release(t.Context()); err != nil {
		t.Errorf("release of what is gone: %v", err)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWorkingDirectoryIsOneHoweverItIsSpelt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, cwd := range []string{s.cwd, s.cwd + "/", s.cwd + "/.", s.dir + "//work", s.cwd + "/../work"} {
		ses := s.session("one")
		ses.Cwd = cwd
		p := s.prepare(ses)
		if p.Generation != 1 || p.Cwd != s.cwd {
			t.Errorf("%s gives generation %d in %s", cwd, p.Generation, p.Cwd)
		}
		if _, err := s.host.Explain(t.Context(), ses); err != nil {
			t.Errorf("%s: %v", cwd, err)
		}
	}
}
