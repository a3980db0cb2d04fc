package core

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// copying is a prop whose skills are files of the session.
func copying() prop {
	return prop{provider: "copying", extra: func(_ preparer.Request, l *preparer.Layout) {
		for i, e := range l.Entries {
			if place, ok := e.(preparer.PlaceSkills); ok {
				place.Copy = true
				l.Entries[i] = place
			}
		}
	}}
}

// Two users with other homes, projects, sessions and workspaces are told the same by every byte: nothing of a machine or a
// session is in it, so that a provider's cache of prompts serves both.
func TestC070_TwoMachinesAreToldTheSame(t *testing.T) {
	t.Parallel()
	told := func(workspace, id string) (text string, skills map[string]string, bundle *SkillBundle) {
		s := newStage(t)
		list := sample.Catalog()
		h := withCommands(s, &list, func(c *Config) { c.Environ = append(c.Environ, "USER="+id, "LANG=x") })
		ses := s.session(id)
		ses.Workspace, ses.BrowserUse, ses.ComputerUse = workspace, true, true
		ses.Connectors = &connector.Context{EnabledConnectors: []string{"b", "a"}, Hints: []connector.Hint{{Key: "b"}, {Key: "a", Aliases: []string{"A 1"}}}}
		p := mustPrepare(t, h, ses)
		_, text, _ = strings.Cut(s.read(filepath.Join(p.Dir, "prop", "RULES.md")), "# Tutti session")
		for _, mark := range []string{s.dir, s.home, ses.ID, ses.Workspace, filepath.Base(p.Dir)} {
			if strings.Contains(text, mark) {
				t.Errorf("the instructions hold %s", mark)
			}
		}
		b, err := h.RenderSkillBundle(t.Context(), BundleRequest{Session: ses, AgentTarget: "t"})
		if err != nil {
			t.Fatal(err)
		}
		b.AgentSessionID = ""
		return text, snapshot(t, filepath.Join(p.Dir, "prop", "skills", "greenroom")+"/", false), b
	}
	text, skills, bundle := told("workspace-one", "session-4711")
	otherText, otherSkills, otherBundle := told("another workspace", "other-id-4712")
	if len(text) < 5000 || len(bundle.Skills) != 8 {
		t.Fatalf("%d bytes and %d skills are compared", len(text), len(bundle.Skills))
	}
	// The block ends with a mark of the state directory, which is no part of what is told.
	cut := func(s string) string { before, _, _ := strings.Cut(s, "<!--"); return before }
	for _, diff := range []string{cmp.Diff(cut(text), cut(otherText)), cmp.Diff(skills, otherSkills), cmp.Diff(bundle, otherBundle)} {
		if diff != "" {
			t.Error(diff)
		}
	}
}

// A client that follows no link gets the same bytes as everybody else.
func TestC092_CopiedSkillsAreTheCanonicalOnes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil, copying())
	ses := s.session("one")
	ses.Provider = "copying"
	p := mustPrepare(t, h, ses)
	b, err := h.RenderSkillBundle(t.Context(), BundleRequest{Session: ses, AgentTarget: "t"})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(p.Dir, "prop", "skills", "greenroom")
	if info, err := os.Lstat(at); err != nil || !info.IsDir() {
		t.Fatalf("the skills are no directory of the session: %v", err)
	}
	files := 0
	for _, one := range b.Skills {
		for _, f := range append([]BundleFile{{Path: skill.MainFile, Content: one.Content}}, one.Files...) {
			files++
			if got := s.read(filepath.Join(at, one.Slug, filepath.FromSlash(f.Path))); got != f.Content {
				t.Errorf("%s/%s differs", one.Slug, f.Path)
			}
		}
	}
	if files < 8 {
		t.Errorf("%d files were compared", files)
	}
}

