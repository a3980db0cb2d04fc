package composer

import (
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
)

// Semantic is what a mode of permission means, whatever the agent calls it.
type Semantic string

// The semantics.
const (
	AskBeforeWrite Semantic = "ask-before-write"
	AcceptEdits    Semantic = "accept-edits"
	Auto           Semantic = "auto"
	LockedDown     Semantic = "locked-down"
	FullAccess     Semantic = "full-access"
	ReadOnly       Semantic = "read-only"
)

var semantics = []Semantic{AskBeforeWrite, AcceptEdits, Auto, LockedDown, FullAccess, ReadOnly}

// Decision is what a host answers when the agent asks for permission. The zero value asks a person.
type Decision string

// The decisions.
const (
	Ask      Decision = ""
	Approved Decision = "approved"
	Denied   Decision = "denied"
)

// Profile is what a composer profile says. It does not change.
type Profile struct {
	Options Options `json:"options"`
	Modes   []Mode  `json:"permissionModes,omitempty"`
	// Launch is nil when the mode is not chosen on the command line.
	Launch *Launch `json:"launch,omitempty"`
	// Plan is nil when the agent has no mode of planning.
	Plan *Plan `json:"plan,omitempty"`
	// ReasoningWithModel says that the effort of reasoning is told along with the model.
	ReasoningWithModel bool `json:"reasoningWithModel,omitempty"`
	// Commands is nil when whatever the agent names may be called.
	Commands *Commands `json:"slashCommands,omitempty"`
	// Skills is nil when the agent has none.
	Skills *Skills `json:"skills,omitempty"`
	// Prep is what sessions are prepared by, nil for the plain way.
	Prep *runtimeprep.Declaration `json:"-"`
}

// Options are ids of options of the Agent Client Protocol, "" for what the agent does not let a host change.
type Options struct {
	Model      string `json:"model,omitempty"`
	Permission string `json:"permission,omitempty"`
	Reasoning  string `json:"reasoning,omitempty"`
	// ModelMetadata is the form of what descriptions of models hold besides text.
	ModelMetadata string `json:"modelMetadata,omitempty"`
	// Efforts are the efforts of reasoning there are, in order, and DefaultEffort is one of them. Empty: the agent says.
	Efforts       []string `json:"efforts,omitempty"`
	DefaultEffort string   `json:"defaultEffort,omitempty"`
}

// Mode is a mode of permission.
type Mode struct {
	// ID is what the agent calls it.
	ID       string   `json:"id"`
	Semantic Semantic `json:"semantic"`
	// Decision is given without asking a person.
	Decision Decision `json:"decision,omitempty"`
}

// Launch is that the mode of permission is chosen when the agent is started, by a placeholder among its arguments.
type Launch struct {
	Default Semantic `json:"default"`
}

// PermissionPlaceholder stands among the arguments of an agent for the id of a mode.
const PermissionPlaceholder = "${permissionMode}"

// Plan is the mode in which the agent plans and does nothing.
type Plan struct {
	Enabled  string `json:"enabled"`  // the mode of planning
	Disabled string `json:"disabled"` // the one to go back to
	// Restarts says that the agent has to be started again to change it, and not told only.
	Restarts bool `json:"restarts,omitempty"`
}

// Effect is what a command with a slash does in the host.
type Effect string

var effects = []Effect{"", "submitImmediate", "showReviewPicker", "activateGoalMode", "togglePlanMode", "showStatus", "toggleSpeed"}

// Commands are the commands that begin with a slash.
type Commands struct {
	// Authoritative says that no other command of the agent's is to be offered.
	Authoritative bool      `json:"authoritative"`
	List          []Command `json:"list"`
}

// Command is one of them.
type Command struct {
	Name   string `json:"name"` // without the slash
	Effect Effect `json:"effect,omitempty"`
}

// Skills say how a skill is called.
type Skills struct {
	// AsItem says that a skill is an item of the prompt, and not a word in it.
	AsItem bool `json:"asItem,omitempty"`
	// Prefix stands before the name of a skill in a prompt.
	Prefix string `json:"prefix"`
	// CommandsAreSkills says that commands of the agent's that the list does not have are skills.
	CommandsAreSkills bool               `json:"commandsAreSkills,omitempty"`
	Roots             []runtimeprep.Root `json:"roots"`
}

// OnPlan is the profile for a session whose models are those of a model plan. What it says of the agent's own models is left
// out; the option by which a model is chosen stays.
func (p *Profile) OnPlan() *Profile {
	on := *p
	on.Options.ModelMetadata = ""
	return &on
}

// Mode is the first mode that means something.
func (p *Profile) Mode(means Semantic) (Mode, bool) {
	for _, m := range p.Modes {
		if m.Semantic == means {
			return m, true
		}
	}
	return Mode{}, false
}

// Decide is what a host answers while the agent is in a mode, which may be named by its id in any letter case. In a mode that the profile
// does not know a person is asked.
func (p *Profile) Decide(mode string) Decision {
	for _, m := range p.Modes {
		if strings.EqualFold(m.ID, mode) {
			return m.Decision
		}
	}
	return Ask
}

// Offers says whether a command that the agent names is to be offered, and what it does. Of a list that is authoritative
// no other one is.
func (p *Profile) Offers(command string) (Effect, bool) {
	if p.Commands == nil {
		return "", true
	}
	for _, c := range p.Commands.List {
		if c.Name == command {
			return c.Effect, true
		}
	}
	return "", !p.Commands.Authoritative
}

// Arguments are those of an agent with the id of a mode in the place of the placeholder. Without a choice, "", it is the
// default, which asks. A mode that cannot be chosen so gives false.
func (p *Profile) Arguments(args []string, means Semantic) ([]string, bool) {
	if p.Launch == nil {
		return slices.Clone(args), means == ""
	}
	if means == "" {
		means = p.Launch.Default
	}
	m, ok := p.Mode(means)
	if !ok {
		return nil, false
	}
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = strings.ReplaceAll(a, PermissionPlaceholder, m.ID)
	}
	return out, true
}
