package core

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// withCommands makes a host whose tool has the commands of a list that may change.
func withCommands(s *stage, list *[]command.Command, change func(*Config), adapters ...preparer.Preparer) *Host {
	if len(adapters) == 0 {
		adapters = []preparer.Preparer{prop{provider: "prop"}}
	}
	return s.open(func(c *Config) {
		c.Commands = command.CatalogFunc(func(context.Context, command.Query) ([]command.Command, error) { return *list, nil })
		if change != nil {
			change(c)
		}
	}, adapters...)
}

func mustPrepare(t *testing.T, h *Host, s Session) *Prepared {
	t.Helper()
	p, err := h.Prepare(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func only(ids ...string) *command.CommandCapabilityProjection {
	return &command.CommandCapabilityProjection{AllowedIDs: append([]string{}, ids...)}
}

func TestC017_C018_CatalogIsAskedOncePerPreparation(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	asked := 0
	h := s.open(func(c *Config) {
		c.Commands = command.CatalogFunc(func(context.Context, command.Query) ([]command.Command, error) {
			asked++
			return sample.Catalog(), nil
		})
	}, prop{provider: "prop"})
	for i := range 3 {
		mustPrepare(t, h, s.session("one"))
		if asked != i+1 {
			t.Fatalf("%d preparations asked %d times", i+1, asked)
		}
	}
	if h.AdapterCalls("prop") != 1 {
		t.Errorf("the adapter was asked %d times for one kind of session", h.AdapterCalls("prop"))
	}
}

// A preparation that begins again because files of the user's changed is still one preparation.
func TestC018_CatalogIsAskedOnceThoughFilesChange(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	asked, answers := 0, 0
	h := s.open(func(c *Config) {
		c.Commands = command.CatalogFunc(func(context.Context, command.Query) ([]command.Command, error) {
			asked++
			return sample.Catalog(), nil
		})
	}, prop{provider: "prop", extra: func(preparer.Request, *preparer.Layout) {
		if answers++; answers == 1 {
			s.write("home/.prop/config.toml", "changed = true\n")
		}
	}})
	p := mustPrepare(t, h, s.session("one"))
	if got := s.read(filepath.Join(p.Dir, "prop/config.toml")); !strings.Contains(got, "changed = true") {
		t.Errorf("it did not begin again: %s", got)
	}
	if asked != 1 {
		t.Errorf("the catalog was asked %d times", asked)
	}
}

func TestC163_CatalogThatIsDownFailsThePreparation(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	down := errors.New("down")
	h := s.open(func(c *Config) {
		c.Commands = command.CatalogFunc(func(context.Context, command.Query) ([]command.Command, error) { return nil, down })
	}, prop{provider: "prop"})
	_, err := h.Prepare(t.Context(), s.session("one"))
	if CodeOf(err) != ErrCatalog || !errors.Is(err, down) {
		t.Errorf("it gives %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.state, "[ms]", "*")); len(left) != 0 {
		t.Errorf("a session was begun: %v", left)
	}
}

// The guide, the rules of the client and the host's own answer follow from one projection, over launch, resume and a
// restart of the host, whatever becomes of the catalog.
func TestC156_C161_C162_ProjectionHoldsForTheSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	told := prop{provider: "prop", extra: func(r preparer.Request, l *preparer.Layout) {
		for _, words := range r.Commands.Approved {
			l.File(preparer.Session("approved/"+strings.Join(words, ".")), preparer.S("allow"))
		}
	}}
	list := sample.Catalog()
	h := withCommands(s, &list, nil, told)
	dedicated := s.session("one")
	dedicated.Projection = only("issue.get", "issue.list")
	want := []string{"tutti.issue.get", "tutti.issue.list"}

	check := func(h *Host, when string, ask Session) {
		t.Helper()
		p := mustPrepare(t, h, ask)
		var approved []string
		for _, name := range slices.Sorted(maps.Keys(snapshot(t, filepath.Join(p.Dir, "approved"), false))) {
			if strings.HasPrefix(name, "tutti") {
				approved = append(approved, name)
			}
		}
		guide := s.read(filepath.Join(p.Dir, "prop/skills/greenroom/tutti-cli/command-guide.md"))
		if !strings.Contains(guide, "tutti issue get") || strings.Contains(guide, "issue create") || strings.Count(guide, "\n- ") != 2 {
			t.Errorf("%s: the guide is\n%s", when, guide)
		}
		if !cmp.Equal(approved, want) {
			t.Errorf("%s: approved are %v", when, approved)
		}
		for id, may := range map[string]bool{"issue.get": true, "issue.list": true, "issue.create": false, "agent.start": false, "nothing": false} {
			if err := h.Authorize(t.Context(), p.Ref, id); (err == nil) != may || err != nil && CodeOf(err) != ErrCommand {
				t.Errorf("%s: %s gives %v", when, id, err)
			}
		}
	}
	check(h, "launch", dedicated)
	check(h, "resume", dedicated)
	check(h, "resume without a word", s.session("one"))

	list = append(sample.Catalog(), command.Command{ID: "issue.purge", Path: []string{"issue", "purge"}})
	restarted := withCommands(s, &list, nil, told)
	check(restarted, "restart with more commands", s.session("one"))
	e, err := restarted.Explain(t.Context(), s.session("one"))
	if err != nil || e.Prepared.Generation != mustPrepare(t, restarted, s.session("one")).Generation {
		t.Errorf("explaining it gives %v", err)
	}

	for name, p := range map[string]*command.CommandCapabilityProjection{
		"more": only("issue.get", "issue.list", "issue.create"), "none": only(), "all": {Mode: command.All},
	} {
		ask := s.session("one")
		ask.Projection = p
		if _, err := restarted.Prepare(t.Context(), ask); CodeOf(err) != ErrSessionMismatch {
			t.Errorf("%s: preparing gives %v", name, err)
		}
		if _, err := restarted.Explain(t.Context(), ask); CodeOf(err) != ErrSessionMismatch {
			t.Errorf("%s: explaining gives %v", name, err)
		}
		if _, err := restarted.RenderSkillBundle(t.Context(), BundleRequest{Session: ask, AgentTarget: "a"}); CodeOf(err) != ErrSessionMismatch {
			t.Errorf("%s: rendering gives %v", name, err)
		}
	}
	check(restarted, "after refusals", s.session("one"))

	// A required command that is gone fails, and broadens nothing.
	list = sample.Without("issue.get")
	if _, err := restarted.Prepare(t.Context(), s.session("one")); CodeOf(err) != ErrCommand {
		t.Errorf("without a required command: %v", err)
	}
	if err := restarted.Authorize(t.Context(), dedicated.Ref(), "issue.list"); CodeOf(err) != ErrCommand {
		t.Errorf("without a required command the others are answered: %v", err)
	}
}

func TestC164_GeneralSessionStaysGeneral(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	p := mustPrepare(t, h, s.session("one"))
	ask := s.session("one")
	ask.Projection = only("issue.get")
	if _, err := h.Prepare(t.Context(), ask); CodeOf(err) != ErrSessionMismatch {
		t.Errorf("a general session was narrowed: %v", err)
	}
	if err := h.Authorize(t.Context(), p.Ref, "agent.start"); err != nil {
		t.Error(err)
	}
	none := s.session("two")
	none.Projection = only()
	q := mustPrepare(t, h, none)
	if got, err := h.Discover(t.Context(), q.Ref); err != nil || len(got.IDs()) != 0 {
		t.Errorf("a session with none has %v", err)
	}
}

func TestC161_FailsClosed(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	if err := h.Authorize(t.Context(), Ref{Workspace: "w", ID: "never"}, "issue.get"); CodeOf(err) != ErrProjection {
		t.Errorf("a session that there is not: %v", err)
	}
	if err := h.Authorize(t.Context(), Ref{ID: "x"}, "issue.get"); CodeOf(err) != ErrInvalid {
		t.Errorf("without a workspace: %v", err)
	}
	p := mustPrepare(t, h, s.session("one"))
	record := s.read(s.record())
	s.write(strings.TrimPrefix(s.record(), s.dir+"/"), strings.Replace(record, `"provider"`, `"Provider"`, 1))
	if err := h.Authorize(t.Context(), p.Ref, "issue.get"); CodeOf(err) != ErrProjection {
		t.Errorf("with a damaged record: %v", err)
	}
}

func TestC040_C080_BundleAndSessionAreOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, func(c *Config) {
		c.Profile = capability.StandardProfile()
		c.Profile.Packs = append(c.Profile.Packs, capability.CapabilityPack{Name: "weather", Resolve: func(context.Context, capability.View) (capability.CapabilityContribution, error) {
			return capability.CapabilityContribution{
				Enabled: true, EnvOverlay: []string{"TUTTI_WEATHER=1"},
				Skills:         []capability.SkillSpec{{Skill: skill.Skill{Name: "weather", Files: map[string][]byte{"SKILL.md": []byte("---\nname: weather\ndescription: d\n---\nbody\n"), "a/b.md": []byte("b")}}}},
				PolicySections: []capability.PolicySection{{Anchor: capability.Tools, Key: "note", Body: "- Weather is had."}},
			}, nil
		}})
	})
	session := s.session("one")
	session.BrowserUse, session.Detail = true, General
	session.Agent = canon.Agent{Name: "Reviewer", Instructions: "Be kind."}
	session.Connectors = &connector.Context{Hints: []connector.Hint{{Key: "crm"}}}
	p := mustPrepare(t, h, session)
	b, err := h.RenderSkillBundle(t.Context(), BundleRequest{Session: session, AgentTarget: "target"})
	if err != nil {
		t.Fatal(err)
	}
	slugs := []string{}
	for _, one := range b.Skills {
		slugs = append(slugs, one.Slug)
		files := append([]BundleFile{{Path: "SKILL.md", Content: one.Content}}, one.Files...)
		for _, f := range files {
			if got := s.read(filepath.Join(p.Dir, "prop/skills/greenroom", one.Slug, f.Path)); got != f.Content {
				t.Errorf("%s/%s is not the same in the session", one.Slug, f.Path)
			}
		}
		if !slices.IsSortedFunc(one.Files, func(a, b BundleFile) int { return strings.Compare(a.Path, b.Path) }) ||
			slices.ContainsFunc(one.Files, func(f BundleFile) bool { return f.Path == "SKILL.md" }) {
			t.Errorf("C088: the files of %s are %v", one.Slug, one.Files)
		}
	}
	want := []string{"tutti-cli", "tutti-handoff", "tutti-model-allocation", "issue-manager", "workspace-app", "reference", "browser-use", "weather"}
	if diff := cmp.Diff(want, slugs); diff != "" {
		t.Error(diff)
	}
	if b.SchemaVersion != 2 || b.CLICommand != "tutti" || b.Provider != "prop" || b.AgentTargetID != "target" || b.AgentSessionID != "one" || b.RecommendedSystemPrompt.Format != "text/markdown" {
		t.Errorf("the bundle is %+v", b)
	}
	rules := strings.ReplaceAll(s.read(filepath.Join(p.Dir, "prop/RULES.md")), "\r\n", "\n") // as in the user's file
	for what, text := range map[string]string{"bundle": b.RecommendedSystemPrompt.Content, "document": rules} {
		if !strings.Contains(text, "- Weather is had.") || !strings.Contains(text, "discovery mode") {
			t.Errorf("the %s lacks a policy", what)
		}
	}
	for _, want := range []string{"## Your role: Reviewer\n", "> Be kind.", "does not program", "`weather`"} {
		if !strings.Contains(rules, want) {
			t.Errorf("%q is not in the document", want)
		}
	}
	env := p.Environ(nil)
	for _, want := range []string{"TUTTI_WEATHER=1", "TUTTI_BROWSER_USE_ENABLED=1"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is not in %v", want, env)
		}
	}

	// C089: neither id nor directory is needed.
	session.ID, session.Cwd = "", ""
	if _, err := h.RenderSkillBundle(t.Context(), BundleRequest{Session: session, AgentTarget: "target"}); err != nil {
		t.Error(err)
	}
	for name, r := range map[string]BundleRequest{
		"no target": {Session: session}, "no workspace": {AgentTarget: "a", Session: Session{Provider: "prop"}}, "no provider": {AgentTarget: "a", Session: Session{Workspace: "w"}},
	} {
		if _, err := h.RenderSkillBundle(t.Context(), r); CodeOf(err) != ErrInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExplainSaysWhoBroughtWhat(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	session := s.session("one")
	session.BrowserUse = true
	session.ExtraSkills = []capability.SkillSpec{{Skill: skill.Skill{Name: "own", Files: map[string][]byte{"SKILL.md": []byte("---\nname: own\ndescription: d\n---\n")}}}}
	e, err := h.Explain(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	sections := []SectionView{
		{"desktop-host", "desktop-host/execution-notes", "tools"}, {"browser-use", "browser-use/browser-handoff", "tools"},
		{"desktop-host", "desktop-host/host-context", "specialized"},
	}
	if diff := cmp.Diff(sections, e.Sections); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]PackVar{{"browser-use", "TUTTI_BROWSER_USE_ENABLED"}}, e.Variables); diff != "" {
		t.Error(diff)
	}
	sources := map[string]string{}
	for _, v := range e.Prepared.Skills {
		sources[v.Name] = v.Source
	}
	if sources["tutti-cli"] != "pack:core" || sources["browser-use"] != "pack:browser-use" || sources["own"] != "session" || len(sources) != 8 {
		t.Errorf("skills are of %v", sources)
	}
}

