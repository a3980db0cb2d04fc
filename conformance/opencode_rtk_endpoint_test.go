package conformance_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// On an endpoint OpenCode's session has the instructions, says so and why, and a plugin of the user's does not run where the key is.
// The client has no switch that would let ours in alone: where plugins are off, one of the session's own directory stays out with
// them, named in the configuration or not; and where they are on, those of the user's home run beside it, in whatever directory
// configuration is looked for.
func TestC304_OpenCodeTakesAllPluginsOrNoneOnAnEndpoint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		on           bool
		ours, theirs bool
	}{"as prepared": {false, false, false}, "with plugins": {true, true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, opencode, opencode.shell("rtk echo plain-51c2"), upstream.Say("done"))
			mark := func(file string) string {
				return "import { writeFileSync } from \"node:fs\"\nexport const Marks = async () => { writeFileSync(" + encode(t, filepath.Join(s.dir, file)) + ", \"\"); return {} }\n"
			}
			rig.Write(t, s.inHome(".opencode/plugins/theirs.js"), mark("theirs"))
			g := s.withRTK()
			session := g.onPlan("rtk")
			session.RTK = true
			p := g.prepare(session)
			if p.RTK != core.RTKInstructions || !said(p, "opencode.rtk-without-plugin") {
				t.Errorf("the layer is %q, and it says %v", p.RTK, p.Diagnostics)
			}
			if _, err := os.Lstat(filepath.Join(p.Dir, "opencode/plugins")); !os.IsNotExist(err) {
				t.Errorf("there is a plugin of ours: %v", err)
			}
			ours := filepath.Join(p.Dir, "opencode/plugins/ours.js")
			rig.Write(t, ours, mark("ours"))
			cmd, err := p.Command(t.Context(), g.environ, opencode.turn("first-prompt")...)
			if err != nil {
				t.Fatal(err)
			}
			if c.on {
				cmd.Env = slices.DeleteFunc(cmd.Env, func(kv string) bool { return strings.HasPrefix(kv, "OPENCODE_PURE=") })
				cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+filepath.Join(s.dir, "elsewhere"), "npm_config_offline=true")
			} else {
				cmd.Env = append(cmd.Env, "OPENCODE_CONFIG_CONTENT="+encode(t, map[string]any{"plugin": []string{"file://" + ours}}))
			}
			g.play(cmd)
			if last := s.text(s.up.Turns()[1]); !strings.Contains(last, shortened+" plain-51c2") {
				t.Errorf("the agent did not find rtk: %s", tail(last))
			}
			for file, want := range map[string]bool{"ours": c.ours, "theirs": c.theirs} {
				if _, err := os.Lstat(filepath.Join(s.dir, file)); (err == nil) != want {
					t.Errorf("the plugin of %s ran: %v, want %v", file, err == nil, want)
				}
			}
		})
	}
}
