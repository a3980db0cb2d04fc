package core

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// prompting is a client that is told everything with the first prompt, and does not show skills to its model.
func prompting() prop {
	return prop{provider: "prop", extra: func(r preparer.Request, l *preparer.Layout) {
		l.FirstPrompt(r.Instructions.Text(), preparer.SkillCatalog{At: preparer.Session("prop/skills/greenroom")})
	}}
}

func TestC243_CatalogNamesThePathsAtWhichSkillsLie(t *testing.T) {
	t.Parallel()
	s := newStage(t, prompting())
	p := s.prepare(s.session("one"))
	text := p.FirstPrompt()
	if !strings.HasPrefix(text, "# ") || strings.Count(text, "## Where the skills lie") != 1 {
		t.Errorf("the first prompt is %s", text)
	}
	if len(p.Skills) == 0 {
		t.Fatal("no skills")
	}
	for _, view := range p.Skills {
		if strings.Count(text, "`"+view.Path+"`") != 1 || !strings.Contains(text, "- `"+view.Name+"`: ") {
			t.Errorf("%s is not listed once with its path", view.Name)
		}
		if got := s.read(view.Path); !strings.Contains(got, "name: "+view.Name+"\n") {
			t.Errorf("at %s stands %s", view.Path, got)
		}
	}
	// A resumed session, and a look at it, tell the same.
	if again := s.prepare(s.session("one")); again.FirstPrompt() != text {
		t.Error("prepared again it tells something else")
	}
	e, err := s.host.Explain(t.Context(), s.session("one"))
	if err != nil || e.Prepared.FirstPrompt() != text {
		t.Errorf("explain tells something else: %v", err)
	}
	if strings.Contains(s.read(filepath.Join(p.Dir, "prop", "RULES.md")), "Where the skills lie") {
		t.Error("it stands in a file too")
	}
}

func TestC243_CatalogOfNoSkillsIsNoText(t *testing.T) {
	t.Parallel()
	s := newStage(t, prompting())
	ses := s.session("one")
	ses.SkipSkills = true
	if text := s.prepare(ses).FirstPrompt(); strings.Contains(text, "Where the skills lie") || text == "" {
		t.Errorf("the first prompt is %s", text)
	}
}

// A skill that gave way to one of the user's is listed by the name that it got.
func TestC243_CatalogHasTheNamesThatSkillsGot(t *testing.T) {
	t.Parallel()
	s := newStage(t, prompting())
	s.write("home/.prop/skills/tutti-handoff/SKILL.md", "---\nname: tutti-handoff\ndescription: of the user\n---\n")
	text := s.prepare(s.session("one")).FirstPrompt()
	if !strings.Contains(text, "- `tutti-handoff-tutti`: ") || !strings.Contains(text, "/tutti-handoff-tutti/SKILL.md`") || strings.Contains(text, "- `tutti-handoff`: ") {
		t.Errorf("the first prompt is %s", text)
	}
}
