package capability

import (
	"context"
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/command"
)

// StandardProfile is a desktop host: the core skills, connectors, the host around the session, and the use of browser
// and screen.
func StandardProfile() DeploymentProfile {
	return DeploymentProfile{
		Name:  "standard",
		Packs: []CapabilityPack{CoreSkills(), ConnectorDiscovery(), DesktopHost(), BrowserUse(), ComputerUse()},
	}
}

// CoreSkills is the pack of the skills that every session has.
func CoreSkills() CapabilityPack {
	return CapabilityPack{Name: canon.CorePack, NeedsCommands: true, Resolve: func(_ context.Context, v View) (CapabilityContribution, error) {
		return CapabilityContribution{Enabled: true, Canonical: v.Texts.SkillIDs(canon.CorePack)}, nil
	}}
}

// ConnectorDiscovery is the pack that tells of connectors, where the session has them and the commands to reach them.
func ConnectorDiscovery() CapabilityPack {
	return CapabilityPack{Name: "connector-discovery", NeedsCommands: true, Resolve: func(_ context.Context, v View) (CapabilityContribution, error) {
		c := CapabilityContribution{Enabled: v.Connectors != nil && v.Commands.HasAll(
			"connector.available", "connector.capabilities", "connector.skills", "connector.skill.read", "connector.invoke")}
		c.PolicySections = canonical(v, PolicySection{Anchor: SkillStrategy, Key: "connector-discovery", Order: 100})
		return c, nil
	}}
}

// DesktopHost is the pack that tells of the application around the session.
func DesktopHost() CapabilityPack {
	return CapabilityPack{Name: "desktop-host", Resolve: func(_ context.Context, v View) (CapabilityContribution, error) {
		c := CapabilityContribution{Enabled: true}
		if len(v.Commands.Families()) > 0 {
			c.PolicySections = canonical(v, PolicySection{Anchor: Tools, Key: "execution-notes", Order: -100})
		}
		c.PolicySections = append(c.PolicySections,
			canonical(v, PolicySection{Anchor: Specialized, Key: "host-context", Order: 1000, Delivery: ProviderRuntime})...)
		return c, nil
	}}
}

// BrowserUse is the pack of the person's browser.
func BrowserUse() CapabilityPack {
	return CapabilityPack{Name: "browser-use", NeedsCommands: true, Resolve: func(_ context.Context, v View) (CapabilityContribution, error) {
		return handoff(v, v.BrowserUse && supports(v.Commands, browserCommands()), "browser"), nil
	}}
}

// ComputerUse is the pack of the person's screen.
func ComputerUse() CapabilityPack {
	return CapabilityPack{Name: "computer-use", NeedsCommands: true, Resolve: func(_ context.Context, v View) (CapabilityContribution, error) {
		return handoff(v, v.ComputerUse && supports(v.Commands, computerCommands()), "computer"), nil
	}}
}

func handoff(v View, enabled bool, what string) CapabilityContribution {
	c := CapabilityContribution{Enabled: enabled, Canonical: v.Texts.SkillIDs(what)}
	c.PolicySections = canonical(v, PolicySection{Anchor: Tools, Key: what + "-handoff"})
	c.EnvOverlay = []string{v.EnvPrefix + "_" + map[string]string{"browser": "BROWSER", "computer": "COMPUTER"}[what] + "_USE_ENABLED=1"}
	return c
}

// canonical fills a section in with the canonical text of its key. A set of texts without it has no such section.
func canonical(v View, s PolicySection) []PolicySection {
	text, ok := v.Texts.Policy(s.Key)
	if !ok {
		return nil
	}
	s.Body = text
	return []PolicySection{s}
}

// browserCommands are the commands and inputs that browser use needs.
func browserCommands() map[string][]string {
	return map[string][]string{
		"browser.open": {"url"}, "browser.tabs": nil, "browser.snapshot": nil, "browser.screenshot": nil, "browser.click": {"ref"},
		"browser.type": {"ref", "text"}, "browser.press": {"key"}, "browser.scroll": nil, "browser.back": nil, "browser.wait": nil,
		"browser.close": nil,
	}
}

// computerCommands are the commands and inputs that computer use needs.
func computerCommands() map[string][]string {
	return map[string][]string{
		"computer.apps": nil, "computer.focus": {"app"}, "computer.screenshot": nil, "computer.click": {"x", "y"},
		"computer.double-click": {"x", "y"}, "computer.move": {"x", "y"}, "computer.drag": nil, "computer.type": {"text"},
		"computer.press": {"key"}, "computer.scroll": nil, "computer.wait": nil,
	}
}

// supports says whether a snapshot has all commands with all inputs.
func supports(s *command.Snapshot, needed map[string][]string) bool {
	for _, id := range slices.Sorted(maps.Keys(needed)) {
		if !s.Has(id) {
			return false
		}
		for _, name := range needed[id] {
			if ok, err := s.HasInput(id, name); err != nil || !ok {
				return false
			}
		}
	}
	return true
}
