package preparertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// TestPrint holds the printer to a file, so that golden files of adapters do not change by accident, and shows that
// everything a layout can say is printed.
func TestPrint(t *testing.T) {
	t.Parallel()
	l, home := p.NewLayout(), p.Session("actor")
	text := p.Text{Document: "instructions"}
	l.Dir(home)
	l.ScratchDir(home.Join("tmp"))
	l.Program(home.Join("run.sh"), p.S("#!/bin/sh\nexec "), p.Quote(p.Shell, home.Join("bin").Value()), p.S(" \"$@\"\n"))
	l.File(home.Join("note"), text, p.S("\n"), p.Text{Document: "instructions", Section: "skills"})
	l.Document(home.Join("a.json"), p.JSON, p.Object{
		"b": p.Strings("x", "y"), "a": p.Object{"n": p.Int(1), "f": p.Float(0.5)}, "e": p.List{}, "s": p.Secret{Name: "key"},
		"i": p.InputPath{Input: "config"}, "c": p.Concat{p.S("k="), p.Secret{Name: "key"}},
	})
	l.Merge(home.Join("c.toml"), p.TOML, []p.Base{p.Current(), p.FromInput("config"), p.Empty()},
		p.Set(p.Key("a", "b/c"), p.Bool(true)), p.Delete(p.Key("servers", "*")), p.DeleteIfEqual(p.Key("d"), p.Object{"x": p.Int(1)}).Together("e", p.S("f")),
		p.Replace(p.Key("r"), p.Object{}), p.Keep(p.Key("k")), p.Keep(p.Key("k"), "one", "two"),
		p.Append(p.Key("l"), p.ListPaths, home.Join("p").Value()), p.Upsert(p.Key("u"), "id", p.Object{"id": p.S("i")}),
		p.Rebase(p.Key("agents", "*", "file"), "actor"), p.Require(p.Key("f"), "file"), p.Rekey(p.Key("k"), "actor", home), p.Distinct(p.Key("l")), p.Splice(p.Key("t"), text))
	l.Block(p.Workspace("AGENTS.md"), []p.Base{p.Current(), p.Empty()}, text)
	l.Brief(p.Request{Instructions: p.Document{Name: "instructions"}, RTK: &p.RTK{Reference: p.Document{Name: "rtk"}}}, home.Join("LED.md"), p.FromInput("config"))
	l.Link(home.Join("models"), p.Cache("models", "m.json", "config#account"))
	l.Copy(home.Join("copy"), "config")
	l.Expose(p.Expose{At: home.Join("skills"), Input: "skills", Except: []string{"x"}, Only: []string{}, Copy: true})
	l.Share(home.Join("plugins"), p.At("actor", "plugins"))
	l.MakeShare(home.Join("bin"), p.At("actor", "bin"))
	l.Login(p.Login{At: home.Join("auth.json"), Input: "login", JSON: true, Fresher: p.Key("last"), Lock: ".lock"})
	l.Skills(p.PlaceSkills{At: home.Join("skills/greenroom"), Reserve: []string{"skills"}, Copy: true, Keep: true})
	l.Check(home.Join("c.toml"), p.CheckTOML, p.Key("a"), p.Key("b", "c"))
	l.Set("A", home.Value())
	l.SetEmpty("B")
	l.Unset("C")
	l.PrependPath("PATH", home.Join("bin").Value())
	l.AppendList("LIST", ",", "a", "b")
	l.Args(p.S("--home"), home.Value())
	l.ArgsAfter(p.S("x"))
	l.FirstPrompt(text, p.S("\n"), p.SkillCatalog{At: home.Join("skills/greenroom")})
	l.Action(p.Action{Kind: p.SnapshotTree, At: home, Marker: "done"})
	l.Action(p.Action{Kind: p.VerifySkills})
	l.Strip("ACTOR_*")
	l.Note(p.Warn("actor.old", "the client is old", "update it"))
	path := filepath.Join("testdata", "print.txt")
	if *update {
		if err := os.WriteFile(path, []byte(Print(l)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(Print(l), "\n")); d != "" {
		t.Fatal(d)
	}
}

func TestGoldenSeesAChange(t *testing.T) {
	t.Parallel()
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "case.txtar")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	file := write("About.\n-- request.json --\n{}\n")
	if bad := golden(t, good(), file, false); len(bad) == 0 {
		t.Fatal("a case without an answer passed")
	}
	for range 2 {
		if bad := golden(t, good(), file, true); len(bad) > 0 {
			t.Fatal(bad)
		}
		if bad := golden(t, good(), file, false); len(bad) > 0 {
			t.Fatal(bad)
		}
	}
	if !strings.HasPrefix(string(read(file)), "About.\n-- request.json --\n{}\n-- layout.txt --\n") {
		t.Fatalf("updated to %s", read(file))
	}
	other := then(func(l *p.Layout, _ p.Request) { l.Set("ACTOR_X", p.S("y")) })
	if bad := golden(t, other, file, false); len(bad) == 0 {
		t.Fatal("another layout passed")
	}
	undeclared := then(func(l *p.Layout, _ p.Request) { l.Set("X", p.S("y")) })
	if bad := golden(t, undeclared, file, true); len(bad) == 0 {
		t.Fatal("a layout that breaks a rule became golden")
	}
}

func TestParseRequest(t *testing.T) {
	t.Parallel()
	d := good().desc
	r, err := ParseRequest(d, []byte(`{
		"target": {"os": "windows", "tools": ["rg"]},
		"sections": ["intro"], "skills": 0,
		"inherit": {"*": "none", "skills": ["a"], "hooks": []},
		"inputs": {"config": {"index": 1, "values": {"model": "m", "n": 1, "f": 1.5, "l": [true], "o": {"k": "v"}}}, "skills": {}},
		"endpoint": {"name": "N", "protocol": "openai", "baseURL": "u", "models": [{"id": "m", "name": "M"}], "default": "m"},
		"servers": [{"name": "a", "url": "https://a.example/", "headers": ["X-A", "X-B"]}, {"name": "b", "url": "u", "headers": ["X-C"]}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := p.Request{
		Target:       p.Target{OS: "windows", Arch: "amd64", ClientVersion: "1.0.0", Tools: []string{"rg"}},
		Instructions: p.Document{Name: "instructions", Sections: []string{"intro"}},
		Endpoint: &p.Endpoint{Name: "N", Protocol: p.OpenAI, BaseURL: "u", Models: []p.EndpointModel{{ID: "m", Name: "M"}},
			Default: "m", Key: p.Secret{Name: "endpoint-key"}, Base: p.Document{Name: "base"}},
		Servers: []p.Server{
			{Name: "a", URL: "https://a.example/", Headers: []p.Header{
				{Name: "X-A", Var: "ACTOR_MCP_1", Value: p.Secret{Name: "header-1"}}, {Name: "X-B", Var: "ACTOR_MCP_2", Value: p.Secret{Name: "header-2"}},
			}},
			{Name: "b", URL: "u", Headers: []p.Header{{Name: "X-C", Var: "ACTOR_MCP_3", Value: p.Secret{Name: "header-3"}}}},
		},
		Options: p.Options{Inherit: p.Inherit{
			p.Instructions: {Mode: p.None}, p.Skills: {Mode: p.Only, Names: []string{"a"}}, p.MCPServers: {Mode: p.None},
			p.Hooks: {Mode: p.Only, Names: []string{}}, p.Plugins: {Mode: p.None}, p.Memories: {Mode: p.None},
			p.ModelSettings: {Mode: p.None},
		}},
		Inputs: map[string]p.Found{
			"config": {Exists: true, Index: 1, Values: map[string]p.Value{
				"model": p.S("m"), "n": p.Int(1), "f": p.Float(1.5), "l": p.List{p.Bool(true)}, "o": p.Object{"k": p.S("v")},
			}},
			"skills": {Exists: true}, "login": {},
		},
	}
	if d := cmp.Diff(want, r); d != "" {
		t.Fatal(d)
	}
	for name, bad := range map[string]string{
		"unknown field":   `{"session": "x"}`,
		"unknown input":   `{"inputs": {"x": {}}}`,
		"unknown kind":    `{"inherit": {"dreams": "all"}}`,
		"unknown mode":    `{"inherit": {"skills": "some"}}`,
		"more behind it":  `{} {}`,
		"null in a value": `{"inputs": {"config": {"values": {"a": null}}}}`,
	} {
		if _, err := ParseRequest(d, []byte(bad)); err == nil {
			t.Errorf("%s passed", name)
		}
	}
}
