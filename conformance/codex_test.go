package conformance_test

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	codexadapter "github.com/greenroom-agents/greenroom/providers/codex"
)

var codex = client{
	name: "codex", adapter: codexadapter.Adapter{}, protocol: upstream.Responses, home: ".codex", instructions: "AGENTS.md",
	sharedSkills: true,
	seed: func(s *stage) {
		rig.Write(s, s.inHome(".codex/AGENTS.md"), userInstructions+"\n")
		rig.WriteSkill(s, s.inHome(".codex/skills/user-notes"), "user-notes", userSkill, "body of "+userSkill)
		rig.WriteSkill(s, s.inHome(".agents/skills/shared-notes"), "shared-notes", sharedSkill, "body of "+sharedSkill)
		rig.Write(s, s.inHome(".codex/auth.json"), s.fixture("codex-auth-apikey.json"))
		rig.Write(s, s.inHome(".codex/hooks.json"), encode(s, preToolHook(s.marker("user-hook"))))
		rig.Write(s, s.inHome(".codex/config.toml"), codexConfig(s))
		rig.Write(s, s.inProject("AGENTS.md"), projectInstructions+"\n")
		rig.WriteSkill(s, s.inProject(".agents/skills/project-notes"), "project-notes", projectSkill, "body")
	},
	credentials: func(*stage) []string { return []string{"LAB_KEY=" + userSecret} },
	provider: func(s *stage) []string {
		return []string{
			"-c", `model="scripted-model"`, "-c", `model_provider="lab"`, "-c", `model_providers.lab.name="Lab"`,
			"-c", `model_providers.lab.env_key="LAB_KEY"`, "-c", fmt.Sprintf("model_providers.lab.base_url=%q", s.up.BaseURL()),
		}
	},
	turn: func(prompt string, flags ...string) []string {
		return append(append(codexFlags(), flags...), prompt)
	},
	resume: func(thread, prompt string) []string { return append(codexFlags(), "resume", thread, prompt) },
	shell: func(command string) upstream.Step {
		return upstream.Use("exec_command", map[string]any{"cmd": command})
	},
	thread: func(stdout string) (string, error) { return field(stdout, "thread_id") },
	failed: func(r rig.Result) error { return r.Err },
	settingKept: func(s *stage, turns []upstream.Request) bool {
		return turns[0].Header.Get("X-User-Setting") == "kept"
	},
	load: func(s *stage, skill string) (string, int) { // a person names the skill, and the client sends it
		s.up.Script(upstream.Say("done"))
		return "use $" + skill, 1
	},
	addServer: func(s *stage, command string) {
		rig.Write(s, s.inHome(".codex/config.toml"), codexConfig(s)+"\n[mcp_servers.other_server]\ncommand = \""+command+"\"\n")
	},
	drive: (*greenroom).driveCodex,
	spoil: func(g *greenroom, p *core.Prepared) {
		rig.Write(g, filepath.Join(codexHome(g, p), "config.toml"), "no_such_key_51c2 = true\n")
	},
	// Those of its package and its home. No setting takes them away.
	ownPath: func(p *core.Prepared, dir string) bool {
		return strings.HasSuffix(dir, "/codex-path") || strings.HasPrefix(dir, p.Dir+"/")
	},
}

// codexFlags run one turn without a person. The user's hooks count as trusted, so that a case can tell whether they
// came along.
func codexFlags() []string {
	return []string{
		"exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust",
		"-c", `approval_policy="never"`, "-c", `sandbox_mode="danger-full-access"`,
	}
}

// codexConfig is the user's configuration: a provider of their own and an MCP server.
func codexConfig(s *stage) string {
	return fmt.Sprintf(`model = "scripted-model"
model_provider = "lab"

[model_providers.lab]
name = "Lab"
base_url = %q
env_key = "LAB_KEY"
http_headers = { "X-User-Setting" = "kept" }

[mcp_servers.user_server]
command = %q
`, s.up.BaseURL(), s.marker("user-server"))
}

// codexHome is where the session's CODEX_HOME points.
func codexHome(g *greenroom, p *core.Prepared) string {
	g.Helper()
	for _, v := range p.Env {
		if v.Name == "CODEX_HOME" {
			return v.Value
		}
	}
	g.Fatal("the session sets no CODEX_HOME")
	return ""
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
