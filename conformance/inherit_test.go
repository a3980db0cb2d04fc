package conformance_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// everything is all of the user's, memories included.
func everything() map[preparer.Kind]preparer.Choice {
	kinds := map[preparer.Kind]preparer.Choice{}
	for _, kind := range preparer.Kinds() {
		kinds[kind] = preparer.Choice{Mode: preparer.All}
	}
	return kinds
}

// Each kind of the user's set-up can be left out alone, or the session says what goes with it.
func TestC256_EachKindCanBeLeftOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		for _, kind := range append([]preparer.Kind{""}, preparer.Kinds()...) {
			name := string(kind)
			if kind == "" {
				name = "everything comes along"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				leftOut(t, c, kind)
			})
		}
	})
}

func leftOut(t *testing.T, c client, kind preparer.Kind) {
	s := newStage(t, c, c.shell("env"), upstream.Say("done"))
	g := s.open()
	session := g.session("kinds", "")
	session.Inherit.Kinds = everything()
	lost := map[preparer.Kind]bool{}
	if kind != "" {
		session.Inherit.Kinds[kind] = preparer.Choice{Mode: preparer.None}
		lost[kind] = true
	}
	p := g.prepare(session)
	if with := c.descriptor().Inherit[kind].With; len(with) > 0 {
		for _, other := range with {
			lost[other] = true
		}
		if !slices.ContainsFunc(p.Diagnostics, func(d core.Diagnostic) bool { return strings.Contains(d.Code, "together") }) {
			t.Errorf("nothing says what goes with %s: %v", kind, p.Diagnostics)
		}
	}
	var flags []string
	if lost[preparer.ModelSettings] {
		flags = c.provider(s)
	}
	g.run(p, c.turn("hello", flags...)...)

	turns := s.turns(2)
	g.oursOnce(p, turns[0])
	came := seen(s, turns)
	want := map[preparer.Kind]bool{
		preparer.Instructions: true, preparer.Skills: true, preparer.MCPServers: true, c.hookKind(): true,
		preparer.ModelSettings: true,
	}
	if c.memories {
		want[preparer.Memories] = true
	}
	for other := range want {
		want[other] = !lost[other] || slices.Contains(c.stays, other)
	}
	for _, other := range slices.Sorted(maps.Keys(want)) {
		if came[other] != want[other] {
			t.Errorf("%s came along: %v, want %v", other, came[other], want[other])
		}
	}
	// What the session reports is what happened.
	for _, item := range p.Inherited {
		if lost[item.Kind] != (item.State != core.CameAlong) {
			t.Errorf("the session reports %s %s of %s as %s", item.Kind, item.Name, item.Source, item.State)
		}
	}
}

// seen says of which kinds there is a trace in what the client sent and ran.
func seen(s *stage, turns []upstream.Request) map[preparer.Kind]bool {
	s.Helper()
	first := s.text(turns[0])
	return map[preparer.Kind]bool{
		preparer.Instructions:  strings.Contains(first, userInstructions),
		preparer.Skills:        strings.Contains(first, userSkill),
		preparer.Memories:      strings.Contains(first, userMemory),
		preparer.ModelSettings: s.client.settingKept(s, turns),
		s.client.hookKind():    s.marked("user-hook"),
		preparer.MCPServers:    s.marked("user-server"),
	}
}

// Single skills and servers can be chosen by name.
func TestC256_NamedItemsComeAlong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, c.shell("env"), upstream.Say("done"))
		rig.WriteSkill(t, s.inHome(c.home+"/skills/other-notes"), "other-notes", "other-skill-51c2", "body")
		other := s.marker("other-server")
		c.addServer(s, other)
		g := s.open()
		session := g.session("named", core.Desktop)
		session.Inherit.Kinds = map[preparer.Kind]preparer.Choice{
			preparer.Skills:     {Mode: preparer.Only, Names: []string{"user-notes"}},
			preparer.MCPServers: {Mode: preparer.Only, Names: []string{"user_server"}},
		}
		p := g.prepare(session)
		g.run(p, c.turn("hello")...)
		turns := s.turns(2)
		g.oursOnce(p, turns[0])
		s.counts(s.text(turns[0]), map[string]int{
			userSkill: 1, "other-skill-51c2": 0, sharedSkill: 0, userInstructions: 1, projectSkill: 1,
		})
		if !s.marked("user-server") || s.marked("other-server") {
			t.Error("the servers are not those that were named")
		}
		for _, item := range p.Inherited {
			named := item.Name == "user-notes" || item.Name == "user_server"
			if (item.Kind == preparer.Skills || item.Kind == preparer.MCPServers) && named != (item.State == core.CameAlong) {
				t.Errorf("the session reports %s %s of %s as %s", item.Kind, item.Name, item.Source, item.State)
			}
		}
	})
}
