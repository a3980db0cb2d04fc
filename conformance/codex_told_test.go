package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// A skill of the user's about browsers stays in a session that may use the browser, once, beside ours. Other hosts take it
// out; what a person set up is theirs, and ours have names of their own.
func TestC220_CodexKeepsTheUsersBrowserSkill(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex, upstream.Say("done"))
	rig.WriteSkill(t, s.inHome(".codex/skills/browser"), "browser", "browser-of-the-user-51c2", "body")
	g := s.open(tool)
	session := g.session("browser", core.Desktop)
	session.BrowserUse = true
	p := g.prepare(session)
	ours := 0
	for _, skill := range p.Skills {
		if skill.Name == "browser" {
			t.Error("ours has the name of the user's")
		}
		if strings.Contains(skill.Name, "browser") {
			ours++
		}
	}
	if ours == 0 {
		t.Errorf("the session may not use the browser: it has the skills %v", p.Skills)
	}
	g.run(p, codex.turn("hello")...)
	turn := s.turns(1)[0]
	g.oursByName(p, turn)
	s.counts(s.text(turn), map[string]int{"browser-of-the-user-51c2": 1})
}

// The key of a provider of the user's may stand in the file of variables that the client reads in its home. It comes along
// by a link, where their provider does, and a session on an endpoint has none of it.
func TestC210_CodexReadsTheUsersVariables(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex, upstream.Say("first"), upstream.Say("second"))
	s.environ = without(s.environ, "LAB_KEY")
	rig.Write(t, s.inHome(".codex/.env"), "LAB_KEY=in-the-file-51c2\n")
	g := s.open()
	home := s.take(s.home)
	plain, plan := g.session("plain", core.Desktop), g.onPlan("plan")
	for _, session := range []core.Session{plain, plan} {
		p := g.prepare(session)
		info, err := os.Lstat(filepath.Join(codexHome(g, p), ".env"))
		if want := session.ID == "plain"; (err == nil) != want || want && info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: the file of variables: %v, %v", session.ID, info, err)
		}
		g.run(p, codex.turn("hello")...)
	}
	for i, turn := range s.turns(2) {
		if got, want := credentials(turn), []string{"Bearer in-the-file-51c2", "Bearer " + planKey}[i]; got != want {
			t.Errorf("asked with %q, want %q", got, want)
		}
	}
	s.unchanged("the home", home, s.take(s.home), codex.ownState()...)
}
