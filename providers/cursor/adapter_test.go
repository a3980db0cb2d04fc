package cursor_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/providers/cursor"
	p "github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/preparertest"
)

func prepare(t *testing.T, change func(*p.Request)) *p.Layout {
	t.Helper()
	r := preparertest.DefaultRequest(cursor.Adapter{}.Describe())
	if change != nil {
		change(&r)
	}
	l, err := cursor.Adapter{}.Prepare(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The keys are those that the vendor documents for a plugin; "name" is the one that it needs.
func TestC243_ManifestHoldsDocumentedKeysAndNoHooks(t *testing.T) {
	t.Parallel()
	l := prepare(t, nil)
	documented := []string{"name", "displayName", "version", "description", "author", "license", "keywords", "skills", "rules"}
	found := 0
	for _, e := range l.Entries {
		if e.Place().Root != p.RootSession || !strings.HasPrefix(e.Place().Path, "cursor/plugin/") {
			t.Errorf("%T at %v is outside of the plugin", e, e.Place())
		}
		if strings.Contains(e.Place().Path, "hooks") {
			t.Errorf("%T at %v: there are no hooks", e, e.Place())
		}
		doc, ok := e.(p.TypedDocument)
		if !ok {
			continue
		}
		found++
		for key := range maps.Keys(doc.Root) {
			if !slices.Contains(documented, key) {
				t.Errorf("the manifest holds %q, which is not documented", key)
			}
		}
		for key, want := range map[string]p.Value{"name": p.S("tutti-cli"), "skills": p.S("./skills/"), "license": p.S("UNLICENSED")} {
			if doc.Root[key] != want {
				t.Errorf("%s is %v, want %v", key, doc.Root[key], want)
			}
		}
		if rules, ok := doc.Root["rules"].(p.List); !ok || len(rules) > 0 {
			t.Errorf("rules are %v, want an empty list", doc.Root["rules"])
		}
	}
	if found != 1 {
		t.Errorf("%d manifests", found)
	}
}

// Flags of the program stand in front of its command, which whoever starts it adds.
func TestC245_PluginIsNamedOnceInFrontOfTheCommand(t *testing.T) {
	t.Parallel()
	l := prepare(t, nil)
	want := []p.Value{p.S("--plugin-dir"), p.Session("cursor/plugin").Value()}
	if diff := cmp.Diff(want, l.Launch.Before); diff != "" || len(l.Launch.After) > 0 {
		t.Errorf("%s, and behind the command %v", diff, l.Launch.After)
	}
}

// The context is the host's whole: its document first, and last the catalog of the skills that are placed.
func TestC243_FirstPromptHoldsPolicyAndCatalog(t *testing.T) {
	t.Parallel()
	text, catalog := p.Text{Document: "instructions"}, p.SkillCatalog{At: p.Session("cursor/plugin/skills")}
	for count, want := range map[int][]p.Value{0: {text}, 1: {text, catalog}, 300: {text, catalog}} {
		l := prepare(t, func(r *p.Request) { r.Skills.Count = count })
		if diff := cmp.Diff(want, l.Launch.FirstPrompt); diff != "" {
			t.Errorf("%d skills: %s", count, diff)
		}
		if len(l.Env) > 0 {
			t.Errorf("%d skills: variables are set: %v", count, l.Env)
		}
	}
}

// Names of the user's and the project's skills stay theirs, wherever the client finds them.
func TestC100_SkillsGiveWayToEveryDirectoryOfTheClient(t *testing.T) {
	t.Parallel()
	for _, e := range prepare(t, nil).Entries {
		if s, ok := e.(p.PlaceSkills); ok && (!s.Copy || !slices.Equal(s.Reserve, []string{"skills", "project-skills"})) {
			t.Errorf("skills are placed as %+v", s)
		}
	}
	var at []p.Location
	for _, i := range (cursor.Adapter{}).Describe().Inputs {
		if i.Name == "skills" || i.Name == "project-skills" {
			at = append(at, i.At...)
		}
	}
	for _, dir := range []string{".cursor/skills", ".agents/skills", ".claude/skills", ".codex/skills"} {
		for _, want := range []p.Location{p.AtUser(dir), p.AtWorkspace(dir).UpToGitRoot()} {
			if !slices.Contains(at, want) {
				t.Errorf("%v is not looked at", want)
			}
		}
	}
}

// Nothing is claimed of a client that could not be tried.
func TestH28_NoKindIsSaidToStayOut(t *testing.T) {
	t.Parallel()
	if d := (cursor.Adapter{}).Describe(); len(d.Inherit) > 0 || d.Model.Protocol != p.NoProtocol || d.Saver {
		t.Errorf("it claims %v, %v and %v", d.Inherit, d.Model, d.Saver)
	}
}
