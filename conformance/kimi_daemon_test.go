package conformance_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// A daemon has no SHLVL. The client's shell then takes itself for one at the far end of a network and reads ~/.bashrc
// before each command, which often assigns PATH anew.
func TestC008_KimiInADaemon(t *testing.T) {
	t.Parallel()
	s := newStage(t, kimi, kimi.shell("tutti"), upstream.Say("plain"), kimi.shell("tutti"), upstream.Say("prepared"))
	rig.Write(t, s.inHome(".bashrc"), "PATH=/usr/bin:/bin\n")
	s.environ = slices.DeleteFunc(s.environ, func(kv string) bool { return strings.HasPrefix(kv, "SHLVL=") })
	rig.WriteProgram(t, filepath.Join(s.tools, "tutti"), "#!/bin/sh\necho wrong tool\n")
	s.play(s.plain(kimi.turn("hello")...))
	g := s.open()
	g.run(g.prepare(g.session("daemon", core.Desktop)), kimi.turn("hello")...)
	turns := s.turns(4)
	for i, want := range map[int]string{1: "not found", 3: "host-tool-51c2"} {
		if results, err := turns[i].ToolResults(); err != nil || len(results) != 1 || !strings.Contains(results[0], want) {
			t.Errorf("the command gave %q, %v, want %q", results, err, want)
		}
	}
}
