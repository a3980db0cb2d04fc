package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
)

// client is what the cases need to know of one real client.
type client struct {
	name     string
	protocol upstream.Protocol
	home     string // of the client, below the user's home
	// seed puts the user's set-up in place: instructions, skills, a hook and an MCP server that leave marks, a login.
	seed func(*stage)
	// credentials are variables of the user's environment.
	credentials func(*stage) []string
	// provider are arguments that choose the scripted provider where the user's own settings stay out.
	provider func(*stage) []string
	turn     func(prompt string, flags ...string) []string
	resume   func(thread, prompt string) []string
	// shell is an answer that runs a command.
	shell func(command string) upstream.Step
	// thread finds the id of the conversation in what the client printed.
	thread func(stdout string) (string, error)
	failed func(rig.Result) error
}

// clients are the real clients that every case is run with.
var clients = []client{codex, claude}

// each runs a case for every client.
func each(t *testing.T, run func(*testing.T, client)) {
	t.Helper()
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run(t, c)
		})
	}
}

var codex = client{
	name: "codex", protocol: upstream.Responses, home: ".codex",
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

var claude = client{
	name: "claude", protocol: upstream.Messages, home: ".claude",
	seed: func(s *stage) {
		rig.Write(s, s.inHome(".claude/CLAUDE.md"), userInstructions+"\n")
		rig.WriteSkill(s, s.inHome(".claude/skills/user-notes"), "user-notes", userSkill, "body of "+userSkill)
		settings := preToolHook(s.marker("user-hook"))
		settings["env"] = map[string]any{"USER_SETTING": "kept"}
		rig.Write(s, s.inHome(".claude/settings.json"), encode(s, settings))
		rig.Write(s, s.inHome(".claude.json"), encode(s, map[string]any{"mcpServers": map[string]any{
			"user_server": map[string]any{"command": s.marker("user-server")},
		}}))
		slug := strings.NewReplacer("/", "-", ".", "-").Replace(s.cwd)
		rig.Write(s, s.inHome(".claude/projects/"+slug+"/memory/MEMORY.md"), userMemory+"\n")
		rig.Write(s, s.inProject("CLAUDE.md"), projectInstructions+"\n")
		rig.WriteSkill(s, s.inProject(".claude/skills/project-notes"), "project-notes", projectSkill, "body")
	},
	credentials: func(s *stage) []string {
		return []string{
			"ANTHROPIC_BASE_URL=" + s.up.BaseURL(), "ANTHROPIC_API_KEY=" + userSecret,
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=0",
			"IS_SANDBOX=1", // else root may not bypass permissions
		}
	},
	provider: func(*stage) []string { return nil },
	turn: func(prompt string, flags ...string) []string {
		return append(append(claudeFlags(), flags...), prompt)
	},
	resume: func(thread, prompt string) []string { return append(claudeFlags(), "--resume", thread, prompt) },
	shell: func(command string) upstream.Step {
		return upstream.Use("Bash", map[string]any{"command": command, "description": "a test"})
	},
	thread: func(stdout string) (string, error) { return field(stdout, "session_id") },
	failed: func(r rig.Result) error {
		if r.Err != nil {
			return r.Err
		}
		// A failed turn is reported as a success in every other field.
		for line := range strings.Lines(r.Stdout) {
			var event struct {
				Type    string
				IsError bool `json:"is_error"`
			}
			if json.Unmarshal([]byte(line), &event) == nil && event.Type == "result" && event.IsError {
				return errors.New("the turn failed")
			}
		}
		return nil
	},
}

func claudeFlags() []string {
	return []string{"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"}
}

// preToolHook is the part of a configuration that runs a program before every shell command.
func preToolHook(program string) map[string]any {
	hook := map[string]any{"type": "command", "command": program}
	return map[string]any{"hooks": map[string]any{
		"PreToolUse": []any{map[string]any{"matcher": "Bash", "hooks": []any{hook}}},
	}}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// field finds the first value of a key in lines of JSON.
func field(lines, key string) (string, error) {
	for line := range strings.Lines(lines) {
		var event map[string]any
		if json.Unmarshal([]byte(line), &event) != nil {
			continue
		}
		if value, ok := event[key].(string); ok {
			return value, nil
		}
	}
	return "", fmt.Errorf("the client printed no %s", key)
}
