package core

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// An adapter can have a reason to leave out what was to come along. The report says what the layout does, and where each
// item lies.
func TestTheReportSaysWhatTheLayoutDoes(t *testing.T) {
	t.Parallel()
	key := preparer.Key
	file := func(name, path string, c ...preparer.Carry) preparer.Input {
		return preparer.Input{Name: name, Kind: preparer.InputFile, At: []preparer.Location{preparer.At("prop", path)}, Carries: c}
	}
	names := func(name, filter string, at ...preparer.Location) preparer.Input {
		return preparer.Input{Name: name, Kind: preparer.InputNames, Filter: filter, At: at, Carries: []preparer.Carry{{Kind: preparer.ModelSettings}}}
	}
	instructions := preparer.Carry{Kind: preparer.Instructions}
	p := binding()
	describe := p.describe
	p.describe = func(d *preparer.Descriptor) {
		describe(d)
		settings := file("settings", "settings.toml", preparer.Carry{Kind: preparer.ModelSettings, Keys: []preparer.KeyPath{
			key("deleted"), key("below", "*"), key("table", "*"), key("replaced", "*"), key("mended"), key("kept")}})
		settings.Format = preparer.TOML
		prompt := file("prompt", "SYSTEM.md", instructions)
		outside := names("outside", ".md", preparer.AtUser(".agents/one"), preparer.AtUser(".agents/two"))
		learned := names("learned", preparer.FilterDirs, preparer.At("prop", "learned"))
		learned.Learn = preparer.LearnValues
		d.Inputs = append(d.Inputs, settings, prompt, outside, learned,
			names("shared", ".md", preparer.At("prop", "plugins/notes")), names("unplaced", ".md", preparer.At("prop", "unplaced")),
			names("excepted", ".md", preparer.At("prop", "excepted")), file("named", "NAMED.md", instructions))
	}
	extra := p.extra
	p.extra = func(r preparer.Request, l *preparer.Layout) {
		if extra != nil {
			extra(r, l)
		}
		home := preparer.Session("prop")
		l.Merge(home.Join("settings.toml"), preparer.TOML, []preparer.Base{preparer.FromInput("settings")},
			preparer.Delete(key("deleted")), preparer.Delete(key("below")), preparer.Keep(key("table"), "stays"),
			preparer.Replace(key("replaced"), preparer.Object{"ours": preparer.S("x")}), preparer.Set(key("mended"), preparer.S("ours")))
		l.Expose(preparer.Expose{At: home.Join("excepted"), Input: "excepted", Except: []string{"ours.md"}, Copy: true})
		l.File(home.Join("list"), preparer.InputPath{Input: "named"})
	}
	s := newStage(t, p)
	s.write("home/.prop/settings.toml", "deleted = 1\nmended = 1\nkept = 1\n[below]\nthing = 1\n[table]\nstays = 1\ngoes = 1\n[replaced]\nthis = 1\n")
	for _, path := range []string{".prop/SYSTEM.md", ".prop/NAMED.md", ".agents/one/a.md", ".agents/two/a.md", ".agents/two/b.md", ".prop/learned/x/f",
		".prop/plugins/notes/n.md", ".prop/unplaced/u.md", ".prop/excepted/ours.md", ".prop/excepted/theirs.md"} {
		s.write("home/"+path, "text\n")
	}
	report := func(ses Session) map[string]InheritState {
		got := map[string]InheritState{}
		for _, i := range s.prepare(ses).Inherited {
			if i.Kind == preparer.ModelSettings || strings.HasSuffix(i.Name, "ED.md") || i.Name == "SYSTEM.md" {
				got[i.Name+" from "+i.Source] = i.State
			}
		}
		return got
	}
	const settings = " from home:prop/settings.toml"
	want := map[string]InheritState{
		"deleted" + settings: LeftOut, "thing" + settings: LeftOut, "stays" + settings: CameAlong, "goes" + settings: LeftOut,
		"this" + settings: LeftOut, "kept" + settings: CameAlong, "mended" + settings: CameAlong,
		"SYSTEM.md from home:prop/SYSTEM.md": LeftOut, "NAMED.md from home:prop/NAMED.md": CameAlong,
		"a.md from ~/.agents/one": CameAlong, "b.md from ~/.agents/two": CameAlong, "x from home:prop/learned": CameAlong,
		"n.md from home:prop/plugins/notes": CameAlong, "u.md from home:prop/unplaced": LeftOut,
		"ours.md from home:prop/excepted": LeftOut, "theirs.md from home:prop/excepted": CameAlong,
	}
	if diff := cmp.Diff(want, report(s.session("plain"))); diff != "" {
		t.Errorf("plain (-want +got):\n%s", diff)
	}
	want["mended"+settings] = Displaced
	if diff := cmp.Diff(want, report(bound(s.session("bound"), "http://127.0.0.1:1/v1"))); diff != "" {
		t.Errorf("on an endpoint (-want +got):\n%s", diff)
	}
}

