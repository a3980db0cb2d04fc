package core

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestC108_UnsafePlacesForSkillsWriteNothing(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]preparer.Place{
		"above the session":       preparer.Session("../skills"),
		"absolute":                preparer.Session("/skills"),
		"a drive":                 preparer.Session(`C:\skills`),
		"a stream of another":     preparer.Session("skills:stream"),
		"a device":                preparer.Session("skills/NUL"),
		"ends in a dot":           preparer.Session("skills./x"),
		"ends in a space":         preparer.Session("skills /x"),
		"in the workspace":        preparer.Workspace(".agents/skills"),
		"in the user's home":      preparer.InHome("prop", "skills"),
		"another letter case":     preparer.Session("PROP/Skills/greenroom/x"),
		"below a file of ours":    preparer.Session("prop/RULES.md/skills"),
		"on the whole of session": preparer.Session("."),
	} {
		s := newStage(t, prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
			l.Skills(preparer.PlaceSkills{At: at})
		}})
		before := snapshot(t, s.cwd, false)
		if _, err := s.host.Prepare(t.Context(), s.session("one")); !errors.Is(err, ErrLayoutRefused) {
			t.Errorf("%s: got %v, want %v", name, err, ErrLayoutRefused)
		}
		if list, err := os.ReadDir(filepath.Join(s.state, "s")); err == nil && len(list) > 0 {
			t.Errorf("%s: something of the session stands", name)
		}
		if after := snapshot(t, s.cwd, false); len(after) != len(before) {
			t.Errorf("%s: the workspace changed", name)
		}
	}
}

func TestC109_ClientWithoutSkillsIsToldAllTheSame(t *testing.T) {
	t.Parallel()
	quiet := talker{describe: func(d *preparer.Descriptor) { d.Skills = preparer.SkillChannel{Kind: preparer.NoSkills} }}
	s := newStage(t, quiet)
	p := s.prepare(s.session("one"))
	if len(p.Skills) > 0 {
		t.Errorf("it has skills: %v", p.Skills)
	}
	if got := s.read(filepath.Join(p.Dir, "told.md")); !strings.Contains(got, "## Environment") || strings.Contains(got, "## Skills\n") {
		t.Errorf("it is told %s", got)
	}
}

// talker is a client that is told its instructions, and nothing else.
type talker struct{ describe func(*preparer.Descriptor) }

func (a talker) Describe() preparer.Descriptor {
	d := prop{provider: "prop"}.Describe()
	a.describe(&d)
	return d
}

func (talker) Prepare(_ context.Context, r preparer.Request) (*preparer.Layout, error) {
	l := preparer.NewLayout()
	l.Block(preparer.Session("told.md"), []preparer.Base{preparer.Empty()}, r.Instructions.Text())
	return l, nil
}