// What a session brings changes its kind; what it does not, does not.
func TestEveryChoiceOfContentReachesTheSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	base := mustPrepare(t, h, s.session("base"))
	rules := func(p *Prepared) string { return s.read(filepath.Join(p.Dir, "prop/RULES.md")) }
	for name, change := range map[string]func(*Session){
		"detail":     func(s *Session) { s.Detail = General },
		"browser":    func(s *Session) { s.BrowserUse = true },
		"computer":   func(s *Session) { s.ComputerUse = true },
		"connectors": func(s *Session) { s.Connectors = &connector.Context{} },
		"agent":      func(s *Session) { s.Agent.Tools = []string{"grep"} },
		"skip":       func(s *Session) { s.SkipSkills = true },
		"projection": func(s *Session) { s.Projection = only("app.open") },
		"extra": func(s *Session) {
			s.ExtraSkills = []capability.SkillSpec{{Skill: skill.Skill{Name: "own", Files: map[string][]byte{"SKILL.md": []byte("---\nname: own\ndescription: d\n---\n")}}}}
		},
	} {
		session := s.session(name)
		change(&session)
		if rules(mustPrepare(t, h, session)) == rules(base) {
			t.Errorf("%s changes nothing", name)
		}
	}
	if p := mustPrepare(t, h, s.session("again")); rules(p) != rules(base) {
		t.Error("C067: two sessions of one kind are told different things")
	}
	bad := s.session("bad")
	bad.Detail = "some"
	if _, err := h.Prepare(t.Context(), bad); CodeOf(err) != ErrInvalid {
		t.Errorf("an unknown detail mode: %v", err)
	}
}

