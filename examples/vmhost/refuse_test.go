package vmhost_test

import (
	"errors"
	"os"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/examples/vmhost"
)

func TestWrongCertificate(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	stranger := newAuthority(t)
	mixed := m.ca.issue("somebody") // believes the server, and is signed by nobody that it knows
	mixed.Own = stranger.issue("somebody").Own
	none := m.ca.issue("somebody")
	none.Own.Certificate = nil
	for name, trust := range map[string]vmhost.Trust{
		"of another authority": stranger.issue("somebody"), "that the server does not take": mixed, "none": none,
	} {
		t.Run(name, func(t *testing.T) {
			c := m.dial(trust)
			if _, err := c.Prepare(t.Context(), one); !errors.Is(err, vmhost.ErrUntrusted) {
				t.Errorf("prepare: %v", err)
			}
			if _, _, err := c.Open(t.Context(), one, "", vmhost.Options{}); !errors.Is(err, vmhost.ErrUntrusted) {
				t.Errorf("open: %v", err)
			}
		})
	}
	if _, err := os.Stat(m.at("state")); err == nil {
		t.Error("something was prepared")
	}
}

func TestServerOfAnotherName(t *testing.T) {
	t.Parallel()
	// Whoever holds a certificate for a client is no server.
	impostor := newMachineAs(t, newAuthority(t), "somebody")
	if _, err := impostor.client.Prepare(t.Context(), one); !errors.Is(err, vmhost.ErrUntrusted) {
		t.Errorf("prepare: %v", err)
	}
}

func TestPathOutsideTheMapping(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	if err := errors.Join(os.Symlink("/etc", m.at("work/link")), os.Symlink(m.at("nowhere"), m.at("work/dangling"))); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*core.Session){
		"elsewhere":           func(s *core.Session) { s.Cwd = "/etc" },
		"beside it":           func(s *core.Session) { s.Cwd = "/projects-2/app" },
		"above it":            func(s *core.Session) { s.Cwd = "/projects/../etc" },
		"relative":            func(s *core.Session) { s.Cwd = "app" },
		"by a link":           func(s *core.Session) { s.Cwd = "/projects/link" },
		"by a link to none":   func(s *core.Session) { s.Cwd = "/projects/dangling" },
		"a conversation":      func(s *core.Session) { s.Transcript = "/var/x.jsonl" },
		"a login":             func(s *core.Session) { s.Logins = map[string]core.Login{"auth": {Path: "/projects/link/shadow"}} },
		"a directory of them": func(s *core.Session) { s.SkillRoots = []core.SkillRoot{{Name: "x", Path: "/usr"}} },
	} {
		s := one
		change(&s)
		if _, err := m.client.Prepare(t.Context(), s); !errors.Is(err, vmhost.ErrOutside) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := m.client.Open(t.Context(), s, "", vmhost.Options{}); !errors.Is(err, vmhost.ErrOutside) {
			t.Errorf("%s, open: %v", name, err)
		}
	}
}

// What core says arrives as core has said it.
func TestErrorsOfCore(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	_, there := m.client.Prepare(t.Context(), core.Session{Workspace: "w", ID: "x", Provider: "nobody", Cwd: "/projects/app"})
	_, here := m.host.Prepare(t.Context(), core.Session{Workspace: "w", ID: "x", Provider: "nobody", Cwd: m.at("work/app")})
	var a, b *core.Error
	if !errors.As(there, &a) || !errors.As(here, &b) || a.Code != core.ErrUnknownProvider || a.Error() != b.Error() || a.Hint != b.Hint {
		t.Errorf("there %v, here %v", there, here)
	}
	if _, err := m.client.Session(t.Context(), core.Ref{Workspace: "w", ID: "none"}); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("a session that there is not: %v", err)
	}
	s := one
	s.Endpoint = &modelendpoint.Endpoint{Protocol: "none", Key: modelendpoint.NewKey("k-123456")}
	if _, err := m.client.Prepare(t.Context(), s); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("an endpoint of no protocol: %v", err)
	}
}

func TestConnectionIsCut(t *testing.T) {
	t.Parallel()
	t.Run("before", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		m.cut()
		if _, err := m.client.Prepare(t.Context(), one); !errors.Is(err, vmhost.ErrCut) {
			t.Errorf("prepare: %v", err)
		}
		if _, _, err := m.client.Open(t.Context(), one, "", vmhost.Options{}); !errors.Is(err, vmhost.ErrCut) {
			t.Errorf("open: %v", err)
		}
	})
	for name, c := range map[string]struct {
		cut  func(*machine)
		want core.Code
	}{
		"by the server": {func(m *machine) { m.cut() }, vmhost.ErrCut},
		"by ourselves":  {func(m *machine) { _ = m.client.Close() }, core.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, "--ignore-cancel")
			s, _, err := m.client.Open(t.Context(), one, "", vmhost.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var last launch.Event
			for last = range s.Prompt(t.Context(), launch.Block{Text: "say a\nsleep 1m"}) {
				if last.Kind == launch.Text {
					go c.cut(m)
				}
			}
			if last.Kind != launch.Error || !errors.Is(last.Err, c.want) {
				t.Errorf("the turn ended with %+v", last)
			}
			if err := s.Close(); (err != nil) != (c.want == vmhost.ErrCut) {
				t.Errorf("closed: %v", err)
			}
			// The agent has ended when the server has.
			m.cut()
			if _, err := m.host.Cleanup(t.Context(), one.Ref(), core.CleanupOptions{}); err != nil {
				t.Errorf("clean up: %v", err)
			}
		})
	}
}
