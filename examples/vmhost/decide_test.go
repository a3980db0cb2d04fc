package vmhost_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/examples/vmhost"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func (m *machine) open(s core.Session, o vmhost.Options) *vmhost.Session {
	m.Helper()
	session, _, err := m.client.Open(m.Context(), s, "", o)
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = session.Close() })
	return session
}

// Whoever holds the client answers what the agent asks, and without somebody the agent is told that there is nobody.
func TestQuestionsAreAnsweredFromAfar(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	answer := func(_ context.Context, q launch.Question) (launch.Reply, bool) {
		if q.Text != "which one?" || len(q.Fields) != 2 || !json.Valid(q.Raw) || len(q.Raw) == 0 {
			t.Errorf("asked %+v", q)
		}
		return launch.Reply{"colour": {"blue"}}, true
	}
	for want, ask := range map[string]launch.Asker{
		`{"action":"accept","content":{"colour":"blue"}}`: answer,
		`{"action":"decline"}`:                            nil,
	} {
		s := m.open(one, vmhost.Options{Ask: ask})
		if said, _ := turn(t, s, "question which one?"); said != want {
			t.Errorf("the agent is told %s, want %s", said, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTurnIsGuidedFromAfar(t *testing.T) {
	t.Parallel()
	m := newMachineWith(t, newAuthority(t), vmhost.Name, launchtest.Adapter{Transport: preparer.CodexAppServer})
	s := m.open(one, vmhost.Options{})
	if err := s.Guide(t.Context(), launch.Block{Text: "early"}); !errors.Is(err, core.ErrInvalid) {
		t.Errorf("outside of a turn: %v", err)
	}
	said := ""
	for e := range s.Prompt(t.Context(), launch.Block{Text: "say a\nsleep 300ms\nsay b"}) {
		if said += e.Text; e.Text == "a" {
			if err := s.Guide(t.Context(), launch.Block{Text: "-more-"}); err != nil {
				t.Error(err)
			}
		}
	}
	if said != "a-more-b" {
		t.Errorf("said %q", said)
	}
	plain := newMachine(t).open(one, vmhost.Options{})
	for e := range plain.Prompt(t.Context(), launch.Block{Text: "say a\nsleep 300ms"}) {
		if e.Kind == launch.Text {
			if err := plain.Guide(t.Context(), launch.Block{Text: "more"}); !errors.Is(err, launch.ErrUnsupported) {
				t.Errorf("a client that takes nothing: %v", err)
			}
		}
	}
}

func TestOptionsAreSetFromAfar(t *testing.T) {
	t.Parallel()
	s := newMachine(t).open(one, vmhost.Options{})
	if err := s.Set(t.Context(), "mode", "plan"); err != nil {
		t.Fatal(err)
	}
	if said, _ := turn(t, s, "option mode"); said != "plan" {
		t.Errorf("the agent has %q", said)
	}
	if err := s.Set(t.Context(), "mode", "no-such-mode"); !errors.Is(err, launch.ErrFault) {
		t.Errorf("a value that there is not: %v", err)
	}
}

// What changes of connectors is told there, and what there is now is said here.
func TestConnectorsFromAfar(t *testing.T) {
	t.Parallel()
	with := one
	with.Connectors = &connector.Context{EnabledConnectors: []string{"crm"}, Hints: []connector.Hint{{Key: "crm"}, {Key: "mail"}}}
	now := with.Connectors.Hints
	s := newMachine(t).open(with, vmhost.Options{Hints: func(context.Context) []connector.Hint { return now }})
	say := func(keys ...string) (said string) {
		blocks := []launch.Block{{Text: "show"}}
		for _, key := range keys {
			blocks = append(blocks, launch.Block{Connector: key})
		}
		for e := range s.Prompt(t.Context(), blocks...) {
			said += e.Text
		}
		return said
	}
	first, second := say("crm"), say("crm", "mail")
	now = append(now, connector.Hint{Key: "wiki"})
	third := say("crm", "mail")
	const notice = "Connector(s) enabled: mail."
	if strings.Contains(first, notice) || !strings.Contains(second, notice) || strings.Contains(third, notice) || !strings.Contains(third, "wiki") {
		t.Errorf("told:\n%s\n%s\n%s", first, second, third)
	}
}

// Whoever holds the client admits each turn, and may have another session take the place of the one that runs.
func TestTurnsAreAdmittedFromAfar(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	var next *core.Session
	var refused error
	asked := 0
	s := m.open(one, vmhost.Options{Admit: func(context.Context) (*core.Session, error) { asked++; return next, refused }})
	pid, _ := turn(t, s, "pid")
	if again, _ := turn(t, s, "pid"); again != pid || asked != 2 {
		t.Errorf("nothing has changed, and the client is another, or was asked for %d times", asked)
	}
	changed := one
	changed.Agent.Instructions = "Look twice 51c2."
	next = &changed
	if said, _ := turn(t, s, "show\npid"); !strings.Contains(said, "Look twice 51c2.") || strings.HasSuffix(said, pid) {
		t.Errorf("the session that was changed does not run: %s", said)
	}
	for name, change := range map[string]func(*core.Session){
		"outside the mapping": func(s *core.Session) { s.Cwd = "/etc" }, "another session": func(s *core.Session) { s.ID = "two" },
	} {
		other := one
		change(&other)
		next = &other
		if _, last := turn(t, s, "say x"); last.Kind != launch.Error {
			t.Errorf("%s: %+v", name, last)
		}
	}
	next = nil
	if said, _ := turn(t, s, "say on"); said != "on" {
		t.Errorf("after what was refused it says %q", said)
	}
	refused = errors.New("not now")
	if _, last := turn(t, s, "say x"); !errors.Is(last.Err, refused) {
		t.Errorf("a turn that was not admitted: %+v", last)
	}
}