// Whoever adds a choice to a session has to say here where it goes.
func TestEveryFieldOfASessionIsRead(t *testing.T) {
	t.Parallel()
	known := []string{
		"Workspace", "ID", "Provider", "ExtensionRuntimePrep", "Cwd", "Inherit", "TrustWorkspace", "Detail", "BrowserUse", "ComputerUse", "Connectors", "Servers", "Agent", "ExtraSkills", "SkipSkills", "Projection", "Endpoint", "Transcript", "Saver",
		"RTK", "Logins", "SkillRoots",
	}
	var fields []string
	for i := range reflect.TypeFor[Session]().NumField() {
		fields = append(fields, reflect.TypeFor[Session]().Field(i).Name)
	}
	if diff := cmp.Diff(known, fields); diff != "" {
		t.Error(diff)
	}
}

func TestC110_NothingPilesUpIn200Preparations(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	s.write("home/.prop/skills/tutti-cli/SKILL.md", "---\nname: tutti-cli\ndescription: of the user\n---\n")
	session := s.session("one")
	session.BrowserUse = true
	p := mustPrepare(t, h, session)
	before := snapshot(t, s.state, true)
	for range 200 {
		mustPrepare(t, h, session)
	}
	if diff := cmp.Diff(before, snapshot(t, s.state, true)); diff != "" {
		t.Error(diff)
	}
	names := map[string]bool{}
	for _, v := range p.Skills {
		names[v.Name] = true
	}
	if !names["tutti-cli-tutti"] || names["tutti-cli"] {
		t.Errorf("C187: ours are called %v", names)
	}
}

// Sessions of one kind share one bundle, which holds nothing of theirs; other content is another bundle.
func TestC180_C182_SessionsShareABundle(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	target := func(session Session) string {
		p := mustPrepare(t, h, session)
		to, err := os.Readlink(filepath.Join(p.Dir, "prop/skills/greenroom"))
		if err != nil {
			t.Fatal(err)
		}
		for name, line := range snapshot(t, to, false) {
			if strings.Contains(line, session.ID) {
				t.Errorf("%s names the session", name)
			}
		}
		return to
	}
	one, two := target(s.session("session-4711")), target(s.session("session-4712"))
	if one != two || !strings.HasPrefix(one, filepath.Join(s.state, "store", "skills")) {
		t.Errorf("they are at %s and %s", one, two)
	}
	list = sample.Without("agent.wait")
	if three := target(s.session("session-4713")); three == one {
		t.Error("another guide is the same bundle")
	}
	if target(s.session("session-4711")) == one {
		t.Error("a session keeps a guide of commands that are gone")
	}
}
