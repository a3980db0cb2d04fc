package conformance_test

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// The variable that names the client's home in the user's environment.
func (c client) homeVariable() string { return c.descriptor().Homes[0].Env }

// People keep their set-up in a repository of dotfiles and link to it: the client's home, or single files in it.
func TestH06_HomeOfLinks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("done"))
		dotfiles := s.inHome("dotfiles/client")
		instructions := c.instructions
		target, err := filepath.Rel(filepath.Dir(s.inHome(c.home)), dotfiles)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			os.Mkdir(s.inHome("dotfiles"), 0o755),
			os.Rename(s.inHome(c.home), dotfiles),
			os.Rename(filepath.Join(dotfiles, instructions), s.inHome("dotfiles/instructions.md")),
			os.Rename(filepath.Join(dotfiles, "skills", "user-notes"), s.inHome("dotfiles/user-notes")),
			os.Symlink(target, s.inHome(c.home)),
			os.Symlink("../instructions.md", filepath.Join(dotfiles, instructions)),
			os.Symlink("../../user-notes", filepath.Join(dotfiles, "skills", "user-notes")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		g := s.open()
		home := s.take(s.home)
		session := g.session("dotfiles", core.Desktop)
		p := g.prepare(session)
		g.run(p, c.turn("hello")...)
		turn := s.turns(1)[0]
		g.oursOnce(p, turn)
		s.counts(s.text(turn), map[string]int{userInstructions: 1, userSkill: 1})
		g.cleanup(session)
		g.nothingLeft()
		linked := c
		linked.home = "dotfiles/client"
		s.unchanged("the home", home, s.take(s.home), linked.ownState()...)
	})
}

// A home that the user's environment names is the one that counts, and the one that stands at the default place is not
// looked at.
func TestH11_HomeByVariable(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("done"))
		moved := c
		moved.home = path.Join("elsewhere", c.descriptor().Homes[0].Sub)
		if err := errors.Join(os.MkdirAll(s.inHome(path.Dir(moved.home)), 0o755),
			os.Rename(s.inHome(c.home), s.inHome(moved.home))); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
			rig.Write(t, s.inHome(c.home+"/"+name), "default-place-51c2\n")
		}
		// The trailing slash is part of the name by which Claude Code files a login.
		value := s.inHome("elsewhere") + "/"
		s.environ = append(s.environ, c.homeVariable()+"="+value)
		g := s.open()
		home := s.take(s.home)
		session := g.session("elsewhere", core.Desktop)
		p := g.prepare(session)
		g.run(p, c.turn("hello")...)
		turn := s.turns(1)[0]
		g.oursOnce(p, turn)
		s.counts(s.text(turn), map[string]int{userInstructions: 1, userSkill: 1, "default-place-51c2": 0})
		g.cleanup(session)
		g.nothingLeft()
		s.unchanged("the home", home, s.take(s.home), moved.ownState()...)
	})
}

// Claude Code files a login by the exact text of CLAUDE_CONFIG_DIR, so a session never brings it in or touches it.
func TestH08_ConfigDirPassesUnchanged(t *testing.T) {
	t.Parallel()
	for name, add := range map[string][]string{
		"absent": nil, "present": {"CLAUDE_CONFIG_DIR=/nowhere/cfg/"},
	} {
		for _, preset := range []core.Preset{core.Desktop, core.Automation} {
			t.Run(name+"/"+string(preset), func(t *testing.T) {
				t.Parallel()
				s := newStage(t, claude)
				s.environ = append(s.environ, add...)
				g := s.open()
				p := g.prepare(g.session("config", preset))
				cmd, err := p.Command(context.Background(), s.environ)
				if err != nil {
					t.Fatal(err)
				}
				var have []string
				for _, kv := range cmd.Env {
					if strings.HasPrefix(kv, "CLAUDE_CONFIG_DIR=") {
						have = append(have, kv)
					}
				}
				if !slices.Equal(have, add) {
					t.Errorf("the client gets %q, want %q", have, add)
				}
			})
		}
	}
}

// What a project keeps in its own client folder is not the user's, and never becomes global.
func TestH04_ProjectFolderIsNotGlobal(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex, upstream.Say("done"))
	rig.Write(t, s.inProject(".codex/AGENTS.md"), "project-folder-51c2\n")
	rig.Write(t, s.inProject(".codex/AGENTS.override.md"), "project-override-51c2\n")
	g := s.open()
	p := g.prepare(g.session("folder", core.Desktop))
	g.run(p, codex.turn("hello")...)
	turn := s.turns(1)[0]
	g.oursOnce(p, turn)
	s.counts(s.text(turn), map[string]int{
		"project-folder-51c2": 0, "project-override-51c2": 0, userInstructions: 1, projectInstructions: 1,
	})
}
