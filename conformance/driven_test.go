package conformance_test

import (
	"context"
	"fmt"
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
		switch c.name {
		case "codex":
			g.driveCodex(p, "first-prompt", "second-prompt")
		case "claude":
			g.driveClaude(p, "first-prompt", "second-prompt")
		}
		for _, turn := range s.turns(2) {
			g.oursOnce(p, turn)
			s.counts(s.text(turn), map[string]int{userInstructions: 1, userSkill: 1, "first-prompt": 1})
		}
		g.cleanup(session)
		g.nothingLeft()
		s.unchanged("the home", home, s.take(s.home), c.ownState()...)
	})
}

// driveCodex speaks to the app server, which also has to list our skills without an error.
func (g *greenroom) driveCodex(p *core.Prepared, prompts ...string) {
	g.Helper()
	d := g.talk(p, "app-server")
	id := 0
	call := func(method string, params map[string]any) map[string]any {
		g.Helper()
		id++
		g.send(d, map[string]any{"id": id, "method": method, "params": params})
		answer := g.until(d, func(m map[string]any) bool { return m["id"] == float64(id) && m["method"] == nil })
		if answer["error"] != nil {
			g.Fatalf("%s: %v", method, answer["error"])
		}
		result, _ := answer["result"].(map[string]any)
		return result
	}
	call("initialize", map[string]any{"clientInfo": map[string]any{"name": "greenroom", "version": "0"}})
	g.send(d, map[string]any{"method": "initialized"})

	seen := map[string]int{}
	data, _ := call("skills/list", map[string]any{"cwds": []string{g.cwd}})["data"].([]any)
	for _, entry := range data {
		entry, _ := entry.(map[string]any)
		if errs, _ := entry["errors"].([]any); len(errs) > 0 {
			g.Errorf("the client refuses a skill: %v", errs)
		}
		skills, _ := entry["skills"].([]any)
		for _, skill := range skills {
			skill, _ := skill.(map[string]any)
			seen[fmt.Sprint(skill["name"])]++
		}
	}
	for _, skill := range p.Skills {
		if seen[skill.Name] != 1 {
			g.Errorf("the client lists %s %d times", skill.Name, seen[skill.Name])
		}
	}

	thread, _ := call("thread/start", map[string]any{
		"cwd": g.cwd, "approvalPolicy": "never", "sandbox": "danger-full-access",
	})["thread"].(map[string]any)
	for _, prompt := range prompts {
		call("turn/start", map[string]any{
			"threadId": thread["id"], "input": []any{map[string]any{"type": "text", "text": prompt}},
		})
		g.until(d, func(m map[string]any) bool { return m["method"] == "turn/completed" })
	}
	if err := d.Close(); err != nil {
		g.Error(err)
	}
}

// driveClaude speaks in stream-json.
func (g *greenroom) driveClaude(p *core.Prepared, prompts ...string) {
	g.Helper()
	d := g.talk(p, append(claudeFlags(), "--input-format", "stream-json")...)
	for _, prompt := range prompts {
		g.send(d, map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}})
		result := g.until(d, func(m map[string]any) bool { return m["type"] == "result" })
		if result["is_error"] != false {
			g.Fatalf("the turn failed: %v", result)
		}
	}
	if err := d.Close(); err != nil {
		g.Error(err)
	}
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
