package conformance_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
)

// planKey is the credential of a model endpoint.
const planKey = "plan-key-51c2"

// onPlan is a session on a model endpoint with two models, which is the scripted provider.
func (g *greenroom) onPlan(id string) core.Session {
	session := g.session(id, core.Desktop)
	session.Endpoint = &modelendpoint.Endpoint{
		Name: "Plan 51c2", Protocol: g.client.descriptor().Model.Wire(), BaseURL: g.up.BaseURL(), Key: modelendpoint.NewKey(planKey),
		Models: []modelendpoint.Model{{ID: "plan-large"}, {ID: "plan/small"}},
	}
	return session
}

// A session on an endpoint asks it and nobody else, with its key, and works like any other.
func TestC246_C256_OpenCodeOnAnEndpoint(t *testing.T) {
	t.Parallel()
	c := opencode
	s := newStage(t, c, c.shell("env"), upstream.Say("first-answer"), upstream.Say("second-answer"))
	g := s.open()
	home, project := s.take(s.home), s.take(s.cwd)
	session := g.onPlan("plan")
	p := g.prepare(session)
	thread, err := c.thread(g.run(p, c.turn("first-prompt")...).Stdout)
	if err != nil {
		t.Fatal(err)
	}
	again := g.prepare(session)
	g.run(again, c.resume(thread, "second-prompt")...)

	turns := s.turns(3)
	for _, r := range s.up.Requests() {
		if r.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+planKey ||
			!strings.Contains(string(r.Body), `"model":"plan-large"`) {
			t.Errorf("the endpoint was asked %s with %q", r.Path, r.Header.Get("Authorization"))
		}
	}
	for _, turn := range turns {
		g.oursOnce(p, turn)
		s.counts(s.text(turn), map[string]int{
			userInstructions: 1, userSkill: 1, sharedSkill: 1, projectInstructions: 1, projectSkill: 1, "first-prompt": 1,
		})
	}
	s.counts(s.text(turns[2]), map[string]int{"first-answer": 1, "second-prompt": 1})
	if hosts := s.proxy.Targets(); len(hosts) > 0 {
		t.Errorf("the client wanted to reach %q", hosts)
	}
	if !said(p, "opencode.key-in-environment") {
		t.Error("nothing says that commands see the key")
	}
	g.cleanup(session)
	g.nothingLeft()
	s.unchanged("the home", home, s.take(s.home), c.ownState()...)
	s.unchanged("the project", project, s.take(s.cwd))
}

// What of the user's names a model of theirs asks the endpoint all the same, or the session says that it fails.
func TestC246_OpenCodeHasOnlyTheModelsOfTheEndpoint(t *testing.T) {
	t.Parallel()
	const front = "---\nmodel: lab/scripted-model\ndescription: mends\nmode: primary\n---\nmend-51c2\n"
	file := func(path string) func(*stage) {
		return func(s *stage) { rig.Write(s, s.inHome(".config/opencode/"+path), front) }
	}
	config := func(table, name string) func(*stage) {
		return func(s *stage) {
			config := opencodeConfig(s, "user_server")
			config[table] = map[string]any{name: map[string]any{"model": "lab/scripted-model"}}
			if table == "command" {
				config[table] = map[string]any{name: map[string]any{"model": "lab/scripted-model", "template": "mend-51c2"}}
			}
			rig.Write(s, s.inHome(".config/opencode/opencode.json"), encode(s, config))
		}
	}
	for name, c := range map[string]struct {
		set   func(*stage)
		flags []string
		fails bool
	}{
		"an agent":             {set: config("agent", "build")},
		"a mode":               {set: config("mode", "build")},
		"an agent in a file":   {set: file("agents/build.md")},
		"a mode in a file":     {set: file("modes/build.md")},
		"a command":            {set: config("command", "mend"), flags: []string{"--command", "mend"}, fails: true},
		"a command in a file":  {set: file("commands/mend.md"), flags: []string{"--command", "mend"}, fails: true},
		"an agent in a folder": {set: file("agents/team/mender.md"), flags: []string{"--agent", "team/mender"}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, opencode, upstream.Say("done"))
			c.set(s)
			g := s.open()
			p := g.prepare(g.onPlan("models"))
			cmd, err := p.Command(t.Context(), g.environ, opencode.turn("hello", c.flags...)...)
			if err != nil {
				t.Fatal(err)
			}
			failed := opencode.failed(rig.Run(cmd, patience)) != nil
			if failed != c.fails || said(p, "opencode.models-of-their-own") != c.fails {
				t.Errorf("it failed: %v, and the session says so: %v, want %v", failed, said(p, "opencode.models-of-their-own"), c.fails)
			}
			for _, turn := range s.turns(map[bool]int{false: 1}[c.fails]) {
				if led := s.led(); len(led) > 0 {
					t.Errorf("%v: %.100s", led, turn.Body)
				}
			}
		})
	}
}
