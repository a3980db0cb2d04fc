package rules_test

import (
	"strings"
	"testing"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

func actor(change func(*p.Descriptor)) p.Descriptor {
	d := p.Descriptor{
		Provider: "actor", Version: "1.0.0", Client: p.Client{Executables: []string{"actor"}, Transport: p.NoTransport},
		Homes: []p.Home{{ID: "actor", Env: "ACTOR_HOME", Default: ".actor"}}, Instructions: []p.Channel{p.HomeFile},
		Skills: p.SkillChannel{Kind: p.NoSkills}, Rewrite: p.InstructionsOnly,
	}
	if change != nil {
		change(&d)
	}
	return d
}

func TestProvidersAndHomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*p.Descriptor)
		bad    string
	}{
		"adapter":             {nil, ""},
		"extension":           {func(d *p.Descriptor) { d.Provider = "acp:vendor.tool_2" }, ""},
		"another prefix":      {func(d *p.Descriptor) { d.Provider = "xyz:vendor" }, "provider"},
		"prefix alone":        {func(d *p.Descriptor) { d.Provider = "acp:" }, "provider"},
		"prefix twice":        {func(d *p.Descriptor) { d.Provider = "acp:acp:x" }, "provider"},
		"dots without prefix": {func(d *p.Descriptor) { d.Provider = "vendor.tool" }, "provider"},
		"variable alone":      {func(d *p.Descriptor) { d.Homes[0].Default = "" }, ""},
		"nowhere":             {func(d *p.Descriptor) { d.Homes[0] = p.Home{ID: "actor"} }, "home actor"},
		"inside a directory": {func(d *p.Descriptor) {
			d.Inputs = []p.Input{{Name: "n", Kind: p.InputNames, Filter: p.FilterDirs, At: []p.Location{p.At("actor", "x")}, Inside: true}}
		}, "input n"},
	} {
		found := rules.CheckDescriptor(actor(c.change))
		if c.bad == "" && len(found) > 0 || c.bad != "" && (len(found) != 1 || !strings.Contains(found[0].Error(), c.bad)) {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// What is to be made in a home of the user's is declared, so that a person can see it beforehand.
func TestSharesThatAreMadeAreDeclared(t *testing.T) {
	t.Parallel()
	l := p.NewLayout()
	l.MakeShare(p.Session("bin"), p.At("actor", "bin"))
	if found := rules.CheckLayout(actor(nil), l); len(found) != 1 || !strings.Contains(found[0].Error(), "own state") {
		t.Errorf("found %v", found)
	}
	own := func(d *p.Descriptor) { d.OwnState = []p.Location{p.At("actor", "bin")} }
	if found := rules.CheckLayout(actor(own), l); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
