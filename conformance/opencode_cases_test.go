package conformance_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// A hand-written configuration with comments, references and ordered rules works in a session as it does without, and
// stays as it is.
func TestC256_FullOpenCodeConfig(t *testing.T) {
	t.Parallel()
	s := newStage(t, opencode, opencode.shell("rm nothing-51c2"), upstream.Say("done"))
	config := strings.ReplaceAll(s.fixture("opencode-user.jsonc"), "http://127.0.0.1:9/v1", s.up.BaseURL())
	rig.Write(t, s.inHome(".config/opencode/opencode.json"), config)
	rig.Write(t, s.inHome(".config/opencode/note.txt"), "note-51c2\n")
	s.environ = append(s.environ, "SHELF_KEY="+userSecret)
	g := s.open(tool)
	home := s.take(s.home)
	session := g.session("full", core.Desktop)
	p := g.prepare(session)
	g.run(p, opencode.turn("hello")...)

	turns := s.turns(2)
	g.oursByName(p, turns[0])
	s.counts(s.text(turns[0]), map[string]int{userInstructions: 1, projectInstructions: 1})
	for name, want := range map[string]string{"Authorization": "Bearer " + userSecret, "X-Note": "note-51c2"} {
		if got := turns[0].Header.Get(name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
	if results, err := turns[1].ToolResults(); err != nil || len(results) != 1 || !strings.Contains(results[0], "deny") {
		t.Errorf("the user's rule does not hold: %q, %v", results, err)
	}
	g.cleanup(session)
	g.nothingLeft()
	s.unchanged("the home", home, s.take(s.home), opencode.ownState()...)
}

// A user who is asked before each command is not asked before those that the session has, and still before others.
func TestC157_C158_OpenCodeRunsWhatTheSessionHas(t *testing.T) {
	t.Parallel()
	s := newStage(t, opencode, opencode.shell("tutti issue get --id 1"), opencode.shell("tutti issue get; other-51c2"), upstream.Say("done"))
	s.userConfig(object{"permission": object{"bash": "ask"}})
	g := s.open(tool, onlyOpenCode)
	p := g.prepare(g.session("rules", core.Desktop))
	d := g.talk(p, "acp")
	g.send(d, object{"jsonrpc": "2.0", "id": "1", "method": "initialize", "params": object{"protocolVersion": 1, "clientCapabilities": object{}}})
	g.send(d, object{"jsonrpc": "2.0", "id": "2", "method": "session/new", "params": object{"cwd": g.cwd, "mcpServers": []any{}}})
	created := g.until(d, func(m map[string]any) bool { return m["id"] == "2" })["result"].(object)
	g.send(d, object{"jsonrpc": "2.0", "id": "3", "method": "session/prompt", "params": object{
		"sessionId": created["sessionId"], "prompt": []any{object{"type": "text", "text": "hello"}}}})
	asked := g.until(d, func(m map[string]any) bool { return m["method"] == "session/request_permission" || m["id"] == "3" })
	if !strings.Contains(encode(t, asked), "other-51c2") {
		t.Errorf("the client asked %v", asked)
	}
	g.send(d, object{"jsonrpc": "2.0", "id": asked["id"], "result": object{"outcome": object{"outcome": "selected", "optionId": "reject"}}})
	g.until(d, func(m map[string]any) bool { return m["id"] == "3" })
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for _, turn := range s.up.Turns()[1:2] {
		if results, err := turn.ToolResults(); err != nil || len(results) != 1 || !strings.Contains(results[0], "host-tool-51c2") {
			t.Errorf("the host's tool gave %q, %v", results, err)
		}
	}
}

// The project's own skills and instructions reach a session on an endpoint, although its configuration does not; what a
// tool of the user's could do there is said.
func TestC256_ProjectOnAnEndpoint(t *testing.T) {
	t.Parallel()
	s := newStage(t, opencode, upstream.Say("done"))
	rig.WriteSkill(t, s.inProject(".opencode/skills/own-notes"), "own-notes", "own-skill-51c2", "body")
	s.projectConfig("opencode.json", object{"mcp": object{"x": object{"type": "local", "command": []any{s.marker("project-server")}}}})
	rig.Write(t, s.inHome(".config/opencode/tools/mine.js"), "export default { description: 'mine', args: {}, execute: async () => 'x' }\n")
	g := s.open(onlyOpenCode)
	project := s.take(s.cwd)
	session := g.onPlan("project")
	session.Inherit.Preset = core.Automation
	p := g.prepare(session)
	g.run(p, opencode.turn("hello")...)
	turn := s.turns(1)[0]
	g.oursOnce(p, turn)
	s.counts(s.text(turn), map[string]int{
		"own-skill-51c2": 1, projectSkill: 1, projectInstructions: 1, userInstructions: 0, userSkill: 0, sharedSkill: 0,
	})
	if s.marked("project-server") || s.marked("user-server") || s.marked("user-hook") {
		t.Error("a program ran that could read the key")
	}
	for _, code := range []string{"opencode.project-config-left-out", "opencode.key-in-environment", "not_excludable"} {
		if !said(p, code) {
			t.Errorf("the session does not say %s", code)
		}
	}
	g.cleanup(session)
	g.nothingLeft()
	s.unchanged("the project", project, s.take(s.cwd))
}
