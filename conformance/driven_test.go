package conformance_test

import (
	"context"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// A host does not start a client anew for each prompt: it drives one process over standard input and output. Two
// prompts in one process tell the model ours once, and the client itself lists what was prepared.
func TestC256_DrivenByAHost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("first-answer"), upstream.Say("second-answer"))
		g := s.open()
		home := s.take(s.home)
		session := g.session("driven", core.Desktop)
		p := g.prepare(session)
		c.drive(g, p, "first-prompt", "second-prompt")
		for _, turn := range s.turns(2) {
			g.oursOnce(p, turn)
			s.counts(s.text(turn), map[string]int{userInstructions: 1, userSkill: 1, "first-prompt": 1})
		}
		g.cleanup(session)
		g.nothingLeft()
		s.unchanged("the home", home, s.take(s.home), c.ownState()...)
	})
}

func (g *greenroom) talk(p *core.Prepared, args ...string) *rig.Dialog {
	g.Helper()
	cmd, err := p.Command(context.Background(), g.environ, args...)
	if err != nil {
		g.Fatal(err)
	}
	d, err := rig.Talk(cmd, patience)
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { d.Close() })
	return d
}

func (g *greenroom) send(d *rig.Dialog, message any) {
	g.Helper()
	if err := d.Send(message); err != nil {
		g.Fatal(err)
	}
}

func (g *greenroom) until(d *rig.Dialog, wanted func(map[string]any) bool) map[string]any {
	g.Helper()
	message, err := d.Until(wanted)
	if err != nil {
		g.Fatal(err)
	}
	return message
}
