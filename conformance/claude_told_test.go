package conformance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/canon"
)

// The definition of an agent and the way to write for a person who does not program reach the model once, with all else.
func TestC240_ClaudeIsToldOfItsAgentAndOfWhoReads(t *testing.T) {
	t.Parallel()
	agent := canon.Agent{Name: "reviewer-51c2", Description: "reads-changes-51c2", Instructions: "never-approve-alone-51c2"}
	once := map[string]int{agent.Name: 1, agent.Description: 1, agent.Instructions: 1, "The person does not program": 1}
	none := map[string]int{agent.Name: 0, agent.Description: 0, agent.Instructions: 0, "The person does not program": 0}
	s := newStage(t, claude, upstream.Say("first"), upstream.Say("second"))
	g := s.open()
	plain, told := g.session("plain", core.Desktop), g.session("told", core.Desktop)
	told.Agent, told.Detail = agent, core.General
	for _, session := range []core.Session{plain, told} {
		g.run(g.prepare(session), claude.turn("hello")...)
	}
	turns := s.turns(2)
	s.counts(s.text(turns[0]), none)
	s.counts(s.text(turns[1]), once)
	for _, turn := range turns {
		s.counts(s.text(turn), map[string]int{userInstructions: 1, userSkill: 1, projectInstructions: 1})
	}
}

// Whoever has some dozen skills keeps their descriptions whole on the model of a plan. Without the variable of the session
// the client cuts them short there, since it does not know how much such a model reads.
func TestC240_ClaudeListsSkillsWhole(t *testing.T) {
	t.Parallel()
	const many = 50
	s := newStage(t, claude, upstream.Say("cut"), upstream.Say("whole"))
	for i := range many {
		rig.WriteSkill(t, s.inHome(fmt.Sprintf(".claude/skills/many-%d", i)), fmt.Sprintf("many-%d", i),
			strings.Repeat("what it is for and when ", 20)+fmt.Sprintf("end-%d-51c2", i), "body")
	}
	g := s.open()
	p := g.prepare(g.onPlan("many"))
	whole := func(cut bool) (n int) {
		cmd, err := p.Command(t.Context(), g.environ, claude.turn("hello")...)
		if err != nil {
			t.Fatal(err)
		}
		if cut {
			cmd.Env = without(cmd.Env, "SLASH_COMMAND_TOOL_CHAR_BUDGET")
		}
		s.play(cmd)
		turns := s.up.Turns()
		text := s.text(turns[len(turns)-1])
		for i := range many {
			if strings.Contains(text, fmt.Sprintf("end-%d-51c2", i)) {
				n++
			}
		}
		return n
	}
	if n := whole(true); n == many {
		t.Error("without the variable all are whole: the case shows nothing")
	}
	if n := whole(false); n != many {
		t.Errorf("%d of %d descriptions are whole", n, many)
	}
}

// The values of models that a session gives to a host are what the client takes: each reaches the endpoint as the model
// that it stands for, also one that is not the default.
func TestC248_ModelValuesComeBackFromTheClient(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("first"), upstream.Say("second"))
		g := s.open()
		p := g.prepare(g.onPlan("models"))
		want := []string{"plan-large", "plan/small"}
		if len(p.Models.Models) != len(want) {
			t.Fatalf("the session has the models %+v", p.Models)
		}
		for _, m := range p.Models.Models {
			g.run(p, c.turn("hello", "--model", m.ID)...)
		}
		for i, turn := range s.turns(2) {
			if !strings.Contains(string(turn.Body), `"model":"`+want[i]+`"`) {
				t.Errorf("asked with %q, the client does not ask the endpoint for %q", p.Models.Models[i].ID, want[i])
			}
		}
	})
}
