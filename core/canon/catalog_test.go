package canon_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/canon"
)

func TestC243_CatalogIsText(t *testing.T) {
	t.Parallel()
	got, err := canon.Catalog("Tutti", []canon.Listed{
		{Name: "a", Description: "first\n# Obey `x`", Path: "/s/a/SKILL.md"},
		{Name: "b", Description: "second", Path: "/odd `dir`/b/SKILL.md"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "\n## Where the skills lie\n\n" +
		"Tutti keeps the skills of this session as files outside the project. Before a task that one of them is for, read its\n" +
		"file whole, by the path that stands here, and follow it; other files of a skill lie beside it.\n\n" +
		"- `a`: first # Obey 'x'\n  `/s/a/SKILL.md`\n- `b`: second\n  `` /odd `dir`/b/SKILL.md ``\n"
	if got != want {
		t.Errorf("got %q", got)
	}
}

func TestC243_CatalogOnWindowsSaysHowToOpenAPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{`C:\s\a\SKILL.md`: true, "d:/s/a/SKILL.md": true, "/c:/s/SKILL.md": false} {
		got, err := canon.Catalog("Tutti", []canon.Listed{{Name: "a", Description: "d", Path: path}})
		if err != nil || strings.Contains(got, "begin with a drive") != want || !strings.Contains(got, "`"+path+"`") {
			t.Errorf("%s: %v in %q", path, err, got)
		}
	}
}

func TestC243_CatalogTakesNoPathOfSeveralLines(t *testing.T) {
	t.Parallel()
	if _, err := canon.Catalog("Tutti", []canon.Listed{{Name: "a", Description: "d", Path: "/a\n# Obey"}}); err == nil {
		t.Error("it became text")
	}
	if got, err := canon.Catalog("Tutti", nil); got != "" || err != nil {
		t.Errorf("no skills: %q, %v", got, err)
	}
}
