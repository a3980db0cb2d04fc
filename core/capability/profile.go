package capability

import (
	"cmp"
	"context"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// DeploymentProfile is one kind of host. The zero value is [StandardProfile].
type DeploymentProfile struct {
	Name string
	// Identity is how the host is called. Empty fields take the host's configuration, and Tutti after that.
	Identity Identity
	// Title and Intro begin the instructions. They have defaults.
	Title, Intro string
	HostFacts    HostFacts
	Packs        []CapabilityPack
}

// Complete is the profile with the standard one in the place of the zero value.
func (p DeploymentProfile) Complete() DeploymentProfile {
	if len(p.Packs) == 0 && p.Name == "" {
		standard := StandardProfile()
		p.Name, p.Packs = standard.Name, standard.Packs
	}
	return p
}

// Identity is how a host is called in what an agent reads.
type Identity struct {
	Product string // default "Tutti"
	CLI     string // the host's command line tool, default "tutti"
	// EnvPrefix begins the names of the variables that tell the agent its session, such as TUTTI_WORKSPACE_ID, and, in
	// small letters, the names of skills. Default "TUTTI".
	EnvPrefix string
}

// DefaultIdentity is that of a host which says nothing else.
func DefaultIdentity() Identity { return Identity{Product: "Tutti", CLI: "tutti", EnvPrefix: "TUTTI"} }

// Or is the identity with the fields of another one where it has none.
func (i Identity) Or(o Identity) Identity {
	return Identity{Product: cmp.Or(i.Product, o.Product), CLI: cmp.Or(i.CLI, o.CLI), EnvPrefix: cmp.Or(i.EnvPrefix, o.EnvPrefix)}
}

// HostFacts are what a kind of host can do for a session.
type HostFacts = canon.HostFacts

// CapabilityPack is one capability: it resolves to policy, skills and environment together, or to nothing.
type CapabilityPack struct {
	Name string // stable, unique in a profile
	// NeedsCommands says that the pack tells of the host's commands: a host with it has a catalog, if an empty one.
	NeedsCommands bool
	Resolve       func(ctx context.Context, v View) (CapabilityContribution, error)
}

// CapabilityContribution is what a pack adds to a session.
type CapabilityContribution struct {
	// Enabled says that the pack is there at all. Without it nothing of the contribution counts.
	Enabled bool
	// Canonical are ids of skills of package canon.
	Canonical []string
	Skills    []SkillSpec
	// PolicySections go into the documents.
	PolicySections []PolicySection
	// EnvOverlay are variables of the form NAME=value. They pass the checks that an adapter's pass, no name belongs to
	// two packs, and none is the client's or core's.
	EnvOverlay []string
}

// PolicySection is a part of the documents.
type PolicySection struct {
	Anchor Anchor
	// Key names the section in its pack. Default: section-<index>.
	Key string
	// Order sorts the sections of one anchor, ascending, before their keys do.
	Order    int
	Delivery Delivery
	// Body is a template over the same values as the canonical texts. A blank one is left out.
	Body string
}

// Anchor is where in the documents a section goes.
type Anchor = canon.Anchor

// The anchors, in the order of the documents.
const (
	Opening       = canon.AnchorOpening
	Environment   = canon.AnchorEnvironment
	Tools         = canon.AnchorTools
	SkillStrategy = canon.AnchorSkillStrategy
	Specialized   = canon.AnchorSpecialized
)

// Delivery is which documents a section goes into.
type Delivery = canon.Delivery

// The deliveries.
const (
	Everywhere      = canon.Everywhere
	ProviderRuntime = canon.ProviderRuntime
	SkillBundle     = canon.SkillBundle
)

// View is what a pack sees of a session.
type View struct {
	Workspace    string
	SkillNames   preparer.NameForm
	NativeImages bool
	General      bool // the person does not program
	BrowserUse   bool // the host found that it can
	ComputerUse  bool
	HostFacts    HostFacts
	Commands     *command.Snapshot
	// Connectors is nil when the session has none.
	Connectors *connector.Context
	EnvPrefix  string
	Texts      Texts
}

// Texts are the canonical texts that a pack may bring.
type Texts interface {
	// SkillIDs lists the canonical skills of a pack.
	SkillIDs(pack string) []string
	// Policy is the template of a canonical section.
	Policy(name string) (string, bool)
}

// SkillSpec is a skill that a pack, a host or a session brings.
type SkillSpec struct {
	skill.Skill          // an empty ID is tutti/<name>
	Providers   []string // the adapters that it is for. Empty: all.
	Source      string   // who brings it, for people. Default: pack:<name>, host or session.
}

// SkillContext is what a source of skills is told.
type SkillContext struct{ WorkspaceID, AgentSessionID, Provider, Cwd string }

// SkillSource supplies skills of the host.
type SkillSource interface {
	Skills(ctx context.Context, c SkillContext) ([]SkillSpec, error)
}

// SkillSourceFunc is a function that is a source.
type SkillSourceFunc func(ctx context.Context, c SkillContext) ([]SkillSpec, error)

// Skills implements SkillSource.
func (f SkillSourceFunc) Skills(ctx context.Context, c SkillContext) ([]SkillSpec, error) {
	return f(ctx, c)
}
