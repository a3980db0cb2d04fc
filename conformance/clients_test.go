package conformance_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// client is what the cases need to know of one real client. Each has a file of its own for it.
type client struct {
	name     string
	adapter  preparer.Preparer
	protocol upstream.Protocol
	home     string // of the client, below the user's home
	// instructions is the user's file of instructions in that home.
	instructions string
	sharedSkills bool // it also looks for skills in ~/.agents
	memories     bool // it keeps memories unless a person switches them off
	// hooks is the kind by which it runs programs of the user's beside a command; "" for hooks.
	hooks preparer.Kind
	// stays are the kinds that it gives no way to leave out.
	stays []preparer.Kind
	// entry is how it lists a skill for the model, with %s for the name; "" for a line of Markdown.
	entry string
	// seed puts the user's set-up in place: instructions, skills, a hook and an MCP server that leave marks, a login.
	seed func(*stage)
	// credentials are variables of the user's environment.
	credentials func(*stage) []string
	// provider makes the client use the scripted provider where the user's own settings stay out: by the arguments that
	// it gives, or by the user's environment.
	provider func(*stage) []string
	turn     func(prompt string, flags ...string) []string
	resume   func(thread, prompt string) []string
	// reminders is how many messages the client itself adds to a conversation that goes on.
	reminders int
	// shell is an answer that runs a command.
	shell func(command string) upstream.Step
	// thread finds the id of the conversation in what the client printed.
	thread func(stdout string) (string, error)
	failed func(rig.Result) error
	// settingKept says whether a setting of the user's had an effect.
	settingKept func(*stage, []upstream.Request) bool
	// load scripts the loading of a skill. It gives the prompt, and how often the model is asked until the last request
	// holds the skill.
	load func(s *stage, skill string) (string, int)
	// addServer gives the user another MCP server, other_server.
	addServer func(s *stage, command string)
	// drive says prompts in one process, as a host does.
	drive func(*greenroom, *core.Prepared, ...string)
	// spoil puts a fault into a file that the client's validator looks at.
	spoil func(*greenroom, *core.Prepared)
	// ownPath says whether the client itself puts a directory in front of PATH; nil when it does not.
	ownPath func(p *core.Prepared, dir string) bool
}

// clients are the real clients that every case is run with.
var clients = []client{codex, claude, kimi, opencode}

// descriptor is what the adapter of a client says of it.
func (c client) descriptor() preparer.Descriptor { return c.adapter.Describe() }

// hookKind is the kind of things of the user's that leave the mark of a hook.
func (c client) hookKind() preparer.Kind {
	if c.hooks != "" {
		return c.hooks
	}
	return preparer.Hooks
}

// listing is how the client lists a skill for the model.
func (c client) listing(skill string) string {
	if c.entry != "" {
		return fmt.Sprintf(c.entry, skill)
	}
	return "\n- " + skill + ": "
}

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