func TestC108_UnsafePlaceOfSkillsIsRefused(t *testing.T) {
	t.Parallel()
	for _, at := range []preparer.Place{preparer.Session("../skills"), preparer.Session("/skills"), preparer.Session(""), preparer.Workspace("skills"), preparer.InHome("prop", "skills")} {
		bad := prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) { l.Skills(preparer.PlaceSkills{At: at}) }}
		s := newStage(t, bad)
		if _, err := s.host.Prepare(t.Context(), s.session("one")); CodeOf(err) != ErrLayoutRefused {
			t.Errorf("%v: %v", at, err)
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("%v: left %q", at, left)
		}
	}
}

// A client that finds no skills is told all the same, and of no skill.
func TestC109_WithoutAPlaceForSkillsThereAreNone(t *testing.T) {
	t.Parallel()
	mute := prop{provider: "prop", describe: func(d *preparer.Descriptor) { d.Skills = preparer.SkillChannel{Kind: preparer.NoSkills} },
		extra: func(_ preparer.Request, l *preparer.Layout) {
			var kept []preparer.Entry
			for _, e := range l.Entries {
				if _, skills := e.(preparer.PlaceSkills); !skills {
					kept = append(kept, e)
				}
			}
			l.Entries = kept
		}}
	s := newStage(t, mute)
	h := s.open(func(c *Config) { c.Commands = command.Fixed(sample.Catalog()...) }, mute)
	p := mustPrepare(t, h, s.session("one"))
	text := s.read(filepath.Join(p.Dir, "prop", "RULES.md"))
	if len(p.Skills) != 0 || !strings.Contains(text, "# Tutti session") || strings.Contains(text, "## Skills") || !strings.Contains(text, "`tutti issue get") {
		t.Errorf("skills %v, told\n%s", p.Skills, text)
	}
	if _, err := os.Stat(filepath.Join(s.state, "store", "skills")); err == nil {
		t.Error("a bundle was made for nobody")
	}
}

// Skills of one name from two sides get the names in a bundle that they get in a session, and the bytes of it.
func TestC040_SkillsOfOneNameAreApartInABundleToo(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	note := func(id, name string) capability.SkillSpec {
		return capability.SkillSpec{Skill: skill.Skill{ID: id, Name: name, Files: map[string][]byte{"SKILL.md": []byte("---\nname: " + name + "\ndescription: " + id + "\n---\nbody\n")}}}
	}
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	ses := s.session("one")
	ses.ExtraSkills = []capability.SkillSpec{note("b/notes", "Notes"), note("a/notes", "notes"), note("c/reference", "reference")}
	// A source is asked about one directory by one name.
	var asked []string
	h.cfg.SkillSources = []capability.SkillSource{capability.SkillSourceFunc(func(_ context.Context, c capability.SkillContext) ([]capability.SkillSpec, error) {
		asked = append(asked, c.Cwd)
		return nil, nil
	})}
	ses.Cwd += "/."
	ask := func() map[string]string {
		b, err := h.RenderSkillBundle(t.Context(), BundleRequest{Session: ses, AgentTarget: "t"})
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, one := range b.Skills {
			if files[one.MaterializedPath] != "" || one.MaterializedPath != one.Slug+"/SKILL.md" {
				t.Errorf("%s of %s is there twice, or elsewhere", one.MaterializedPath, one.SkillID)
			}
			files[one.MaterializedPath] = one.Content
		}
		return files
	}
	first := ask()
	p := mustPrepare(t, h, ses)
	for path, content := range first {
		if got := s.read(filepath.Join(p.Dir, "prop", "skills", "greenroom", path)); got != content {
			t.Errorf("%s differs in the session:\n%s", path, cmp.Diff(content, got))
		}
	}
	if first["Notes-tutti/SKILL.md"] == "" || first["notes/SKILL.md"] == "" || first["reference-tutti/SKILL.md"] == "" {
		t.Errorf("the skills lie at %v", slices.Sorted(maps.Keys(first)))
	}
	if diff := cmp.Diff(first, ask()); diff != "" {
		t.Error("the bundle of a prepared session is another one:", diff)
	}
	if asked = slices.Compact(asked); !slices.Equal(asked, []string{p.Cwd}) {
		t.Errorf("the source was asked about %q", asked)
	}
}
