package conformance_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// The client reads what a hook answers strictly, and lets a command be changed only by a hook that allows it as well. That
// is no hook for rtk, which answers for no permission, so a session of this client has its instructions.
func TestC312_CodexLetsOnlyAHookThatAllowsChangeACommand(t *testing.T) {
	t.Parallel()
	const changed = `"updatedInput":{"command":"echo changed-51c2"}`
	said := func(rest string) string { return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + rest + `}}` }
	for name, c := range map[string]struct {
		answer         string
		changed, plain bool // which of the commands runs
	}{
		"no opinion":             {`{}`, false, true},
		"nothing":                {``, false, true},
		"changed and allowed":    {said(`"permissionDecision":"allow",` + changed), true, false},
		"changed alone":          {said(changed), false, true},
		"changed, to be asked":   {said(`"permissionDecision":"ask",` + changed), false, true},
		"changed, and a fault":   {said(`"permissionDecision":"allow","noSuchKey":1,` + changed), false, true},
		"denied":                 {said(`"permissionDecision":"deny","permissionDecisionReason":"no"`), false, false},
		"no JSON, and a command": {`changed: echo changed-51c2`, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, codex, codex.shell("echo plain-51c2"), upstream.Say("done"))
			program := s.inHome("hook")
			rig.WriteProgram(t, program, "#!/bin/sh\ncat >/dev/null\nprintf '%s' '"+c.answer+"'\n")
			rig.Write(t, s.inHome(".codex/hooks.json"), encode(t, preToolHook(program)))
			g := s.open()
			text := g.result(g.prepare(g.session("hook", core.Desktop)))
			ran := func(word string) bool { return strings.Contains(text, "Output:\n"+word) }
			if ran("changed-51c2") != c.changed || ran("plain-51c2") != c.plain {
				t.Errorf("the model saw %s", tail(text))
			}
		})
	}
}
