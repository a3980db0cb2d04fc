// Package room is the profile of a host that is no desktop: a server on which several people work in one room, agents run
// in a machine of their own, and there is neither a browser nor a screen. It shows what such a host says of itself, what
// it leaves out, and what it adds.
package room

import (
	"context"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// Profile is given to core.Config.
func Profile() capability.DeploymentProfile {
	return capability.DeploymentProfile{
		Name:     "room",
		Identity: capability.Identity{Product: "Parlour", CLI: "parlour", EnvPrefix: "PARLOUR"},
		Intro:    "Parlour runs you in a machine of its own, for the people of one room.",
		HostFacts: capability.HostFacts{
			TurnResources:  canon.ReadPath, // files of other sessions lie elsewhere
			WorkspaceScope: canon.Room,
			TargetContinuation: canon.TargetContinuation{
				Mode: canon.ExceptPrefixes, UnsupportedTargetIDPrefixes: []string{"batch:"},
			},
		},
		// Neither the desktop around a session nor a browser or screen: a profile has the packs that it lists.
		Packs: []capability.CapabilityPack{capability.CoreSkills(), capability.ConnectorDiscovery(), Minutes()},
	}
}

// Minutes is a pack of the host's own: a skill, the sentence that points to it, and a variable, all of them or none. It is
// there when the tool has the command that the skill needs.
func Minutes() capability.CapabilityPack {
	return capability.CapabilityPack{Name: "minutes", Resolve: func(_ context.Context, v capability.View) (capability.CapabilityContribution, error) {
		return capability.CapabilityContribution{
			Enabled: v.Commands.Has("minutes.add"),
			Skills: []capability.SkillSpec{{Skill: skill.Skill{
				ID: "parlour/minutes", Name: "parlour-minutes",
				Files: map[string][]byte{skill.MainFile: []byte(minutes)},
			}}},
			PolicySections: []capability.PolicySection{{
				Anchor: capability.Specialized, Key: "decisions",
				Body: "- When the room decides something, note it: `{{command \"minutes.add\" (args)}}`. How: `{{skill \"parlour/minutes\"}}`.",
			}},
			EnvOverlay: []string{v.EnvPrefix + "_MINUTES=on"},
		}, nil
	}}
}

const minutes = `---
name: parlour-minutes
description: Note what the room decides, with who decided it and why. Use it when people agree on something that holds beyond this session.
---
# Minutes

One decision, one note: what holds from now on, who decided it, why, and what it replaces. Note it when it is decided, not
at the end. Do not note what was only discussed.
`
