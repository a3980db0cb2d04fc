package capability

import (
	"context"

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

// shortOutput is the pack that tells of rtk, a program which shortens what commands print. It joins the packs of any profile
// for a session that has the program.
func shortOutput() CapabilityPack {
	return CapabilityPack{Name: "rtk", Resolve: func(_ context.Context, v View) (CapabilityContribution, error) {
		return CapabilityContribution{Enabled: true, PolicySections: canonical(v, PolicySection{Anchor: Opening, Key: canon.RTKName})}, nil
	}}
}

// BrowserUse is the pack of the person's browser.
func BrowserUse() CapabilityPack {
	return CapabilityPack{Name: "browser-use", NeedsCommands: true, Resolve: func(_ context.Context, v View) (CapabilityContribution, error) {
		return handoff(v, v.BrowserUse && supports(v.Commands, browserNeeds), "browser"), nil
	}}
}

// ComputerUse is the pack of the person's screen.
func ComputerUse() CapabilityPack {
	return CapabilityPack{Name: "computer-use", NeedsCommands: true, Resolve: func(_ context.Context, v View) (CapabilityContribution, error) {
		return handoff(v, v.ComputerUse && supports(v.Commands, computerNeeds), "computer"), nil
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

// need is a command with the inputs that it has to have.
type need struct {
	id     string
	inputs []string
}

// browserNeeds are the commands and inputs that browser use needs.
var browserNeeds = []need{
	{"browser.open", []string{"url"}}, {"browser.tabs", nil}, {"browser.snapshot", nil}, {"browser.screenshot", nil},
	{"browser.click", []string{"ref"}}, {"browser.type", []string{"ref", "text"}}, {"browser.press", []string{"key"}},
	{"browser.scroll", nil}, {"browser.back", nil}, {"browser.wait", nil}, {"browser.close", nil},
}

// computerNeeds are the commands and inputs that computer use needs.
var computerNeeds = []need{
	{"computer.apps", nil}, {"computer.focus", []string{"app"}}, {"computer.screenshot", nil}, {"computer.click", []string{"x", "y"}},
	{"computer.double-click", []string{"x", "y"}}, {"computer.move", []string{"x", "y"}}, {"computer.drag", nil},
	{"computer.type", []string{"text"}}, {"computer.press", []string{"key"}}, {"computer.scroll", nil}, {"computer.wait", nil},
}

// supports says whether a snapshot has all commands with all inputs.
func supports(s *command.Snapshot, needs []need) bool {
	for _, n := range needs {
		if !s.Has(n.id) {
			return false
		}
		for _, name := range n.inputs {
			if ok, err := s.HasInput(n.id, name); err != nil || !ok {
				return false
			}
		}
	}
	return true
}
