package conformance_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	claudeReady  = "? for shortcuts"
	claudeAnswer = "answer-51c2"
	// The keys of a terminal.
	enter, down = "\r", "\x1b[B"
)

// claudeDialogs are the words on what the client asks at its start, and the gate of the descriptor that each belongs to.
var claudeDialogs = map[string]string{
	"Choose the text style": "onboarding", "Security notes": "onboarding", "Accessing workspace": "folder-trust",
	"Select login method": "login", "Detected a custom API key": "key", "MCP server found": "project-servers", "external imports": "imports",
}

// sit starts the client on a terminal, as a person does, without some variables of the session.
func (g *greenroom) sit(p *core.Prepared, off ...string) *rig.Terminal {
	g.Helper()
	g.environ = append(slices.DeleteFunc(g.environ, func(kv string) bool { return strings.HasPrefix(kv, "TERM=") }), "TERM=xterm-256color")
	cmd, err := p.Command(g.Context(), g.environ)
	if err != nil {
		g.Fatal(err)
	}
	cmd.Env = slices.DeleteFunc(cmd.Env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(off, name)
	})
	terminal, err := rig.Sit(cmd, patience)
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(terminal.Close)
	return terminal
}

// answered presses the enter key at each dialog until the client is ready, and gives the dialogs' gates.
func (g *greenroom) answered(terminal *rig.Terminal) (gates []string) {
	g.Helper()
	words := []string{claudeReady}
	for word := range claudeDialogs {
		words = append(words, word)
	}
	for {
		word := g.shown(terminal, words...)
		if word == claudeReady {
			return gates
		}
		gates = append(gates, claudeDialogs[word])
		words = slices.DeleteFunc(words, func(other string) bool { return other == word })
		g.press(terminal, enter)
	}
}

func (g *greenroom) shown(terminal *rig.Terminal, words ...string) string {
	g.Helper()
	word, err := terminal.Shows(words...)
	if err != nil {
		g.Fatal(err)
	}
	return word
}

func (g *greenroom) press(terminal *rig.Terminal, keys string) {
	g.Helper()
	if err := terminal.Type(keys); err != nil {
		g.Fatal(err)
	}
}

// knownAtTerminal makes the user one who has been at the client's terminal before, in this project too.
func knownAtTerminal(s *stage) {
	rig.Write(s, s.inHome(".claude.json"), encode(s, object{"hasCompletedOnboarding": true, "theme": "dark",
		"projects": object{s.cwd: object{"hasTrustDialogAccepted": true}}}))
}

// A person at a terminal is asked what the descriptor names, where they have not been asked before, and no login. Nobody is
// asked for trust in a workspace of which the host has said that it is trusted.
func TestC262_ClaudeAsksWhatItsDescriptorNames(t *testing.T) {
	t.Parallel()
	var named []string
	for _, gate := range claude.descriptor().Gates {
		named = append(named, gate.ID)
	}
	for name, c := range map[string]struct {
		before func(*stage)
		trust  preparer.Trust
		gates  []string
	}{
		"newcomer":            {func(*stage) {}, preparer.UserSaidYes, []string{"onboarding"}},
		"newcomer, no trust":  {func(*stage) {}, preparer.NotTrusted, []string{"folder-trust", "onboarding"}},
		"known in the folder": {knownAtTerminal, preparer.NotTrusted, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, claude)
			c.before(s)
			g := s.open()
			session := g.onPlan("terminal")
			session.TrustWorkspace = c.trust
			gates := g.answered(g.sit(g.prepare(session)))
			slices.Sort(gates)
			gates = slices.Compact(gates)
			if diff := cmp.Diff(c.gates, gates); diff != "" {
				t.Errorf("it asks otherwise:\n%s", diff)
			}
			for _, gate := range gates {
				if !slices.Contains(named, gate) {
					t.Errorf("the descriptor does not name %s", gate)
				}
			}
		})
	}
}

// A person at a terminal chooses among the models of the endpoint, and what they say goes there and nowhere else. The home
// stays as it is.
func TestC246_C262_ClaudeOnATerminal(t *testing.T) {
	t.Parallel()
	// It asks for a title too, in either order.
	s := newStage(t, claude, upstream.Say(claudeAnswer), upstream.Say(claudeAnswer))
	knownAtTerminal(s)
	g := s.open()
	session := g.onPlan("terminal")
	p := g.prepare(session)
	home := s.take(s.home)
	terminal := g.sit(p)
	if gates := g.answered(terminal); len(gates) > 0 {
		t.Errorf("it asks %q", gates)
	}
	g.press(terminal, "/model")
	g.shown(terminal, "Set the AI model")
	g.press(terminal, enter)
	g.shown(terminal, "Select model")
	for _, model := range session.Endpoint.Models {
		g.shown(terminal, " "+model.ID+" ")
	}
	for i := 0; !strings.Contains(terminal.Text(), "❯ 6. plan/small"); i++ { // it is the last one
		if i > 9 {
			t.Fatalf("it is not to be chosen:\n%s", terminal.Text())
		}
		g.press(terminal, down)
		time.Sleep(200 * time.Millisecond)
	}
	g.press(terminal, "s") // for this session only
	g.shown(terminal, "Set model to plan/small")
	g.press(terminal, "first-prompt")
	g.shown(terminal, "first-prompt")
	g.press(terminal, enter)
	g.shown(terminal, claudeAnswer)

	asked := map[string]int{}
	for _, r := range s.up.Turns() {
		for _, model := range []string{"plan-large", "plan/small"} {
			if strings.Contains(string(r.Body), `"model":"`+model+`"`) {
				asked[model]++
			}
		}
		if got := credentials(r); got != "Bearer "+planKey {
			t.Errorf("the endpoint is asked with %s", got)
		}
		if strings.Contains(string(r.Body), `"model":"plan/small"`) {
			g.oursOnce(p, r)
			s.counts(s.text(r), map[string]int{userInstructions: 1, userSkill: 1, projectInstructions: 1, "first-prompt": 1})
		}
	}
	if diff := cmp.Diff(map[string]int{"plan-large": 1, "plan/small": 1}, asked); diff != "" { // the title, and the turn
		t.Errorf("the models were asked otherwise:\n%s", diff)
	}
	if hosts := s.proxy.Targets(); len(hosts) > 0 || len(s.thief.Requests()) > 0 {
		t.Errorf("the client wanted to reach %q", hosts)
	}
	terminal.Close()
	g.cleanup(session)
	g.nothingLeft()
	s.unchanged("the home", home, s.take(s.home), claude.ownState()...)
}

// On a terminal the client fetches its vendor's list of plugins, unless the session says no.
func TestC262_ClaudeFetchesNothingOnATerminal(t *testing.T) {
	t.Parallel()
	open := func(off ...string) *stage {
		s := newStage(t, claude)
		knownAtTerminal(s)
		g := s.open()
		g.answered(g.sit(g.prepare(g.onPlan("terminal")), off...))
		return s
	}
	control, s := open("CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL"), open()
	for end := time.Now().Add(patience); len(control.proxy.Targets()) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it fetches nothing with our measure taken away: the case shows nothing")
		}
	}
	time.Sleep(2 * time.Second) // the other one had its time
	if hosts := s.proxy.Targets(); len(hosts) > 0 {
		t.Errorf("the client wanted to reach %q", hosts)
	}
}
