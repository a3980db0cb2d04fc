package conformance_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// A hand-written configuration is carried with everything in it, and the client runs on it.
func TestC233_FullKimiConfig(t *testing.T) {
	t.Parallel()
	s := newStage(t, kimi, kimi.shell("echo ran"), upstream.Say("done"))
	// The fixture is of an earlier form: this client knows the type by another name.
	config := strings.NewReplacer("http://127.0.0.1:9/v1", s.up.BaseURL(), "openai_legacy", "openai", "/home/dev/bin/check.sh", s.marker("user-hook")).
		Replace(s.fixture("kimi-config.toml"))
	config += "[permission]\ndeny = [{ tool = \"Bash\", match = \"rm *\" }]\n[no_such_table_51c2]\nkept = 1.50\n"
	rig.Write(t, s.inHome(".kimi-code/config.toml"), config)
	// What the project brings runs where the user trusts it.
	rig.Write(t, s.inProject(".kimi-code/mcp.json"), encode(t, kimiServers(s, "project_server", s.marker("project-server"))))
	kimiTrust(s, s.inHome(".kimi-code"))
	g := s.open()
	home := s.take(s.home)
	session := g.session("full", core.Desktop)
	p := g.prepare(session)

	var before, after map[string]any
	decode(s, config, &before)
	data, err := os.ReadFile(filepath.Join(p.Dir, "kimi", "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	decode(s, string(data), &after)
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if diff := cmp.Diff(before[key], after[key]); diff != "" {
			t.Errorf("%s differs:\n%s", key, diff)
		}
	}
	g.run(p, kimi.turn("hello")...)
	turn := s.turns(2)[0]
	g.oursOnce(p, turn)
	if got := turn.Header.Get("Authorization"); got != "Bearer sk-test" || !s.marked("user-hook") || !s.marked("project-server") {
		t.Errorf("the credential is %q, or the hook or the project's server did not run", got)
	}
	g.cleanup(session)
	g.nothingLeft()
	s.unchanged("the home", home, s.take(s.home), kimi.ownState()...)
}

// A system prompt of the user's takes the place of all that the client tells its model. One that leaves room for
// instructions and skills comes along, and another one would hide ours.
func TestC256_KimiSystemPrompt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prompt string
		comes  bool
	}{
		"base":    {"system-prompt-51c2\n${base_prompt}\n", true},
		"parts":   {"system-prompt-51c2\n${agents_md}\n${skills_section}\n", true},
		"no room": {"system-prompt-51c2\n${plugin_sections}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, kimi, upstream.Say("plain"), upstream.Say("prepared"))
			rig.Write(t, s.inHome(".kimi-code/SYSTEM.md"), c.prompt)
			s.play(s.plain(kimi.turn("hello")...))
			g := s.open()
			p := g.prepare(g.session("prompt", core.Desktop))
			g.run(p, kimi.turn("hello")...)
			turns := s.turns(2)
			// Without us the client takes it as it is, and reads nothing else where there is no room.
			room := 0
			if c.comes {
				room = 1
			}
			s.counts(s.text(turns[0]), map[string]int{"system-prompt-51c2": 1, userInstructions: room})
			g.oursOnce(p, turns[1])
			s.counts(s.text(turns[1]), map[string]int{"system-prompt-51c2": room, userInstructions: 1, userSkill: 1})
			if got := said(p, "kimi.system-prompt-left-out"); got == c.comes {
				t.Errorf("said that it stays out: %v", got)
			}
		})
	}
}

// Skills of ~/.agents are found through HOME. They can be chosen too, by whatever name their directory has a skill of,
// and ours keep to themselves beside one of the same name.
func TestH21_SharedSkillsAreListedOnceOrLeftOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		skills preparer.Choice
		want   map[string]int
	}{
		"all": {preparer.Choice{Mode: preparer.All},
			map[string]int{sharedSkill: 1, "flat-skill-51c2": 1, "handoff-of-the-user-51c2": 1, "file-skill-51c2": 1, userSkill: 1}},
		"named": {preparer.Choice{Mode: preparer.Only, Names: []string{"flat", "own-file"}},
			map[string]int{sharedSkill: 0, "flat-skill-51c2": 1, "handoff-of-the-user-51c2": 0, "file-skill-51c2": 1, userSkill: 0}},
		"none": {preparer.Choice{Mode: preparer.None},
			map[string]int{sharedSkill: 0, "flat-skill-51c2": 0, "handoff-of-the-user-51c2": 0, "file-skill-51c2": 0, userSkill: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, kimi, upstream.Say("done"))
			rig.Write(t, s.inHome(".agents/AGENTS.md"), "shared-instructions-51c2\n")
			rig.Write(t, s.inHome(".agents/skills/flat.md"), "---\nname: flat\ndescription: flat-skill-51c2\n---\nbody\n")
			rig.Write(t, s.inHome(".kimi-code/skills/own-file.md"), "---\nname: own-file\ndescription: file-skill-51c2\n---\nbody\n")
			rig.WriteSkill(t, s.inHome(".agents/skills/tutti-handoff"), "tutti-handoff", "handoff-of-the-user-51c2", "body")
			g := s.open()
			session := g.session("shared", core.Desktop)
			session.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.Skills: c.skills, preparer.Instructions: {Mode: preparer.None}}
			p := g.prepare(session)
			g.run(p, kimi.turn("hello")...)
			turn := s.turns(1)[0]
			g.oursByName(p, turn)
			s.counts(s.text(turn), c.want)
			// No way leads around instructions there, and the session says so.
			s.counts(s.text(turn), map[string]int{"shared-instructions-51c2": 1, userInstructions: 0})
			for _, item := range p.Inherited {
				if stays := strings.HasSuffix(item.Source, ".agents/AGENTS.md"); item.Kind == preparer.Instructions && stays != (item.State == core.NotExcluded) {
					t.Errorf("the session reports %s of %s as %s", item.Name, item.Source, item.State)
				}
			}
			if !said(p, "not_excludable") {
				t.Error("nothing says that shared instructions come along")
			}
		})
	}
}
