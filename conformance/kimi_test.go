package conformance_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	kimiadapter "github.com/greenroom-agents/greenroom/providers/kimi"
)

var kimi = client{
	name: "kimi", adapter: kimiadapter.Adapter{}, protocol: upstream.Chat, home: ".kimi-code", instructions: "AGENTS.md",
	sharedSkills: true,
	seed: func(s *stage) {
		rig.Write(s, s.inHome(".kimi-code/AGENTS.md"), userInstructions+"\n")
		rig.WriteSkill(s, s.inHome(".kimi-code/skills/user-notes"), "user-notes", userSkill, "body of "+userSkill)
		rig.WriteSkill(s, s.inHome(".agents/skills/shared-notes"), "shared-notes", sharedSkill, "body of "+sharedSkill)
		rig.Write(s, s.inHome(".kimi-code/config.toml"), kimiConfig(s))
		rig.Write(s, s.inHome(".kimi-code/mcp.json"), encode(s, kimiServers(s, "user_server", s.marker("user-server"))))
		rig.Write(s, s.inProject("AGENTS.md"), projectInstructions+"\n")
		rig.WriteSkill(s, s.inProject(".kimi-code/skills/project-notes"), "project-notes", projectSkill, "body")
	},
	credentials: func(*stage) []string {
		return []string{"LAB_KEY=" + userSecret, "KIMI_DISABLE_TELEMETRY=1"}
	},
	provider: func(s *stage) []string {
		s.environ = append(s.environ, "KIMI_MODEL_NAME=scripted-model", "KIMI_MODEL_API_KEY="+userSecret,
			"KIMI_MODEL_PROVIDER_TYPE=openai", "KIMI_MODEL_BASE_URL="+s.up.BaseURL())
		return nil
	},
	turn: func(prompt string, flags ...string) []string {
		return append(append(kimiFlags(), flags...), "-p", prompt)
	},
	resume: func(thread, prompt string) []string {
		return append(kimiFlags(), "-S", thread, "-p", prompt)
	},
	reminders: 1, // in print mode, that nobody is asked
	shell: func(command string) upstream.Step {
		return upstream.Use("Bash", map[string]any{"command": command})
	},
	thread: func(stdout string) (string, error) { return field(stdout, "session_id") },
	failed: func(r rig.Result) error { return r.Err },
	settingKept: func(s *stage, turns []upstream.Request) bool {
		return turns[0].Header.Get("X-User-Setting") == "kept"
	},
	load: func(s *stage, skill string) (string, int) { // the model asks for it
		s.up.Script(upstream.Use("Skill", map[string]any{"skill": skill}), upstream.Say("done"))
		return "use a skill", 2
	},
	addServer: func(s *stage, command string) {
		servers := kimiServers(s, "user_server", s.marker("user-server"), "other_server", command)
		rig.Write(s, s.inHome(".kimi-code/mcp.json"), encode(s, servers))
	},
	drive: (*greenroom).driveKimi,
	spoil: func(g *greenroom, p *core.Prepared) {
		rig.Write(g, filepath.Join(p.Dir, "kimi", "config.toml"), "[[hooks]]\nevent = \"PreToolUse\"\nno_such_key_51c2 = true\n")
	},
}

// kimiFlags run one turn without a person.
func kimiFlags() []string { return []string{"--output-format", "stream-json"} }

// kimiConfig is the user's configuration: a provider of their own and a hook.
func kimiConfig(s *stage) string {
	return fmt.Sprintf(`default_model = "lab/scripted-model"

[providers.lab]
type = "openai"
base_url = %q
api_key_env = "LAB_KEY"
custom_headers = { "X-User-Setting" = "kept" }

[models."lab/scripted-model"]
provider = "lab"
model = "scripted-model"
max_context_size = 131072
capabilities = ["tool_use"]

[[hooks]]
event = "PreToolUse"
matcher = "Bash"
command = %q
`, s.up.BaseURL(), s.marker("user-hook"))
}

// kimiTrust trusts the project in a home of the client.
func kimiTrust(s *stage, home string) {
	s.Helper()
	key := fmt.Sprintf("wd_%s_%x", filepath.Base(s.cwd), sha256.Sum256([]byte(s.cwd)))
	rig.Write(s, filepath.Join(home, "workspace-trust", key[:len("wd_project_")+12]), encode(s, map[string]any{"root": s.cwd, "trustedAt": 1}))
}

// kimiServers is a file of MCP servers, by name and command.
func kimiServers(s *stage, pairs ...string) map[string]any {
	s.Helper()
	servers := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		servers[pairs[i]] = map[string]any{"command": pairs[i+1]}
	}
	return map[string]any{"mcpServers": servers}
}

// driveKimi speaks ACP, and the client lists our skills among its commands.
func (g *greenroom) driveKimi(p *core.Prepared, prompts ...string) {
	g.Helper()
	listed := map[string]int{}
	g.overACP(p, func(m map[string]any) {
		if update, ok := dig(m, "params", "update").(map[string]any); ok && update["sessionUpdate"] == "available_commands_update" {
			clear(listed)
			commands, _ := update["availableCommands"].([]any)
			for _, c := range commands {
				name := fmt.Sprint(dig(c, "name"))
				listed[name[strings.LastIndexByte(name, ':')+1:]]++
			}
		}
	}, prompts...)
	for _, skill := range p.Skills {
		if listed[skill.Name] != 1 {
			g.Errorf("the client lists %s %d times", skill.Name, listed[skill.Name])
		}
	}
}

// overACP says prompts in one process, in the plain protocol, and gives what the client wrote to its standard error. see
// gets each message of the client's.
func (g *greenroom) overACP(p *core.Prepared, see func(map[string]any), prompts ...string) (stderr string) {
	g.Helper()
	d := g.talk(p, "acp")
	id := 0
	call := func(method string, params map[string]any) map[string]any {
		g.Helper()
		id++
		g.send(d, map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		answer := g.until(d, func(m map[string]any) bool {
			see(m)
			return m["id"] == float64(id) && m["method"] == nil
		})
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
	return d.Stderr()
}

// dig is what stands below keys of decoded JSON, or nil.
func dig(v any, keys ...string) any {
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}
