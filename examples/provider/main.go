// Command provider is an adapter for the Stagehand client, which nobody sells. It shows all that an adapter is: a
// descriptor, and a function from a request to a layout.
package main

import (
	"context"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

const (
	provider = "stagehand"
	homeVar  = "STAGEHAND_HOME"
	keyVar   = "STAGEHAND_API_KEY"
)

func main() { serve.Serve(stagehand{}) }

type stagehand struct{}

// Describe implements preparer.Preparer.
func (stagehand) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: provider,
		Version:  "0.1.0",
		Client: p.Client{
			Executables: []string{"stagehand"},
			Override:    "STAGEHAND_EXECUTABLE",
			Supported:   ">=1.0 <2",
			Transport:   p.NoTransport,
		},
		Homes: []p.Home{{ID: "stagehand", Env: homeVar, Default: ".stagehand"}},
		Inputs: []p.Input{
			{
				Name: "theme", Kind: p.InputFile, At: []p.Location{p.At("stagehand", "stagehand.json")},
				Learn: p.LearnValues, Format: p.JSON, Values: []p.KeyPath{p.Key("theme")},
			},
			{
				Name: "skills", Kind: p.InputNames, At: []p.Location{p.At("stagehand", "skills")}, Filter: p.FilterSkills,
				Carries: []p.Carry{{Kind: p.Skills}},
			},
		},
		// A block in the workspace is what Stagehand reads by itself. Where another session's stands there already, the
		// host sends the same text with the first prompt, because this list says that it may.
		Instructions: []p.Channel{p.WorkspaceFile, p.FirstPrompt},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames},
		Rewrite:      p.InstructionsOnly,
		Model: p.Model{
			Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.NoEndpointAdapter, KeyVar: keyVar,
		},
		Inherit: map[p.Kind]p.Exclusion{p.Skills: {How: p.ByLayout, Named: true}},
		Gates:   []p.Gate{{ID: "welcome", Answer: p.AnsweredByFile}},
		Env:     []string{homeVar, keyVar},
	}
}

// Prepare implements preparer.Preparer.
func (stagehand) Prepare(_ context.Context, r p.Request) (*p.Layout, error) {
	l, home := p.NewLayout(), p.Session("stagehand")

	settings := p.Object{"welcome_shown": p.Bool(true)}
	if theme, ok := r.Inputs["theme"].Values["theme"].(p.String); ok {
		settings["theme"] = theme
	}
	if e := r.Endpoint; e != nil {
		if err := bind(settings, e); err != nil {
			return nil, err
		}
		l.Set(keyVar, e.Key)
	}
	l.Document(home.Join("stagehand.json"), p.JSON, settings)
	l.Set(homeVar, home.Value())

	l.Block(p.Workspace("AGENTS.md"), []p.Base{p.Current(), p.Empty()}, r.Instructions.Text())

	if r.Skills.Count > 0 {
		l.Skills(p.PlaceSkills{At: home.Join("skills/greenroom"), Reserve: []string{"skills"}})
	}
	if inherit := r.Options.Inherit; inherit.All(p.Skills) {
		l.Expose(p.Expose{At: home.Join("skills"), Input: "skills"})
	} else if !inherit.None(p.Skills) {
		l.Expose(p.Expose{At: home.Join("skills"), Input: "skills", Only: inherit[p.Skills].Names})
	}
	return l, nil
}

// bind makes the client talk to an endpoint.
func bind(settings p.Object, e *p.Endpoint) error {
	if e.Protocol != p.OpenAI {
		return p.Refuse("stagehand.protocol", "stagehand speaks to openai endpoints only", "choose another model plan")
	}
	models := make(p.List, len(e.Models))
	for i, m := range e.Models {
		models[i] = p.S(m.ID)
	}
	settings["endpoint"] = p.Object{
		"base_url": p.S(e.BaseURL), "api_key_env": p.S(keyVar), "models": models, "default": p.S(e.Default),
	}
	return nil
}
