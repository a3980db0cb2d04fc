package core

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/handshake"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const unpackedMarker = ".prop-system-skills.marker"

// told is prop for a client that is told of skills over its protocol, and that unpacks some itself.
func told() prop {
	place := preparer.Session("prop/skills/greenroom")
	return prop{
		provider: "prop",
		describe: func(d *preparer.Descriptor) { d.Client.Transport = preparer.CodexAppServer },
		extra: func(_ preparer.Request, l *preparer.Layout) {
			l.Action(preparer.Action{Kind: preparer.SnapshotTree, At: preparer.Session("prop/skills/.system"), Marker: unpackedMarker})
			l.Action(preparer.Action{Kind: preparer.ExtraRoots, At: place})
			l.Action(preparer.Action{Kind: preparer.VerifySkills})
		},
	}
}

// unpack does what the client does when it starts: where the marker is another one, it puts a tree there.
func (s *stage) unpack(p *Prepared, build string) {
	s.t.Helper()
	at := filepath.Join(p.Dir, "prop/skills/.system")
	if data, err := os.ReadFile(filepath.Join(at, unpackedMarker)); err == nil && string(data) == build {
		return
	}
	fi, err := os.Lstat(at)
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		err = os.Remove(at)
	} else {
		err = os.RemoveAll(at)
	}
	if err = errors.Join(err, os.MkdirAll(filepath.Join(at, "maker"), 0o755), os.WriteFile(filepath.Join(at, "maker/SKILL.md"), []byte(build), 0o644),
		os.WriteFile(filepath.Join(at, unpackedMarker), []byte(build), 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

func steps(p *Prepared) map[preparer.ActionKind]handshake.Step {
	m := map[preparer.ActionKind]handshake.Step{}
	for _, step := range handshake.List(p.Handshake()) {
		m[step.Kind] = step
	}
	return m
}

func (s *stage) swapped(p *Prepared) string {
	s.t.Helper()
	if err := steps(p)[preparer.SnapshotTree].Do(s.t.Context()); err != nil {
		s.t.Fatalf("snapshot: %v", err)
	}
	target, err := os.Readlink(filepath.Join(p.Dir, "prop/skills/.system"))
	if err != nil {
		s.t.Fatal(err)
	}
	return target
}

func TestC192_SessionsOfOneBuildShareItsSkills(t *testing.T) {
	t.Parallel()
	s := newStage(t, told())
	one, two := s.prepare(s.session("one")), s.prepare(s.session("two"))
	s.unpack(one, "build 1")
	s.unpack(two, "build 1")
	first := s.swapped(one)
	if got := s.swapped(two); got != first {
		t.Errorf("two sessions lead to %s and %s", first, got)
	}
	if !strings.HasPrefix(first, filepath.Join(s.state, "store/agent/system-skill-bundles/v1")+"/") || filepath.Base(first) != ".system" {
		t.Errorf("they lie at %s", first)
	}
	// Starting and preparing again leaves them there, and writes nothing.
	s.unpack(one, "build 1")
	generation := s.prepare(s.session("one")).Generation
	before := snapshot(t, s.state, true)
	p := s.prepare(s.session("one"))
	if got := s.swapped(p); got != first || p.Generation != generation {
		t.Errorf("again: %s, generation %d and not %d", got, p.Generation, generation)
	}
	if diff := cmp.Diff(before, snapshot(t, s.state, true)); diff != "" {
		t.Errorf("something was written: %s", diff)
	}
	// An update of the client in one session changes nothing in the other.
	s.unpack(one, "build 2")
	next := s.swapped(s.prepare(s.session("one")))
	if next == first {
		t.Error("another build has the same path")
	}
	if got := s.read(filepath.Join(s.linked(two, "prop/skills/.system"), "maker/SKILL.md")); got != "build 1" {
		t.Errorf("the other session reads %q", got)
	}
	// What a persisted conversation names stays until clean-up.
	h := s.open(func(c *Config) { c.Now = func() time.Time { return time.Now().Add(time.Hour) } }, told())
	collect := func() []string {
		c, err := h.Collect(t.Context(), CollectOptions{Grace: -time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return c.Snapshots
	}
	if gone := collect(); len(gone) > 0 {
		t.Errorf("in use and collected: %v", gone)
	}
	s.cleanup(s.session("two"))
	if gone := collect(); len(gone) > 0 {
		t.Errorf("in use by the one that is left, and collected: %v", gone)
	}
	s.cleanup(s.session("one"))
	if gone := collect(); len(gone) != 2 {
		t.Errorf("collected %v", gone)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestC192_FailsClosed(t *testing.T) {
	t.Parallel()
	s := newStage(t, told())
	p := s.prepare(s.session("one"))
	at := filepath.Join(p.Dir, "prop/skills/.system")
	do := func() error { return steps(p)[preparer.SnapshotTree].Do(context.Background()) }
	if err := do(); !errors.Is(err, ErrSnapshot) {
		t.Errorf("nothing unpacked: %v", err)
	}
	s.unpack(p, "build 1")
	if err := os.Remove(filepath.Join(at, unpackedMarker)); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, at, true)
	if err := do(); !errors.Is(err, ErrSnapshot) {
		t.Errorf("not complete: %v", err)
	}
	if diff := cmp.Diff(before, snapshot(t, at, true)); diff != "" {
		t.Errorf("the client's tree was changed: %s", diff)
	}
	// A link of somebody else's is not followed.
	s.write("elsewhere/.system/maker/SKILL.md", "x")
	s.write("elsewhere/.system/"+unpackedMarker, "x")
	if err := errors.Join(os.RemoveAll(at), os.Symlink(s.path("elsewhere/.system"), at)); err != nil {
		t.Fatal(err)
	}
	if err := do(); !errors.Is(err, ErrSnapshot) {
		t.Errorf("a link that leads elsewhere: %v", err)
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	// A damaged snapshot is put aside, and the next start has whole ones.
	s.unpack(p, "build 1")
	target := s.swapped(p)
	file := filepath.Join(target, "maker/SKILL.md")
	if err := errors.Join(os.Chmod(file, 0o600), os.WriteFile(file, []byte("evil"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := do(); !errors.Is(err, ErrSnapshot) {
		t.Errorf("damaged: %v", err)
	}
	s.unpack(p, "build 1")
	if got := s.read(filepath.Join(s.swapped(p), "maker/SKILL.md")); got != "build 1" {
		t.Errorf("afterwards it reads %q", got)
	}
	// One that is gone: preparing makes room for the client's own.
	if err := os.Rename(filepath.Dir(target), filepath.Dir(target)+".gone"); err != nil {
		t.Fatal(err)
	}
	p = s.prepare(s.session("one"))
	if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a link that leads nowhere stays, and the client runs without its skills")
	}
	s.unpack(p, "build 1")
	s.swapped(p)
}

// A kill between any two changes leaves what the next start of the client and the next swap put in order.
func TestC192_KilledWhileSwapping(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		s := newStage(t, told())
		p := s.prepare(s.session("one"))
		s.unpack(p, "build 1")
		count := 0
		h := s.open(func(c *Config) {
			c.BeforeChange = func(int64, string, string) error {
				if count++; count >= n {
					return errors.New("killed")
				}
				return nil
			}
		}, told())
		err := h.snapshot(t.Context(), s.session("one").Ref(), "prop/skills/.system", unpackedMarker)
		p = s.prepare(s.session("one"))
		s.unpack(p, "build 1")
		if got := s.read(filepath.Join(s.swapped(p), "maker/SKILL.md")); got != "build 1" {
			t.Fatalf("killed at change %d: it reads %q", n, got)
		}
		if list, _ := os.ReadDir(filepath.Join(p.Dir, "prop/skills")); slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == asideName }) {
			t.Fatalf("killed at change %d: something is left beside", n)
		}
		s.cleanup(s.session("one"))
		if left := s.left(); len(left) > 0 {
			t.Fatalf("killed at change %d: left %v", n, left)
		}
		if err == nil {
			if n < 10 {
				t.Errorf("only %d changes were seen", n)
			}
			return
		}
	}
}

func TestC185_C186_C194_C196_SkillRoots(t *testing.T) {
	t.Parallel()
	s := newStage(t, told())
	a, b := s.path("connectors/a"), s.path("connectors/b")
	if err := errors.Join(os.MkdirAll(a, 0o755), os.MkdirAll(b, 0o755), os.Symlink(a, s.path("connectors/link"))); err != nil {
		t.Fatal(err)
	}
	ses := s.session("one")
	ses.SkillRoots = []SkillRoot{{"a", a}, {"b", b + "/"}, {"a again", a}}
	p := s.prepare(ses)
	own, err := os.Readlink(filepath.Join(p.Dir, "prop/skills/greenroom"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{own, a, b}, steps(p)[preparer.ExtraRoots].Roots); diff != "" {
		t.Error(diff)
	}
	for _, skill := range steps(p)[preparer.VerifySkills].Skills {
		if !strings.HasPrefix(skill.Path, own+"/") {
			t.Errorf("%v", skill)
		}
		if _, err := os.Stat(skill.Path); err != nil {
			t.Error(err)
		}
	}
	if len(steps(p)[preparer.VerifySkills].Skills) != len(p.Skills) || len(p.Skills) == 0 {
		t.Error("not every skill is looked for")
	}
	two := s.session("two")
	if got := steps(s.prepare(two))[preparer.ExtraRoots].Roots; len(got) != 1 || got[0] != own {
		t.Errorf("two sessions are told of %v and %s", got, own)
	}
	// Nothing of it is in what hosts see and what the client inherits.
	data, err := p.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(p.Environ([]string{"PATH=/bin"}), append(p.Args, string(data))...) {
		for _, secret := range []string{own, a, b, "system-skill-bundles"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s stands in %s", secret, text)
			}
		}
	}
	ses.SkipSkills = true
	if got := steps(s.prepare(ses))[preparer.ExtraRoots].Roots; len(got) > 0 {
		t.Errorf("without skills: %v", got)
	}
	many := make([]SkillRoot, 32)
	for i := range many {
		many[i] = SkillRoot{"many", a}
	}
	for name, roots := range map[string][]SkillRoot{
		"relative": {{"x", "a"}}, "missing": {{"x", s.path("connectors/none")}}, "link": {{"x", s.path("connectors/link")}},
		"file": {{"x", s.path("work/main.go")}}, "more than 32": many,
	} {
		bad := s.session("bad")
		bad.SkillRoots = roots
		if _, err := s.host.Prepare(t.Context(), bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain := s.open(nil, prop{provider: "prop"})
	bad := s.session("plain")
	bad.SkillRoots = []SkillRoot{{"a", a}}
	if _, err := plain.Prepare(t.Context(), bad); !errors.Is(err, ErrInvalid) {
		t.Errorf("a client that is told of nothing: %v", err)
	}
}
