package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
)

// connected is a session that was prepared with connectors.
func (s *scene) connected() *core.Prepared {
	s.Helper()
	p, err := s.host.Prepare(s.Context(), core.Session{Workspace: "w", ID: "one", Provider: launchtest.Provider, Cwd: s.cwd,
		Connectors: &connector.Context{EnabledConnectors: []string{"crm"}, Hints: []connector.Hint{{Key: "crm"}, {Key: "mail"}}}})
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// told runs a turn with connectors and gives the blocks that the agent got.
func (s *scene) told(c *launch.Conn, keys ...string) []string {
	s.Helper()
	blocks := []launch.Block{{Text: "show"}}
	for _, k := range keys {
		blocks = append(blocks, launch.Block{Connector: k})
	}
	events := slices.Collect(c.Prompt(s.Context(), blocks...))
	for _, e := range events {
		if e.Kind != launch.Text {
			continue
		}
		var q struct{ Prompt []struct{ Text string } }
		if err := json.Unmarshal([]byte(e.Text), &q); err != nil {
			s.Fatal(err)
		}
		var list []string
		for _, b := range q.Prompt {
			list = append(list, b.Text)
		}
		return list
	}
	s.Fatalf("the agent shows nothing: %+v", last(events))
	return nil
}

func TestC364_C365_C366_C368_AgentIsToldWhatChangesOfConnectors(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	hints := []connector.Hint{{Key: "crm"}, {Key: "mail"}}
	admitted := 0
	options := s.options(func(o *launch.Options) {
		o.Hints = func(context.Context) []connector.Hint { return hints }
		o.Admit = func(_ context.Context, p *core.Prepared) (*core.Prepared, error) {
			if admitted++; admitted == 3 {
				return nil, errors.New("not now")
			}
			return p, nil
		}
	})
	p := s.connected()
	c, err := launch.Open(t.Context(), p, options)
	if err != nil {
		t.Fatal(err)
	}
	talk, err := c.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got []string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	const on, off = "Connector(s) enabled: mail.", "Connector(s) disabled: crm."
	check("what the instructions said", s.told(c, "crm"), "show", p.FirstPrompt())
	check("another set", s.told(c, "mail"), on+"\n"+off, "show")
	if e := last(slices.Collect(c.Prompt(t.Context(), launch.Block{Text: "three"}))); e.Kind != launch.Error {
		t.Errorf("a turn that is not admitted: %+v", e)
	}
	// It was not admitted, so the agent knows nothing of it.
	check("the same set", s.told(c, "mail"), "show")
	hints = append(hints, connector.Hint{Key: "wiki", DisplayName: "Notes"})
	check("another index", s.told(c, "mail"), "The connector routing index is now: crm;mail;wiki=Notes", "show")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	// The host was started again, and so was the client.
	if c, err = launch.Open(t.Context(), s.connected(), options); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Resume(t.Context(), talk.ID); err != nil {
		t.Fatal(err)
	}
	check("after a restart", s.told(c, "mail"), "show", p.FirstPrompt())
	check("after it, another set", s.told(c, "mail", "crm"), "Connector(s) enabled: crm.", "show")
	// A new conversation knows what the instructions say, and nothing of the other one.
	if _, err := c.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("a new conversation", s.told(c, "crm"), "The connector routing index is now: crm;mail;wiki=Notes", "show", p.FirstPrompt())
	if _, err := c.Resume(t.Context(), "s-of-another-host"); err != nil {
		t.Fatal(err)
	}
	check("a conversation that is not known", s.told(c, "crm"),
		"The connector routing index is now: crm;mail;wiki=Notes\nConnector(s) enabled: crm.", "show", p.FirstPrompt())
}

func TestC364_WhatTheModelHasNotSeenIsToldAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	c, err := launch.Open(t.Context(), s.connected(), s.options())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]launch.Block{
		{{Connector: "no key"}, {Text: "x"}}, {{Connector: "crm", Text: "x"}}, {{Connector: "crm"}}, {},
	} {
		if e := last(slices.Collect(c.Prompt(t.Context(), bad...))); !errors.Is(e.Err, core.ErrInvalid) {
			t.Errorf("%+v: %+v", bad, e)
		}
	}
	const notice = "Connector(s) disabled: crm."
	for _, step := range []struct {
		prompt string
		heard  bool
	}{
		{"fail -32603 not now", false}, {"die early", false}, {"say so\ndie late", true},
	} {
		if e := last(s.turn(c, step.prompt)); e.Kind != launch.Error {
			t.Fatalf("%s: %+v", step.prompt, e)
		}
		if step.heard {
			if got := said(s.turn(c, "show")); strings.Contains(got, notice) {
				t.Errorf("after %q the agent is told again", step.prompt)
			}
			continue
		}
		events := s.turn(c, "show\nfail -32603 not now")
		if got := said(events); !strings.Contains(got, notice) {
			t.Errorf("after %q the agent is not told: %s", step.prompt, got)
		}
		// It has seen the notice now, so it has to be another one.
		_ = s.told(c, "crm")
	}
}

// C364: what is said while a turn runs is no turn.
func TestC364_GuidanceAnnouncesNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	c, _ := s.open()
	if err := c.Guide(t.Context(), launch.Block{Text: "x"}); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("no turn runs: %v", err)
	}
	for e := range c.Prompt(t.Context(), launch.Block{Text: "say a\nsleep 200ms"}) {
		if e.Kind == launch.Text {
			if err := c.Guide(t.Context(), launch.Block{Text: "x"}); !errors.Is(err, launch.ErrUnsupported) {
				t.Errorf("a client that takes nothing: %v", err)
			}
		}
	}
}

// A conversation that is told again while it is loaded for a turn is no part of that turn.
func TestWhatIsToldAgainIsNoPartOfATurn(t *testing.T) {
	t.Parallel()
	s := newScene(t, "--replay")
	c, _ := s.open()
	s.turn(c, "die now")
	if got := said(s.turn(c, "say now")); got != "now" {
		t.Errorf("the turn said %q", got)
	}
}
