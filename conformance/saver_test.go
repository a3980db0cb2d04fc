package conformance_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The worker of a session in saver mode is the one that the client gives a task to, whatever role of that name the user
// has, with the model and the instructions that the session says. The user's other roles stay.
func TestC224_C225_C227_SaverGivesWorkToItsWorker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ config, role string }{
		"no role of the user's":         {"", ""},
		"a role in the configuration":   {"\n[agents.\"default\"]\ndescription = \"\"\"\ntheirs\n\"\"\"\nnickname_candidates = [\"a\", \"b\"]\nconfig_file = \"agents/theirs.toml\"\n", ""},
		"a role in one line":            {"\n[agents]\ndefault = { description = \"theirs\", config_file = \"agents/theirs.toml\" }\n", ""},
		"a role of its own file":        {"", "default"},
		"one in both, of the same name": {"\n[agents.default]\ndescription = \"theirs\"\nconfig_file = \"agents/theirs.toml\"\n", "default"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spawn := upstream.Step{Text: "handing over", Calls: []upstream.Call{
				{Namespace: "multi_agent_v1", Name: "spawn_agent", Input: map[string]any{"message": "bounded-task-51c2"}},
			}}
			// Whoever asks next waits, so that the worker has asked before the session ends.
			s := newStage(t, codex, spawn, codex.shell("sleep 3"), codex.shell("sleep 3"), upstream.Say("done"), upstream.Say("done"))
			role := func(name, file string) {
				rig.Write(t, s.inHome(".codex/agents/"+file), "name = \""+name+"\"\ndescription = \"role of the user\"\n"+
					"developer_instructions = \"told-by-the-user-51c2\"\nmodel = \"model-of-the-user\"\n")
			}
			role("reviewer", "reviewer.toml")
			if c.role != "" {
				role(c.role, "mine.toml")
			}
			role("theirs", "theirs.toml")
			rig.Write(t, s.inHome(".codex/config.toml"), codexConfig(s)+c.config)
			g := s.open()
			session := g.session("saver", core.Desktop)
			session.Saver = &core.Saver{Model: "cheap-model"}
			p := g.prepare(session)
			result := g.run(p, codex.turn("first-prompt")...)
			if strings.Contains(result.Stderr, "malformed") {
				t.Errorf("the client passes over a role: %s", tail(result.Stderr))
			}

			turns := s.up.Turns()
			first := s.text(turns[0])
			s.counts(first, map[string]int{"## Saver mode": 1, "You are the worker of a session.": 0})
			if tools := string(turns[0].Body); !strings.Contains(tools, "reviewer") {
				t.Error("C227: the user's other role is gone")
			}
			workers := 0
			for _, r := range turns {
				if r.Header.Get("X-Openai-Subagent") == "" {
					continue
				}
				workers++
				if body := string(r.Body); !strings.Contains(body, `"model":"cheap-model"`) {
					t.Errorf("the worker has another model: %.60s", body)
				}
				s.counts(s.text(r), map[string]int{"You are the worker of a session.": 1, "told-by-the-user-51c2": 0, "bounded-task-51c2": 1})
			}
			if workers == 0 {
				t.Errorf("no worker asked, of %d requests", len(turns))
			}
		})
	}
}

// On a plan the worker's model is one of the plan's, and every request of either goes to the plan's endpoint.
func TestC224_SaverOnAPlan(t *testing.T) {
	t.Parallel()
	spawn := upstream.Step{Text: "handing over", Calls: []upstream.Call{
		{Namespace: "multi_agent_v1", Name: "spawn_agent", Input: map[string]any{"message": "bounded-task-51c2"}},
	}}
	s := newStage(t, codex, spawn, codex.shell("sleep 3"), codex.shell("sleep 3"), upstream.Say("done"), upstream.Say("done"))
	g := s.open()
	session := g.session("saver-plan", core.Desktop)
	session.Saver = &core.Saver{Model: "plan-small"}
	session.Endpoint = &modelendpoint.Endpoint{
		Protocol: preparer.Responses, BaseURL: s.up.BaseURL(), Key: modelendpoint.NewKey("plan-key-51c2"),
		Models: []modelendpoint.Model{{ID: "plan-large"}, {ID: "plan-small"}},
	}
	g.run(g.prepare(session), codex.turn("first-prompt")...)
	models := map[string]int{}
	for _, r := range s.up.Turns() {
		if got := r.Header.Get("Authorization"); got != "Bearer plan-key-51c2" {
			t.Errorf("a request has the credential %q", got)
		}
		var body struct{ Model string }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		models[body.Model]++
		if worker := r.Header.Get("X-Openai-Subagent") != ""; worker != (body.Model == "plan-small") {
			t.Errorf("asked by the worker: %v, with model %s", worker, body.Model)
		}
	}
	if models["plan-large"] == 0 || models["plan-small"] == 0 || len(models) != 2 {
		t.Errorf("models are asked as %v", models)
	}
}
