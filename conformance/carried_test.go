package conformance_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Codex runs a hook of the user's where the user trusts it. Trust is filed by the path of the hooks file and by what
// the hook runs, so it has to follow the file into the session, and to end with a change of the hook.
func TestH28_TrustInHooksComesAlong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trusted, changed bool
		linked           bool // the user's home is a link, and a variable names it
	}{
		"trusted": {trusted: true}, "never trusted": {}, "changed since": {trusted: true, changed: true},
		"linked home": {trusted: true, linked: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, codex, codex.shell("echo ran"), upstream.Say("done"))
			if c.linked {
				for _, err := range []error{
					os.Rename(s.inHome(".codex"), s.inHome("dotfiles")), os.Symlink("dotfiles", s.inHome(".codex")),
				} {
					if err != nil {
						t.Fatal(err)
					}
				}
				s.environ = append(s.environ, "CODEX_HOME="+s.inHome(".codex"))
			}
			if c.trusted {
				rig.Write(t, s.inHome(".codex/config.toml"), codexConfig(s)+trust(s))
			}
			if c.changed {
				rig.Write(t, s.inHome(".codex/hooks.json"), encode(t, preToolHook(s.marker("user-hook")+" again")))
			}
			g := s.open()
			flags := slices.DeleteFunc(codex.turn("hello"), func(f string) bool { return f == "--dangerously-bypass-hook-trust" })
			g.run(g.prepare(g.session("hooks", core.Desktop)), flags...)
			if want := c.trusted && !c.changed; s.marked("user-hook") != want {
				t.Errorf("the hook ran: %v, want %v", !want, want)
			}
		})
	}
}

// trust is the part of a configuration that trusts each hook that the user's client lists.
func trust(s *stage) string {
	s.Helper()
	d, err := rig.Talk(s.plain("app-server"), patience)
	if err != nil {
		s.Fatal(err)
	}
	for i, m := range []map[string]any{
		{"method": "initialize", "params": map[string]any{"clientInfo": map[string]any{"name": "user", "version": "0"}}},
		{"method": "hooks/list", "params": map[string]any{"cwds": []string{s.cwd}}},
	} {
		m["id"] = i
		if err := d.Send(m); err != nil {
			s.Fatal(err)
		}
	}
	answer, err := d.Until(func(m map[string]any) bool { return m["id"] == float64(1) })
	if err != nil {
		s.Fatal(err)
	}
	if err := d.Close(); err != nil {
		s.Error(err)
	}
	var config strings.Builder
	result, _ := answer["result"].(map[string]any)
	data, _ := result["data"].([]any)
	for _, entry := range data {
		entry, _ := entry.(map[string]any)
		hooks, _ := entry["hooks"].([]any)
		for _, hook := range hooks {
			hook, _ := hook.(map[string]any)
			fmt.Fprintf(&config, "\n[hooks.state.%q]\ntrusted_hash = %q\n", hook["key"], hook["currentHash"])
		}
	}
	if config.Len() == 0 {
		s.Fatalf("the client lists no hook: %v", answer)
	}
	return config.String()
}

// Codex looks for skills in folders too, and passes over a blank override.
func TestH03_SkillsInFoldersComeAlong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		skills            preparer.Choice
		deep, flat, below int
		warned            bool
	}{
		"all":   {skills: preparer.Choice{Mode: preparer.All}, deep: 1, flat: 1, below: 1},
		"named": {skills: preparer.Choice{Mode: preparer.Only, Names: []string{"team"}}, deep: 1, below: 1, warned: true},
		"none":  {skills: preparer.Choice{Mode: preparer.None}, below: 1, warned: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, codex, upstream.Say("done"))
			rig.WriteSkill(t, s.inHome(".codex/skills/team/a/b/c/deep"), "deep", "deep-skill-51c2", "body")
			rig.WriteSkill(t, s.inHome(".agents/skills/group/below"), "below", "below-skill-51c2", "body")
			rig.Write(t, s.inHome(".codex/AGENTS.override.md"), " \n\n")
			g := s.open()
			session := g.session("folders", core.Desktop)
			session.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.Skills: c.skills}
			p := g.prepare(session)
			g.run(p, codex.turn("hello")...)
			turn := s.turns(1)[0]
			g.oursOnce(p, turn)
			s.counts(s.text(turn), map[string]int{
				"deep-skill-51c2": c.deep, userSkill: c.flat, "below-skill-51c2": c.below, userInstructions: 1,
			})
			if got := said(p, "codex.grouped-skills-stay"); got != c.warned {
				t.Errorf("said that skills cannot be switched off: %v", got)
			}
		})
	}
}

func said(p *core.Prepared, code string) bool {
	return slices.ContainsFunc(p.Diagnostics, func(d core.Diagnostic) bool { return d.Code == code })
}

// Rules of a Claude user lie in a folder, in folders of it, and often behind a link. They are left out with the other
// instructions.
func TestH06_RulesStayOut(t *testing.T) {
	t.Parallel()
	for name, linked := range map[string]bool{"plain": false, "linked": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, claude, upstream.Say("done"))
			dir := ".claude/rules"
			if linked {
				dir = "dotfiles/rules"
				if err := os.Symlink("../dotfiles/rules", s.inHome(".claude/rules")); err != nil {
					t.Fatal(err)
				}
			}
			rig.Write(t, s.inHome(dir+"/deep/er/rule.md"), "user-rule-51c2\n")
			g := s.open()
			session := g.session("rules", core.Desktop)
			session.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.Instructions: {Mode: preparer.None}}
			p := g.prepare(session)
			g.run(p, claude.turn("hello")...)
			s.counts(s.text(s.turns(1)[0]), map[string]int{
				"user-rule-51c2": 0, userInstructions: 0, userSkill: 1, projectInstructions: 1,
			})
		})
	}
}

// The hooks of a Claude user are left out by a switch that takes those of the project too, and nothing else.
func TestC256_HooksOfTheProjectGoWithThoseOfTheUser(t *testing.T) {
	t.Parallel()
	s := newStage(t, claude, claude.shell("env"), upstream.Say("done"))
	rig.Write(t, s.inProject(".claude/settings.json"), encode(t, preToolHook(s.marker("project-hook"))))
	g := s.open()
	session := g.session("hooks", core.Desktop)
	session.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.Hooks: {Mode: preparer.None}}
	p := g.prepare(session)
	g.run(p, claude.turn("hello")...)
	if s.marked("user-hook") || s.marked("project-hook") || !said(p, "claude.all-hooks-left-out") {
		t.Error("a hook ran, or nothing said that none would")
	}
	turns := s.turns(2)
	s.counts(s.text(turns[0]), map[string]int{userSkill: 1, userInstructions: 1})
	if !strings.Contains(s.text(turns[1]), "USER_SETTING=kept") {
		t.Error("the user's settings went with the hooks")
	}
}