// A choice by name means the whole name: only of files is it without what all of them end in.
func TestAChoiceByNameIsNotCut(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("home/.prop/skills/mine.v2/SKILL.md", "---\nname: mine-v2\ndescription: of the user\n---\n")
	ses := s.session("one")
	ses.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.Skills: {Mode: preparer.Only, Names: []string{"mine"}}}
	got := map[string]InheritState{}
	p := s.prepare(ses)
	for _, i := range p.Inherited {
		if i.Kind == preparer.Skills {
			got[i.Name] = i.State
		}
	}
	unknown := func(d Diagnostic) bool { return d.Code == "inherit_unknown" }
	if slices.ContainsFunc(p.Diagnostics, unknown) {
		t.Error("a name that there is counts as unknown")
	}
	ses.Inherit.Kinds[preparer.Skills] = preparer.Choice{Mode: preparer.Only, Names: []string{"mine", "mine.v3"}}
	if p := s.prepare(ses); !slices.ContainsFunc(p.Diagnostics, unknown) {
		t.Error("a name that nothing has is passed over in silence")
	}
	if diff := cmp.Diff(map[string]InheritState{"mine": CameAlong, "mine.v2": LeftOut}, got); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
}

// What the descriptor says to give way to a model endpoint is reported as displaced in a session on one, where it would have
// come along and where the client gives no way to leave it out, and nowhere else.
func TestC256_TheReportSaysWhatAnEndpointDisplaces(t *testing.T) {
	t.Parallel()
	p := binding()
	describe := p.describe
	p.describe = func(d *preparer.Descriptor) {
		describe(d)
		// In a file that the client reads where it is, so that nothing in the layout tells.
		theirs := preparer.FileAt("theirs", preparer.AtUser(".prop.json")).Carrying(preparer.ModelSettings, "env/*", "agent/*", "theme").
			CarryingDisplaced(preparer.ModelSettings, "model", "provider/*").CarryingFast(preparer.Instructions, "notes").
			DisplacedIn("env", "ADDRESS")
		theirs.Format = preparer.JSON
		d.Inputs = append(d.Inputs, theirs)
	}
	const file = `{"model": "m", "theme": "dark", "notes": "n", "env": {"ADDRESS": "a", "OTHER": "b"},
		"provider": {"same": {"model": "m"}}, "agent": {"same": {"model": "m"}}}`
	all, none := preparer.Choice{Mode: preparer.All}, preparer.Choice{Mode: preparer.None}
	for name, c := range map[string]struct {
		bound  bool
		choice preparer.Choice
		fast   bool // the client gives no way to leave them out
		model  InheritState
		theme  InheritState
	}{
		"come along":                        {choice: all, model: CameAlong, theme: CameAlong},
		"come along on an endpoint":         {bound: true, choice: all, model: Displaced, theme: CameAlong},
		"are left out":                      {choice: none, model: LeftOut, theme: LeftOut},
		"are left out on an endpoint":       {bound: true, choice: none, model: LeftOut, theme: LeftOut},
		"cannot be left out":                {choice: none, fast: true, model: NotExcluded, theme: NotExcluded},
		"cannot be left out on an endpoint": {bound: true, choice: none, fast: true, model: Displaced, theme: NotExcluded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := p
			describe := p.describe
			p.describe = func(d *preparer.Descriptor) {
				describe(d)
				if !c.fast {
					d.Inherit[preparer.ModelSettings] = preparer.Exclusion{How: preparer.ByLayout}
				}
			}
			s := newStage(t, p)
			s.write("home/.prop.json", file)
			ses := s.session("one")
			ses.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.ModelSettings: c.choice}
			if c.bound {
				ses = bound(ses, "http://127.0.0.1:1/v1")
			}
			got := map[string][]InheritState{}
			prepared := s.prepare(ses)
			for _, i := range prepared.Inherited {
				if i.Source == "~/.prop.json" {
					got[i.Name] = append(got[i.Name], i.State)
				}
			}
			// An agent and a provider of one name are two things.
			want := map[string][]InheritState{"model": {c.model}, "ADDRESS": {c.model}, "OTHER": {c.theme}, "theme": {c.theme},
				"same": {c.theme, c.model}, "notes": {CameAlong}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, d := range prepared.Diagnostics {
				if d.Code == "not_excludable" && strings.Contains(d.Text, " model from ") && c.model != NotExcluded {
					t.Errorf("and yet it is said: %s", d.Text)
				}
			}
		})
	}
}
