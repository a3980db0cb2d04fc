package conformance_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/command"
)

// tool is a host's command line tool that can do all that the standard profile asks for.
func tool(c *core.Config) {
	inputs := map[string][]string{
		"browser.open": {"url"}, "browser.click": {"ref"}, "browser.type": {"ref", "text"}, "browser.press": {"key"},
		"computer.focus": {"app"}, "computer.click": {"x", "y"}, "computer.double-click": {"x", "y"}, "computer.move": {"x", "y"},
		"computer.type": {"text"}, "computer.press": {"key"},
	}
	var list []command.Command
	for _, id := range strings.Fields(`issue.get issue.delete agent.list agent.start agent.get app.open reference.get
		browser.open browser.tabs browser.snapshot browser.screenshot browser.click browser.type browser.press browser.scroll
		browser.back browser.wait browser.close computer.apps computer.focus computer.screenshot computer.click
		computer.double-click computer.move computer.drag computer.type computer.press computer.scroll computer.wait`) {
		properties := map[string]any{}
		for _, name := range inputs[id] {
			properties[name] = map[string]any{"type": "string"}
		}
		list = append(list, command.Command{
			ID: id, Path: strings.Split(id, "."), Summary: "Does " + id, InputSchema: map[string]any{"properties": properties, "required": inputs[id]},
		})
	}
	c.Commands = command.Fixed(list...)
}

// A client lists each skill of the whole profile once, beside all commands, a browser and a screen.
func TestC080_EverySkillOfTheProfileIsListedOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("prepared"))
		g := s.open(tool)
		session := g.session("profile", core.Desktop)
		session.BrowserUse, session.ComputerUse = true, true
		p := g.prepare(session)
		if len(p.Skills) != 8 {
			t.Fatalf("the session has the skills %v", p.Skills)
		}
		g.run(p, c.turn("hello")...)
		g.oursByName(p, s.turns(1)[0])
		g.cleanup(session)
		g.nothingLeft()
	})
}

// The client itself says which commands of a session it runs unasked.
func TestC157_C158_C165_CodexRunsWhatTheSessionHas(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex)
	g := s.open(tool)
	for name, c := range map[string]struct {
		projection *command.CommandCapabilityProjection
		unasked    map[string]bool
	}{
		"general":   {nil, map[string]bool{"tutti issue get --id 1": true, "tutti issue delete": true, "other issue get": false}},
		"dedicated": {&command.CommandCapabilityProjection{AllowedIDs: []string{"issue.get"}}, map[string]bool{"tutti issue get --id 1": true, "tutti issue delete": false, "tutti": false, "tutti app open": false}},
	} {
		session := g.session(name, core.Desktop)
		session.Projection = c.projection
		p := g.prepare(session)
		for line, unasked := range c.unasked {
			args := append([]string{"execpolicy", "check", "--rules", filepath.Join(codexHome(g, p), "rules", "greenroom-commands.rules")}, strings.Fields(line)...)
			cmd := exec.Command(p.Executable, args...)
			cmd.Dir, cmd.Env = g.cwd, p.Environ(g.environ)
			result := rig.Run(cmd, patience)
			if result.Err != nil || strings.Contains(result.Stdout, `"allow"`) != unasked {
				t.Errorf("%s: %s, %v\n%s%s", name, line, result.Err, result.Stdout, result.Stderr)
			}
		}
	}
}
