package conformance_test

import (
	"strings"
	"testing"

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
