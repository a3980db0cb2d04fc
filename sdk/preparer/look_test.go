package preparer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestParseKeyReadsWhatStringWrites(t *testing.T) {
	t.Parallel()
	for _, key := range []p.KeyPath{{"a"}, {"a", "b"}, {"a/b", "~", "~1", ""}, {"*"}} {
		if diff := cmp.Diff(key, p.ParseKey(key.String())); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

func TestItemsOfWhatWasLearned(t *testing.T) {
	t.Parallel()
	found := p.Found{Values: map[string]p.Value{
		"plugins/b/on": p.Bool(true), "plugins/a~1x/on": p.Bool(true), "plugins/c/on": p.Bool(false),
		"plugins/d": p.Bool(true), "plugins/e/on/more": p.Bool(true), "other/f/on": p.Bool(true), "name": p.S("n"), "n": p.Int(1),
	}}
	on := p.Key("plugins", "*", "on")
	if diff := cmp.Diff([]string{"a/x", "b", "c"}, found.Items(on)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a/x", "b"}, found.Items(on, p.Bool(true))); diff != "" {
		t.Error(diff)
	}
	if found.Text(p.Key("name")) != "n" || found.Text(p.Key("n")) != "" || found.Text(p.Key("absent")) != "" {
		t.Error("a text is not what was learned")
	}
}

func TestBringFollowsTheKind(t *testing.T) {
	t.Parallel()
	at := p.Session("at")
	files := p.NamesAt("files", ".md", p.AtUser("files")).Carrying(p.Skills)
	trees := p.NamesAt("trees", p.FilterSkillTrees, p.AtUser("trees")).Carrying(p.Skills)
	file := p.FileAt("file", p.AtUser("file")).Carrying(p.Skills)
	only := p.Choice{Mode: p.Only, Names: []string{"a", "b.md"}}
	for name, c := range map[string]struct {
		in     p.Input
		choice p.Choice
		want   []p.Entry
	}{
		"files":          {files, p.Choice{Mode: p.All}, []p.Entry{p.Expose{At: at, Input: "files", Copy: true}}},
		"directories":    {trees, p.Choice{Mode: p.All}, []p.Entry{p.Expose{At: at, Input: "trees"}}},
		"file":           {file, p.Choice{Mode: p.All}, []p.Entry{p.Copy{At: at, Input: "file"}}},
		"named files":    {files, only, []p.Entry{p.Expose{At: at, Input: "files", Copy: true, Only: []string{"a", "a.md", "b.md"}}}},
		"named":          {trees, only, []p.Entry{p.Expose{At: at, Input: "trees", Only: []string{"a", "b.md"}}}},
		"file of a kind": {file, only, nil},
		"no files":       {files, p.Choice{Mode: p.None}, nil},
		"unsaid":         {trees, p.Choice{}, nil},
	} {
		r := p.Request{Options: p.Options{Inherit: p.Inherit{p.Skills: c.choice}}, Inputs: map[string]p.Found{"file": {Exists: true}}}
		l := p.NewLayout()
		l.Bring(r, c.in, at)
		if diff := cmp.Diff(c.want, l.Entries); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSectionsTakeOutWhatDoesNotComeAlong(t *testing.T) {
	t.Parallel()
	sections := p.Sections{
		{Keys: []string{"looks"}},
		{Kind: p.Hooks, Keys: []string{"hooks"}},
		{Kind: p.Plugins, Keys: []string{"plugins", "markets"}, Items: "plugins", Off: p.Key("features", "plugins"), OffForNone: true},
		{Kind: p.MCPServers, Keys: []string{"servers"}, Items: "servers", Off: p.Key("features", "apps")},
		{Kind: p.ModelSettings, Off: p.Key("counted"), Report: []string{"model"}},
	}
	choose := func(mode p.Mode) p.Inherit {
		in := p.Inherit{}
		for _, kind := range p.Kinds() {
			in[kind] = p.Choice{Mode: mode, Names: []string{"a"}}
		}
		return in
	}
	off := func(path ...string) p.Edit { return p.Set(path, p.Bool(false)) }
	some := choose(p.Only)
	some[p.ModelSettings] = p.Choice{Mode: p.All}
	for name, c := range map[string]struct {
		in   p.Inherit
		want []p.Edit
	}{
		"all": {choose(p.All), nil},
		"none": {choose(p.None), []p.Edit{p.Keep(p.Key(), "kept", "looks"), off("features", "plugins"), off("features", "apps"),
			off("counted")}},
		// What cannot be named stays out; plugins that are named need their switch.
		"some": {some, []p.Edit{p.Keep(p.Key("plugins"), "a"), p.Keep(p.Key("servers"), "a"), p.Delete(p.Key("hooks")),
			off("features", "apps")}},
	} {
		if diff := cmp.Diff(c.want, sections.Edits(c.in, "kept")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	want := []p.Carry{{Kind: p.Hooks, Keys: []p.KeyPath{{"hooks"}}}, {Kind: p.Plugins, Keys: []p.KeyPath{{"plugins"}, {"markets"}}},
		{Kind: p.MCPServers, Keys: []p.KeyPath{{"servers"}}}, {Kind: p.ModelSettings, Keys: []p.KeyPath{{"model"}}}}
	if diff := cmp.Diff(want, sections.Carried(p.Input{}).Carries); diff != "" {
		t.Error(diff)
	}
}

// A server that asks for what is not its own goes, by whatever way it asks; the person is told of those that they would
// have had, by name.
func TestServersThatAskForACredentialOfTheHostsAreLeftOut(t *testing.T) {
	t.Parallel()
	config := p.FileAt("config", p.AtUser("config")).Carrying(p.MCPServers, "servers/*")
	found := map[string]p.Found{"config": {Values: map[string]p.Value{
		"servers/key/token": p.S(p.EndpointKeyVar), "servers/key/headers/X": p.S("HEADER_1"), "servers/he~1ader/headers/X": p.S("HEADER_1"),
		"servers/own/token": p.S(p.EndpointKeyVar + "_OF_THEIRS"), "servers/number/token": p.Int(1), "token": p.S(p.EndpointKeyVar),
	}}}
	paths := []p.KeyPath{p.Key("servers", "*", "token"), p.Key("servers", "*", "headers", "*")}
	for name, c := range map[string]struct {
		choice p.Choice
		want   []string
	}{
		"all":   {p.Choice{Mode: p.All}, []string{"he/ader", "key"}},
		"named": {p.Choice{Mode: p.Only, Names: []string{"key", "own"}}, []string{"key"}},
		"none":  {p.Choice{Mode: p.None}, nil},
	} {
		l := p.NewLayout()
		edits := l.LeaveOutAsking(p.Request{Inputs: found, Options: p.Options{Inherit: p.Inherit{p.MCPServers: c.choice}}}, config,
			"x.left-out", "servers", "HEADER_", paths...)
		var want []p.Edit
		var notes []p.Diagnostic
		for _, server := range c.want {
			want = append(want, p.Delete(p.Key("servers", server)))
			notes = append(notes, p.Warn("x.left-out", "your mcp server "+server+" asks for a credential of the host's, and stays out of the session",
				"give it a variable of its own"))
		}
		if diff := cmp.Diff(want, edits) + cmp.Diff(notes, l.Diagnostics); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
