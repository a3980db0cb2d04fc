package conformance_test

import (
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
