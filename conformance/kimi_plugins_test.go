package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// kimiPlugin installs a plugin for the user as the client does, with a prompt and a skill.
func kimiPlugin(s *stage, id string) map[string]any {
	s.Helper()
	dir := s.inHome(".kimi-code/plugins/managed/" + id)
	rig.Write(s, filepath.Join(dir, "kimi.plugin.json"), encode(s, map[string]any{
		"name": id, "version": "1.0.0", "systemPrompt": "prompt-of-" + id, "skills": "./skills/",
	}))
	rig.WriteSkill(s, filepath.Join(dir, "skills", id+"-notes"), id+"-notes", "skill-of-"+id, "body")
	return map[string]any{"id": id, "root": dir, "enabled": true, "source": "local-path", "installedAt": "2026-01-01T00:00:00.000Z"}
}

// The user's plugins come along with all that they bring, or single ones do, or none. They stay where they are, and the
// user's list of them is not changed.
func TestC255_KimiPluginsComeAlong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plugins      preparer.Choice
		review, lint int
	}{
		"all":   {preparer.Choice{Mode: preparer.All}, 1, 1},
		"named": {preparer.Choice{Mode: preparer.Only, Names: []string{"review"}}, 1, 0},
		"none":  {preparer.Choice{Mode: preparer.None}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, kimi, upstream.Say("done"))
			rig.Write(t, s.inHome(".kimi-code/plugins/installed.json"), encode(t, map[string]any{
				"version": 1, "plugins": []any{kimiPlugin(s, "review"), kimiPlugin(s, "lint")},
			}))
			g := s.open()
			home := s.take(s.home)
			session := g.session("plugins", core.Desktop)
			session.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.Plugins: c.plugins}
			p := g.prepare(session)
			g.run(p, kimi.turn("hello")...)
			turn := s.turns(1)[0]
			g.oursOnce(p, turn)
			s.counts(s.text(turn), map[string]int{
				"prompt-of-review": c.review, "skill-of-review": c.review, "prompt-of-lint": c.lint, "skill-of-lint": c.lint, userSkill: 1,
			})
			for _, item := range p.Inherited {
				came := map[string]int{"review": c.review, "lint": c.lint}[item.Name] == 1
				if item.Kind == preparer.Plugins && came != (item.State == core.CameAlong) {
					t.Errorf("the session reports %s as %s", item.Name, item.State)
				}
			}
			g.cleanup(session)
			g.nothingLeft()
			s.unchanged("the home", home, s.take(s.home), kimi.ownState()...)
		})
	}
}

// Of rtk the client is told in its system prompt, where what plugins say stands too: the instructions reach it there, so that
// a plugin of ours would add nothing but a text that is dropped when it is long. The user's list of plugins is not added to.
func TestC255_C306_KimiIsToldOfRTKWherePluginsSpeak(t *testing.T) {
	t.Parallel()
	s := newStage(t, kimi, upstream.Say("done"))
	list := encode(t, map[string]any{"version": 1, "plugins": []any{kimiPlugin(s, "review")}})
	rig.Write(t, s.inHome(".kimi-code/plugins/installed.json"), list)
	g := s.withRTK()
	p := g.shortening(core.Desktop)
	g.run(p, kimi.turn("hello")...)
	system, err := s.turns(1)[0].System()
	if err != nil {
		t.Fatal(err)
	}
	s.counts(system, map[string]int{"# Short output\n": 1, "prompt-of-review": 1, "# " + product + " session": 1, userInstructions: 1})
	got, err := os.ReadFile(filepath.Join(p.Dir, "kimi/plugins/installed.json"))
	if err != nil || string(got) != list {
		t.Errorf("the list of plugins is %s, %v", got, err)
	}
}
