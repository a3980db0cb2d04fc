package rules

import (
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// actionOrder is the order in which actions are done: a client that was told of skills keeps the paths it saw then.
var actionOrder = []preparer.ActionKind{preparer.SnapshotTree, preparer.ExtraRoots, preparer.VerifySkills}

// actions checks what is to be done over the protocol.
func (c *checker) actions() {
	actions := c.layout.Launch.Actions
	if len(actions) > 0 && c.desc.Client.Transport != preparer.CodexAppServer {
		c.add(Names, "actions", "transport %q has none", c.desc.Client.Transport)
	}
	last := -1
	for _, a := range actions {
		where := "action " + string(a.Kind)
		at := slices.Index(actionOrder, a.Kind)
		switch {
		case at < 0:
			c.add(Shape, where, "the kind is missing")
			continue
		case at <= last:
			c.add(Shape, where, "it occurs twice, or behind one that it must come before")
		}
		last = at
		c.action(where, a)
	}
	if c.desc.Skills.Kind == preparer.SkillExtraRoots {
		c.handedOver()
	}
}

// action checks what one action says.
func (c *checker) action(where string, a preparer.Action) {
	if (a.Kind == preparer.SnapshotTree) != (a.Marker != "") {
		c.add(Shape, where, "a marker belongs to a snapshot, and a snapshot has one")
	}
	switch a.Kind {
	case preparer.SnapshotTree:
		c.target(where, a.At, preparer.RootSession)
		if badSegment(a.Marker) != "" {
			c.add(Shape, where, "the marker is no name")
		}
		if kind := c.standing(a.At); kind != "" {
			c.add(Places, where, "%s stands there, and the tree is the client's own", one(kind))
		}
	case preparer.ExtraRoots:
		if a.At != (preparer.Place{}) && c.standing(a.At) != "skills" {
			c.add(Places, where, "no skills are placed at %s", a.At)
		}
	case preparer.VerifySkills:
		if a.At != (preparer.Place{}) {
			c.add(Shape, where, "it has no place")
		}
	}
}

// standing is the kind of the entry at a place, or of one below it, "" for none.
func (c *checker) standing(at preparer.Place) string {
	for _, e := range c.layout.Entries {
		if _, check := e.(preparer.Check); check || e.Place().Root != at.Root {
			continue
		}
		if p := fold(e.Place().Path); p == fold(at.Path) || strings.HasPrefix(p, fold(at.Path)+"/") {
			return KindOf(e)
		}
	}
	return ""
}

// handedOver checks that skills which the client finds by no other way are handed over, and looked for.
func (c *checker) handedOver() {
	for _, e := range c.layout.Entries {
		if _, ok := e.(preparer.PlaceSkills); !ok {
			continue
		}
		told := slices.ContainsFunc(c.layout.Launch.Actions, func(a preparer.Action) bool {
			return a.Kind == preparer.ExtraRoots && a.At == e.Place()
		})
		looked := slices.ContainsFunc(c.layout.Launch.Actions, func(a preparer.Action) bool { return a.Kind == preparer.VerifySkills })
		if !told || !looked {
			c.add(Shape, Label(e), "the client finds them by extra roots only, and no action hands them over and verifies them")
		}
	}
}
