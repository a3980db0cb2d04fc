//go:build unix

package shortened

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
)

// added is what rtk adds to a session of each provider beside its own directory, and changes in it.
var added = map[string]struct {
	layer core.RTKLayer
	files []string
	led   string // the file of instructions that begins with the line to the notes
}{
	"claude":      {core.RTKHook, []string{"changed claude/system-prompt.md", "created claude/no-rules", "created claude/plugin/hooks", "created claude/plugin/hooks/hooks.json", "created claude/settings.json"}, ""},
	"codex":       {core.RTKInstructions, []string{"changed codex/AGENTS.md"}, "codex/AGENTS.md"},
	"cursor":      {core.RTKHook, []string{"created cursor/no-rules", "created cursor/plugin/hooks", "created cursor/plugin/hooks/hooks.json"}, ""},
	"kimi":        {core.RTKInstructions, []string{"changed kimi/AGENTS.md"}, ""},
	"opencode":    {core.RTKPlugin, []string{"changed opencode/AGENTS.md", "created opencode/plugins", "created opencode/plugins/rtk.js"}, "opencode/AGENTS.md"},
	"tutti-agent": {core.RTKInstructions, []string{"changed tutti-agent/AGENTS.md"}, "tutti-agent/AGENTS.md"},
	// No client tells here that it is of a version which heeds the plugin.
	"acp:hermes": {core.RTKInstructions, []string{"changed hermes/config.yaml", "changed project/AGENTS.md", "created hermes/plugins", "created hermes/plugins/session-rtk",
		"created hermes/plugins/session-rtk/__init__.py", "created hermes/plugins/session-rtk/plugin.yaml", "created hermes/plugins/session-rtk/session.json"}, ""},
}

// program is what every session with rtk has.
var program = []string{"created rtk", "created rtk/RTK.md", "created rtk/bin", "created rtk/bin/rtk", "created rtk/data", "created rtk/tee"}

// Off, on, off, on and going on: a session has exactly the files and variables of what it is now, whatever it was before, and
// nothing of the user's changes.
func TestC310_OnOffOnResumeLeavesTheRightFiles(t *testing.T) {
	t.Parallel()
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, provider)
			off, want := s.session(provider), added[provider]
			on := off
			on.RTK = true
			before := s.prepare(off)
			first := s.prepare(on)
			if first.p.RTK != want.layer {
				t.Errorf("the layer is %q, want %q", first.p.RTK, want.layer)
			}
			all := slices.Concat(want.files, program)
			slices.Sort(all)
			if diff := cmp.Diff(all, before.files.Changes(first.files)); diff != "" {
				t.Errorf("what rtk adds (-want +got):\n%s", diff)
			}
			s.led(first, want.led)
			// What the program and the client write goes with the mode.
			rig.Write(t, filepath.Join(first.p.Dir, "rtk/data/usage.db"), "x")
			rig.Write(t, filepath.Join(first.p.Dir, "rtk/tee/deep/1.log"), "a secret")
			if provider == "acp:hermes" {
				rig.Write(t, filepath.Join(first.p.Dir, "hermes/plugins/session-rtk/__pycache__/x.pyc"), "x")
			}
			s.same("switched off", before, s.prepare(off))
			again := s.prepare(on)
			s.same("switched on again", first, again)
			resumed := s.prepare(on)
			s.same("going on", again, resumed)
			if resumed.p.Generation != again.p.Generation {
				t.Errorf("going on wrote: generation %d after %d", resumed.p.Generation, again.p.Generation)
			}
			s.gone(on, resumed.p.Dir)
		})
	}
}

// led demands that a file begins with the line to the notes, once, with a blank line behind it, in its line breaks.
func (s *scene) led(st state, file string) {
	s.Helper()
	if file == "" {
		return
	}
	data, err := os.ReadFile(filepath.Join(st.p.Dir, file))
	if err != nil {
		s.Fatal(err)
	}
	text, notes := string(data), filepath.Join(st.p.Dir, "rtk/RTK.md")
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
		if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			s.Errorf("C301: %s has line breaks of two kinds: %q", file, text[:200])
		}
	}
	if !strings.HasPrefix(text, "@"+notes+end+end) || strings.Count(text, notes) != 1 {
		s.Errorf("C300: %s begins with %.200q", file, text)
	}
}

func (s *scene) same(what string, want, got state) {
	s.Helper()
	if changes := want.files.Changes(got.files); len(changes) > 0 {
		s.Errorf("%s: %v", what, changes)
	}
	if diff := cmp.Diff(want.env, got.env); diff != "" || want.p.RTK != got.p.RTK {
		s.Errorf("%s: layer %q, and %s", what, got.p.RTK, diff)
	}
}

// rtk and the saver mode know nothing of each other: each of the four combinations has the files of both, whichever it was
// before, and nothing of the one in a file of the other but the instructions that both are told in.
func TestC300_RTKAndSaverModeOfCodexInAllCombinations(t *testing.T) {
	t.Parallel()
	s := newScene(t, "codex")
	type modes struct{ rtk, saver bool }
	prepare := func(m modes) state {
		ses := s.session("codex")
		if ses.RTK = m.rtk; m.saver {
			ses.Saver = &core.Saver{}
		}
		return s.prepare(ses)
	}
	seen := map[modes]state{}
	// Each change from one of them to another is in it.
	for _, m := range []modes{{}, {true, false}, {}, {false, true}, {}, {true, true}, {}, {true, false}, {true, true}, {true, false}, {false, true}, {true, true}, {false, true}, {true, false}} {
		st := prepare(m)
		if first, ok := seen[m]; ok {
			s.same("a second time", first, st)
			continue
		}
		seen[m] = st
	}
	none, both := seen[modes{}], seen[modes{true, true}]
	union := slices.Concat(none.files.Changes(seen[modes{true, false}].files), none.files.Changes(seen[modes{false, true}].files))
	slices.Sort(union)
	if diff := cmp.Diff(slices.Compact(union), none.files.Changes(both.files)); diff != "" {
		t.Errorf("both have (-each +both):\n%s", diff)
	}
	for m, st := range seen {
		_, have := st.files["rtk/bin/rtk"]
		if added := none.files.Changes(st.files); have != m.rtk || m.saver != slices.ContainsFunc(added, func(c string) bool { return strings.HasPrefix(c, "created codex/") }) {
			t.Errorf("%+v has a program: %v, and %v", m, have, added)
		}
	}
}
