// Fakeadapter serves a made-up client to the tests of the tool.
package main

import (
	"context"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

// fake is an adapter for a made-up client that uses every kind of change of the environment.
type fake struct{}

func (fake) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "fake",
		Version:  "1.0.0",
		Client: p.Client{
			Executables: []string{"fakeclient"}, Override: "FAKE_EXECUTABLE", Supported: ">=1 <2", Transport: p.NoTransport,
		},
		Homes: []p.Home{{ID: "fake", Env: "FAKE_HOME", Default: ".fake"}},
		Inputs: []p.Input{
			{Name: "rules", Kind: p.InputFile, At: []p.Location{p.At("fake", "RULES.md")}, Carries: []p.Carry{{Kind: p.Instructions}}},
			{Name: "skills", Kind: p.InputNames, At: []p.Location{p.At("fake", "skills")}, Filter: p.FilterSkills,
				Carries: []p.Carry{{Kind: p.Skills}}},
		},
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames},
		Rewrite:      p.InstructionsOnly,
		Inherit:      map[p.Kind]p.Exclusion{p.Instructions: {How: p.ByLayout}, p.Skills: {How: p.ByLayout, Named: true}},
		Gates:        []p.Gate{p.TrustGate("folder-trust", p.AnsweredByEnv, p.NotAnswered, p.Hooks, p.MCPServers)},
		Env:          []string{"FAKE_*"},
		Flags:        []string{"--rules"},
		Model: p.Model{
			Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.ResponsesToChatGateway, KeyVar: "FAKE_KEY",
		},
	}
}

func (fake) Prepare(_ context.Context, r p.Request) (*p.Layout, error) {
	if r.Target.ClientVersion == "1.6.6" {
		return nil, p.Refuse("fake.cursed", "this version cannot be prepared", "install another one")
	}
	l, home := p.NewLayout(), p.Session("fake")
	base := []p.Base{p.Empty()}
	if r.Options.Inherit.All(p.Instructions) && r.Inputs["rules"].Exists {
		base = []p.Base{p.FromInput("rules")}
	}
	l.Block(home.Join("RULES.md"), base, r.Instructions.Text())
	l.Bring(r, p.NamesAt("skills", p.FilterSkills).Carrying(p.Skills), home.Join("of-the-user"))
	if r.Skills.Count > 0 {
		l.Skills(p.PlaceSkills{At: home.Join("skills"), Reserve: []string{"skills"}})
	}
	if e := r.Endpoint; e != nil {
		l.Set("FAKE_KEY", e.Key)
		l.Set("FAKE_ENDPOINT", p.S(e.Name+" "+e.BaseURL+" "+e.Default))
	}
	if r.Trusted() {
		l.Set("FAKE_TRUSTED", p.S(string(r.Options.TrustWorkspace)))
	}
	l.Set("FAKE_HOME", home.Value())
	l.Set("FAKE_ODD", p.S("it's \"odd\" $HOME `x`\nsecond line"))
	l.SetEmpty("FAKE_EMPTY")
	l.Unset("FAKE_GONE")
	l.AppendList("FAKE_LIST", ",", "ours", "second")
	l.Strip("FAKE_CHILD_*")
	l.Args(p.S("--rules"), home.Join("RULES.md").Value())
	return l, nil
}

func main() { serve.Serve(fake{}) }
