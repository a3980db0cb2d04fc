package core

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// guarded is prop with a login that the client locks, and notes whether it is told that the login is withheld.
func guarded() prop {
	return prop{
		provider: "prop",
		describe: func(d *preparer.Descriptor) {
			d.Inputs = append(d.Inputs, preparer.Input{Name: "token", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("prop", "token")}, Secret: true})
		},
		extra: func(r preparer.Request, l *preparer.Layout) {
			l.Login(preparer.Login{At: preparer.Session("prop/token"), Input: "token", Lock: ".token.lock"})
			if r.Inputs["token"].Withheld {
				l.Note(preparer.Warn("prop.withheld", "told so", ""))
			}
		},
	}
}

func (s *stage) linked(p *Prepared, rel string) string {
	s.t.Helper()
	target, err := os.Readlink(filepath.Join(p.Dir, filepath.FromSlash(rel)))
	if err != nil {
		return ""
	}
	return target
}

func TestC249_C276_LoginOfTheHost(t *testing.T) {
	t.Parallel()
	s := newStage(t, guarded())
	s.write("home/.prop/token", "user")
	at := s.path("host/logins/token")
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	ses := s.session("one")
	p := s.prepare(ses)
	if got := s.linked(p, "prop/token"); got != s.path("home/.prop/token") {
		t.Errorf("without a choice the login leads to %q", got)
	}
	if got := s.linked(p, "prop/.token.lock"); got != s.path("home/.prop/.token.lock") {
		t.Errorf("its lock leads to %q", got)
	}
	// The host's own, which does not exist yet.
	ses.Logins = map[string]Login{"token": {Path: at}}
	p = s.prepare(ses)
	if got := s.linked(p, "prop/token"); got != at {
		t.Errorf("the host's login: the link leads to %q", got)
	}
	if got := s.linked(p, "prop/.token.lock"); got != s.path("host/logins/.token.lock") {
		t.Errorf("the host's login: the lock leads to %q", got)
	}
	before := p.Generation
	if p = s.prepare(ses); p.Generation != before {
		t.Error("preparing again changed something")
	}
	s.write("host/logins/token", "late")
	if got := s.read(filepath.Join(p.Dir, "prop/token")); got != "late" {
		t.Errorf("a later login of the host reads %q", got)
	}
	s.prepare(ses) // as before each launch
	// What the client writes in the place of the link reaches the host's file, and never the user's.
	lease := s.hold("one")
	s.renamed(filepath.Join(p.Dir, "prop/token"), "refreshed")
	s.release(lease)
	if got := s.read(at); got != "refreshed" {
		t.Errorf("the host's login is %q", got)
	}
	s.cleanup(ses)
	if got := s.read(s.path("home/.prop/token")); got != "user" {
		t.Errorf("the user's login is %q", got)
	}
	if got := s.read(at); got != "refreshed" {
		t.Errorf("after clean-up the host's login is %q", got)
	}
}

func TestC251_WithheldLogin(t *testing.T) {
	t.Parallel()
	s := newStage(t, guarded())
	s.write("home/.prop/token", "user")
	ses := s.session("one")
	ses.Logins = map[string]Login{"token": {}}
	p := s.prepare(ses)
	for _, rel := range []string{"prop/token", "prop/.token.lock"} {
		if _, err := os.Lstat(filepath.Join(p.Dir, rel)); err == nil {
			t.Errorf("%s is there", rel)
		}
	}
	told := func(p *Prepared) (n int) {
		for _, d := range p.Diagnostics {
			if d.Code == "prop.withheld" {
				n++
			}
		}
		return n
	}
	if told(p) != 1 {
		t.Error("the adapter is not told")
	}
	ses.Logins = nil
	if p = s.prepare(ses); told(p) != 0 || s.linked(p, "prop/token") == "" {
		t.Error("the choice outlives its session")
	}
}

func TestC250_LoginThatIsNone(t *testing.T) {
	t.Parallel()
	s := newStage(t, guarded())
	for name, logins := range map[string]map[string]Login{
		"relative":       {"token": {Path: "host/token"}},
		"NUL":            {"token": {Path: "/a\x00b"}},
		"no such login":  {"other": {Path: s.path("host/token")}},
		"not secret":     {"config": {Path: s.path("host/token")}},
		"of a session":   {"token": {Path: filepath.Join(s.state, "s", "x", "token")}},
		"not even there": {"other": {}},
	} {
		ses := s.session("bad")
		ses.Logins = logins
		if _, err := s.host.Prepare(context.Background(), ses); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
