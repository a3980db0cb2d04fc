package conformance_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	claudeadapter "github.com/greenroom-agents/greenroom/providers/claude"
)

var claude = client{
	name: "claude", adapter: claudeadapter.Adapter{}, protocol: upstream.Messages, home: ".claude", instructions: "CLAUDE.md",
	memories: true,
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
	settingKept: func(s *stage, turns []upstream.Request) bool {
		return strings.Contains(s.text(turns[len(turns)-1]), "USER_SETTING=kept")
	},
	load: func(s *stage, skill string) (string, int) { // the model asks for it
		s.up.Script(upstream.Use("Skill", map[string]any{"skill": skill}), upstream.Say("done"))
		return "use a skill", 2
	},
	addServer: func(s *stage, command string) {
		rig.Write(s, s.inHome(".claude.json"), encode(s, map[string]any{"mcpServers": map[string]any{
			"user_server":  map[string]any{"command": s.marker("user-server")},
			"other_server": map[string]any{"command": command},
		}}))
	},
	drive: (*greenroom).driveClaude,
	spoil: func(g *greenroom, p *core.Prepared) {
		rig.Write(g, filepath.Join(p.Dir, "claude", "plugin", ".claude-plugin", "plugin.json"), "{")
	},
}

func claudeFlags() []string {
	return []string{"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"}
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
