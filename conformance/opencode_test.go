package conformance_test

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	opencodeadapter "github.com/greenroom-agents/greenroom/providers/opencode"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var opencode = client{
	name: "opencode", adapter: opencodeadapter.Adapter{}, protocol: upstream.Chat, home: ".config/opencode",
	instructions: "AGENTS.md", sharedSkills: true, hooks: preparer.Plugins, stays: []preparer.Kind{preparer.ModelSettings},
	entry: "<name>%s</name>",
	seed: func(s *stage) {
		rig.Write(s, s.inHome(".config/opencode/AGENTS.md"), userInstructions+"\n")
		rig.WriteSkill(s, s.inHome(".config/opencode/skills/user-notes"), "user-notes", userSkill, "body of "+userSkill)
		rig.WriteSkill(s, s.inHome(".agents/skills/shared-notes"), "shared-notes", sharedSkill, "body of "+sharedSkill)
		rig.Write(s, s.inHome(".config/opencode/plugins/user-hook.js"), opencodePlugin(s.marker("user-hook")))
		rig.Write(s, s.inHome(".config/opencode/opencode.json"), encode(s, opencodeConfig(s, "user_server")))
		opencodeInstalled(s, s.inHome(".config/opencode"))
		rig.Write(s, s.inProject("AGENTS.md"), projectInstructions+"\n")
		rig.WriteSkill(s, s.inProject(".claude/skills/project-notes"), "project-notes", projectSkill, "body")
	},
	credentials: func(*stage) []string {
		// A person has started the client before, and its catalog is not asked for at each start.
		return []string{"LAB_KEY=" + userSecret, "OPENCODE_DISABLE_MODELS_FETCH=1"}
	},
	provider: func(*stage) []string { return nil },
	turn: func(prompt string, flags ...string) []string {
		return append(append([]string{"run", "--format", "json"}, flags...), prompt)
	},
	resume: func(thread, prompt string) []string {
		return []string{"run", "--format", "json", "--session", thread, prompt}
	},
	shell: func(command string) upstream.Step {
		return upstream.Use("bash", map[string]any{"command": command, "description": "a test"})
	},
	thread: func(stdout string) (string, error) { return field(stdout, "sessionID") },
	failed: func(r rig.Result) error {
		if r.Err == nil && strings.Contains(r.Stdout, `"type":"error"`) {
			return errors.New("the turn failed")
		}
		return r.Err
	},
	settingKept: func(s *stage, turns []upstream.Request) bool {
		return turns[0].Header.Get("X-User-Setting") == "kept"
	},
	load: func(s *stage, skill string) (string, int) { // the model asks for it
		s.up.Script(upstream.Use("skill", map[string]any{"name": skill}), upstream.Say("done"))
		return "hello", 2
	},
	addServer: func(s *stage, _ string) {
		rig.Write(s, s.inHome(".config/opencode/opencode.json"), encode(s, opencodeConfig(s, "user_server", "other_server")))
	},
	drive: (*greenroom).driveOpenCode,
	spoil: func(g *greenroom, p *core.Prepared) {
		rig.Write(g, filepath.Join(p.Dir, "opencode", "opencode.json"), `{"provider": "no-table-51c2"}`)
	},
}

// opencodeConfig is the user's configuration: a provider of their own and MCP servers, each a program that leaves a mark.
func opencodeConfig(s *stage, servers ...string) map[string]any {
	mcp := map[string]any{}
	for _, name := range servers {
		mcp[name] = map[string]any{"type": "local", "command": []any{s.marker(strings.ReplaceAll(name, "_", "-"))}}
	}
	return map[string]any{
		"$schema": "https://opencode.ai/config.json", "model": "lab/scripted-model", "mcp": mcp,
		"provider": map[string]any{"lab": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Lab", "models": map[string]any{"scripted-model": map[string]any{}},
			"options": map[string]any{"baseURL": s.up.BaseURL(), "apiKey": "{env:LAB_KEY}",
				"headers": map[string]any{"X-User-Setting": "kept"}},
		}},
	}
}

// opencodePlugin runs a program before every tool.
func opencodePlugin(program string) string {
	return `import { execFileSync } from "node:child_process"
export const mark = async () => ({ "tool.execute.before": async () => { execFileSync("` + program + `") } })
`
}

// opencodeInstalled makes a directory look as the client leaves it after its first start with a network.
func opencodeInstalled(s *stage, dir string) {
	s.Helper()
	rig.Write(s, filepath.Join(dir, "node_modules", ".package-lock.json"), "{}")
	rig.Write(s, filepath.Join(dir, "package-lock.json"), `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`)
}

// driveOpenCode speaks the agent client protocol.
func (g *greenroom) driveOpenCode(p *core.Prepared, prompts ...string) {
	g.Helper()
	d := g.talk(p, "acp")
	id := 0
	call := func(method string, params map[string]any) map[string]any {
		g.Helper()
		id++
		g.send(d, map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		answer := g.until(d, func(m map[string]any) bool { return m["id"] == float64(id) && m["method"] == nil })
		if answer["error"] != nil {
			g.Fatalf("%s: %v", method, answer["error"])
		}
		result, _ := answer["result"].(map[string]any)
		return result
	}
	call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{}})
	session := call("session/new", map[string]any{"cwd": g.cwd, "mcpServers": []any{}})
	for _, prompt := range prompts {
		result := call("session/prompt", map[string]any{
			"sessionId": session["sessionId"], "prompt": []any{map[string]any{"type": "text", "text": prompt}},
		})
		if result["stopReason"] != "end_turn" {
			g.Fatalf("the turn ended with %v", result)
		}
	}
	if err := d.Close(); err != nil {
		g.Error(err)
	}
}
