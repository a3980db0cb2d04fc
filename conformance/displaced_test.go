package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// owned is a model setting of the user's, by its name in the report, and what shows that it has an effect.
type owned struct {
	name   string
	shown  func(s *stage, r upstream.Request) bool
	yields bool // on an endpoint it has none
}

// says finds a text in the body of a request.
func says(text string) func(*stage, upstream.Request) bool {
	return func(_ *stage, r upstream.Request) bool { return strings.Contains(string(r.Body), text) }
}

// asksWith finds a header.
func asksWith(name, value string) func(*stage, upstream.Request) bool {
	return func(_ *stage, r upstream.Request) bool { return r.Header.Get(name) == value }
}

// ownSettings are what a user of each client has set, beside what the stage has of theirs.
var ownSettings = map[string]struct {
	set  func(*stage)
	list []owned
}{
	"codex": {func(s *stage) {
		rig.Write(s, s.inHome(".codex/config.toml"), "model_reasoning_effort = \"high\"\nservice_tier = \"flex\"\nweb_search = \"live\"\n"+codexConfig(s)+
			"[agents.mender]\ndescription = \"mender-51c2\"\nconfig_file = \"mender.toml\"\n")
		rig.Write(s, s.inHome(".codex/mender.toml"), "developer_instructions = \"mend\"\n")
	}, []owned{
		{"model", says(`"model":"scripted-model"`), true}, {"lab", asksWith("X-User-Setting", "kept"), true},
		{"model_provider", asksWith("X-User-Setting", "kept"), true},
		{"model_reasoning_effort", says(`"effort":"high"`), false}, {"service_tier", says(`"service_tier":"flex"`), true},
		{"web_search", says(`"external_web_access":true`), true},
		{"mender", says("mender-51c2"), false},
	}},
	"kimi": {func(s *stage) {
		rig.Write(s, s.inHome(".kimi-code/config.toml"), "extra_agent_dirs = [\""+s.inHome("more-agents")+"\"]\n"+
			strings.Replace(kimiConfig(s), `["tool_use"]`, `["tool_use", "thinking"]`, 1)+"[thinking]\nmode = \"on\"\neffort = \"high\"\n")
		rig.Write(s, s.inHome("more-agents/mender.md"), "---\nname: mender\ndescription: mender-51c2\n---\nmend\n")
	}, []owned{
		{"default_model", says(`"model":"scripted-model"`), true}, {"lab/scripted-model", says(`"model":"scripted-model"`), true},
		{"lab", asksWith("X-User-Setting", "kept"), true}, {"thinking", says(`"reasoning_effort":"high"`), true},
		{"extra_agent_dirs", says("mender-51c2"), false},
	}},
	"opencode": {func(s *stage) {
		config := opencodeConfig(s, "user_server")
		config["small_model"] = "lab/scripted-model"
		config["agent"] = map[string]any{"build": map[string]any{"prompt": "mender-51c2"}}
		rig.Write(s, s.inHome(".config/opencode/opencode.json"), encode(s, config))
	}, []owned{
		{"model", says(`"model":"scripted-model"`), true}, {"small_model", says(`"model":"scripted-model"`), true},
		{"lab", asksWith("X-User-Setting", "kept"), true}, {"build", says("mender-51c2"), false},
	}},
	"claude": {func(s *stage) {
		rig.Write(s, s.inHome(".claude/settings.json"), encode(s, map[string]any{
			"model": "claude-opus-4-8", "apiKeyHelper": s.helper(), "outputStyle": "Explanatory",
			"env": map[string]any{"ANTHROPIC_CUSTOM_HEADERS": "X-User-Setting: kept", "ANTHROPIC_API_KEY": "evil-51c2"},
		}))
	}, []owned{
		{"model", says(`"model":"claude-opus-4-8"`), true}, {"ANTHROPIC_CUSTOM_HEADERS", asksWith("X-User-Setting", "kept"), true},
		{"ANTHROPIC_API_KEY", asksWith("X-Api-Key", "evil-51c2"), true},
		{"apiKeyHelper", func(s *stage, _ upstream.Request) bool { return s.marked("helper") }, true},
		{"outputStyle", says("Output Style: Explanatory"), false},
	}},
}

// What the report says of each of the user's own model settings is what the client does with it: without an endpoint all
// have an effect, and on one those that it stands in the place of have none.
func TestC256_TheReportOfSettingsOnAnEndpointIsTrue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		for name, bound := range map[string]bool{"their own": false, "on an endpoint": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, c, upstream.Say("done"))
				theirs := ownSettings[c.name]
				theirs.set(s)
				g := s.open()
				session := g.session("settings", core.Desktop)
				if bound {
					session = g.onPlan("settings")
				}
				p := g.prepare(session)
				g.run(p, c.turn("hello")...)
				turn := s.turns(1)[0]
				for _, o := range theirs.list {
					want := core.CameAlong
					if bound && o.yields {
						want = core.Displaced
					}
					i := slices.IndexFunc(p.Inherited, func(i core.Inherited) bool { return i.Kind == preparer.ModelSettings && i.Name == o.name })
					if i < 0 {
						t.Errorf("%s is not in the report: %v", o.name, p.Inherited)
						continue
					}
					if got := p.Inherited[i].State; got != want {
						t.Errorf("%s is reported as %s, want %s", o.name, got, want)
					}
					if got := o.shown(s, turn); got != (want == core.CameAlong) {
						t.Errorf("%s has an effect: %v, and is reported as %s", o.name, got, p.Inherited[i].State)
					}
				}
				if t.Failed() {
					t.Logf("asked with %v: %.200s ... %s", turn.Header, turn.Body, turn.Body[max(0, len(turn.Body)-700):])
				}
			})
		}
	})
}
