package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// terminal is an answer of the model's that runs a command in Hermes Agent.
func terminal(command string) upstream.Step {
	return upstream.Use("terminal", map[string]any{"command": command, "timeout": 60})
}

// hermesRTK is a stage of Hermes Agent with a host that has the double of rtk. Lines are added to the user's configuration.
func hermesRTK(t *testing.T, lines string, steps ...upstream.Step) (*greenroom, core.Session) {
	t.Helper()
	g, session := hermesOn(t, func(s *stage) *greenroom { return s.withRTK() }, append(steps, upstream.Say("done"))...)
	file := g.inHome(".hermes/config.yaml")
	rig.Write(t, file, g.read(file)+lines)
	one := session("rtk")
	one.RTK = true
	return g, one
}

// lastText is what the model saw last.
func (g *greenroom) lastText() string {
	g.Helper()
	turns := g.up.Turns()
	return g.text(turns[len(turns)-1])
}

// The plugin that the package brings runs what the model asks for through the session's own rtk, and what the agent itself
// puts rtk in front of. The user's list of plugins is kept; switched off, nothing of it is left, what the agent compiled
// beside it included, and switched on again it is there again.
func TestC305_HermesRunsCommandsThroughRTK(t *testing.T) {
	t.Parallel()
	g, session := hermesRTK(t, "plugins:\n  enabled:\n    - theirs # beside ours\n", terminal("echo plain-51c2"), terminal("rtk echo own-51c2"))
	home := g.take(g.home)
	off := session
	off.RTK = false
	before := g.prepare(off)
	had := g.take(before.Dir)
	p := g.prepare(session)
	if p.RTK != core.RTKPlugin {
		t.Errorf("the layer is %q", p.RTK)
	}
	g.speak(p, "first-prompt")
	text := g.lastText()
	for _, want := range []string{shortened + " plain-51c2", shortened + " own-51c2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q: rtk was called with\n%s\nand the model saw %s", want, g.calls(p), tail(text))
		}
	}
	g.counts(g.text(g.up.Turns()[0]), map[string]int{"# Short output\n": 1})
	plugin := filepath.Join(p.Dir, "hermes/plugins/session-rtk")
	for _, name := range []string{"plugin.yaml", "__init__.py", "session.json"} {
		if info, err := os.Lstat(filepath.Join(plugin, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(plugin, "__pycache__")); err != nil {
		t.Errorf("the agent compiled nothing, so that nothing of it can be left: %v", err)
	}
	config := g.read(filepath.Join(p.Dir, "hermes/config.yaml"))
	if theirs, ours := strings.Index(config, "- theirs # beside ours"), strings.Index(config, "- session-rtk"); theirs < 0 || ours < theirs {
		t.Errorf("the list of plugins:\n%s", config)
	}
	g.unchanged("the home", home, g.take(g.home), ".hermes/bin")

	g.prepare(off)
	for _, gone := range []string{"hermes/plugins", "rtk"} {
		if _, err := os.Lstat(filepath.Join(p.Dir, gone)); !os.IsNotExist(err) {
			t.Errorf("C310: %s is left: %v", gone, err)
		}
	}
	for _, change := range had.Changes(g.take(p.Dir)) {
		if made, ok := strings.CutPrefix(change, "created "); !ok || strings.Contains(made, "rtk") {
			t.Errorf("C310: %s", change)
		}
	}
	if config := g.read(filepath.Join(p.Dir, "hermes/config.yaml")); strings.Contains(config, "session-rtk") || !strings.Contains(config, "- theirs") {
		t.Errorf("C310: the list of plugins:\n%s", config)
	}
	again := g.prepare(session)
	if diff := cmp.Diff(config, g.read(filepath.Join(again.Dir, "hermes/config.yaml"))); diff != "" || again.RTK != core.RTKPlugin {
		t.Errorf("switched on again it has %q: %s", again.RTK, diff)
	}
	resumed := g.prepare(session)
	if resumed.Generation != again.Generation {
		t.Errorf("going on wrote: generation %d after %d", resumed.Generation, again.Generation)
	}
	g.cleanup(session)
	g.nothingLeft()
}

// A program that hangs or is gone holds nothing up, and the agent's log says so.
func TestH63_HermesRunsACommandWithoutAnAnswerOfRTK(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ word, says string }{
		"hangs": {"hang-51c2", "gave no answer in time"}, "is gone": {"plain-51c2", "cannot be asked: FileNotFoundError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, session := hermesRTK(t, "", terminal("echo "+c.word))
			p := g.prepare(session)
			if name == "is gone" {
				if err := os.Remove(filepath.Join(p.Dir, "rtk/bin/rtk")); err != nil {
					t.Fatal(err)
				}
			}
			log := g.overACP(p, func(map[string]any) {}, "first-prompt")
			text := g.lastText()
			if !strings.Contains(text, `"output": "`+c.word) || strings.Contains(text, shortened) {
				t.Errorf("the model saw %s", tail(text))
			}
			if strings.Count(log, c.says) == 0 || strings.Contains(log, "rtk "+c.word) {
				t.Errorf("the log says %s", tail(log))
			}
		})
	}
}

// What the user denied stays denied, in the words in which they wrote it, and what their hook refuses as well; a command
// that the agent takes for dangerous is judged as the model wrote it.
func TestH65_ADenyRuleHoldsWithRTKInHermes(t *testing.T) {
	t.Parallel()
	g, session := hermesRTK(t, "approvals:\n  deny:\n    - echo denied-51c2*\n",
		terminal("echo denied-51c2 > ran"), terminal("git reset --hard && echo dangerous-51c2 > ran"), terminal("echo allowed-51c2"))
	p := g.prepare(session)
	g.speak(p, "first-prompt")
	text := g.lastText()
	if _, err := os.Lstat(g.inProject("ran")); !os.IsNotExist(err) {
		t.Errorf("a denied command ran: %v", err)
	}
	if calls := g.calls(p); strings.Contains(calls, "denied-51c2") || strings.Contains(calls, "dangerous-51c2") {
		t.Errorf("rtk was called with %s", calls)
	}
	if !strings.Contains(text, "matches the user-defined deny rule") || !strings.Contains(text, shortened+" allowed-51c2") {
		t.Errorf("the model saw %s", tail(text))
	}
}
