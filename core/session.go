package core

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"slices"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/internal/handshake"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Session is what a host asks for: one agent run.
type Session struct {
	// Workspace and ID identify the session together. They may hold any characters but NUL, up to 1,024 bytes each,
	// and are no file names: of the session's id, letters and digits begin the name of its directory, for people, and a
	// digest of both ids ends it.
	Workspace string
	ID        string
	// Provider is the id of the adapter, e.g. "codex".
	Provider string
	// ExtensionRuntimePrep is what an extension says of its agent. It takes the place of an adapter, and its own id is then
	// the Provider. Whether the extension may be trusted is decided by whoever made it; see package extension.
	ExtensionRuntimePrep *overlay.Overlay
	// Cwd is the absolute path of the existing directory that the agent works in. It is never created.
	Cwd string
	// Inherit says how much of the user's own set-up comes along. The zero value is [Desktop]: a person expects what
	// they set up to be there. It is the one zero value in Greenroom that is not the strict one.
	Inherit Inherit
	// TrustWorkspace says whether what lies in the workspace may set up the client: settings, hooks, plugins and MCP servers
	// of the project's own, which run as the user. The zero value is no: a host that does not know says nothing.
	TrustWorkspace preparer.Trust
	// Detail is who reads along. The zero value is a person who programs.
	Detail DetailMode
	// BrowserUse and ComputerUse say that the person allows them and that the host found that it can.
	BrowserUse, ComputerUse bool
	// Connectors is what the session is told of connectors. Nil: nothing.
	Connectors *connector.Context
	// Servers are MCP servers of the host's that the client gets beside the user's, whatever of theirs comes along. The
	// values of their headers are in the environment that the client is started with, and nowhere else. A client that takes
	// none refuses the session.
	Servers []connector.Server
	// Agent is the definition of a custom agent.
	Agent canon.Agent
	// ExtraSkills are skills of this session alone. With SkipSkills it gets none at all.
	ExtraSkills []capability.SkillSpec
	SkipSkills  bool
	// Projection narrows the commands of a dedicated session. It is stored when the session is first prepared, and holds
	// from then on: nil asks for the stored one, and a different one is an error.
	Projection *command.CommandCapabilityProjection
	// Endpoint is the model endpoint that the session is bound to, instead of the user's own login. nil is none. Its key
	// is in the environment that the client is started with, and nowhere else unless the endpoint allows it.
	Endpoint *modelendpoint.Endpoint
	// Transcript is the absolute path of a conversation of the user's that the session goes on with, as the client filed
	// it in the user's home. It becomes a link at the same place of the session, so that the client goes on writing to
	// the user's file. One that is not there or lies elsewhere changes nothing, and is said. "": none.
	Transcript string
	// Saver has the client hand parts of its work to a worker on a model that costs less. It is an error for a client
	// that has no such mode. Nil: off.
	Saver *Saver
	// RTK has the session's shell commands run through rtk, which shortens what they print, as well as the client lets that be
	// done; Prepared.RTK says how well. The program is that of Config.RTK when the session is first prepared, and stays until
	// the session is prepared without.
	RTK bool
	// Logins say whose logins the session gets, by the name of the adapter's input for each (`greenroom adapters show` lists
	// them). One that is not named is the user's own, when they have it.
	Logins map[string]Login
	// SkillRoots are directories of skills that the host keeps itself, in their order and behind the session's own. Only a
	// client that is told of directories over its protocol takes them; for another one they are refused. With SkipSkills it
	// is told of none.
	SkillRoots []SkillRoot
}

// SkillRoot is a directory of skills that a host keeps.
type SkillRoot struct {
	Name string // for messages, e.g. the connector that it belongs to
	Path string // absolute, an existing directory and no link
}

// Saver says how a session in saver mode is prepared.
type Saver struct {
	// Model is the id of the worker's model. With an endpoint it is one of the endpoint's, by default the endpoint's
	// default model; without, the adapter knows one of the client's vendor.
	Model string
}

// Login says where a login lies. The zero value withholds it: the session gets none, also when the user has one.
type Login struct {
	// Path is the absolute path of the file that counts in the place of the user's own. It is linked, not copied, and need
	// not exist yet: what a later login writes there reaches the session. Cleaning up never touches it.
	Path string
}

// DetailMode is for whom an agent writes.
type DetailMode string

// The detail modes.
const (
	Coding  DetailMode = "" // or "coding"
	General DetailMode = "general"
)

// Inherit says for each kind how much of the user's own set-up comes along. Kinds that are not named take the choice
// of the preset, and the zero value takes [Desktop].
type Inherit struct {
	Preset Preset
	Kinds  map[preparer.Kind]preparer.Choice
}

// Preset is a choice for all kinds at once.
type Preset string

// The presets.
const (
	// Desktop takes everything along but memories.
	Desktop Preset = "desktop"
	// Automation takes nothing along.
	Automation Preset = "automation"
)

// Ref names a session.
type Ref struct {
	Workspace string `json:"workspace"`
	ID        string `json:"session"`
}

// Ref is the name of the session.
func (s Session) Ref() Ref { return Ref{Workspace: s.Workspace, ID: s.ID} }

// Prepared is a session that is ready to be started: an overlay over the environment, arguments, and what a person
// should know. It marshals to JSON without secrets: the values of secret variables are masked.
type Prepared struct {
	Ref        Ref      `json:"ref"`
	Provider   string   `json:"provider"`
	Cwd        string   `json:"cwd"`
	Dir        string   `json:"dir"`        // the session's own directory
	Generation int      `json:"generation"` // counts the preparations that changed something
	Executable string   `json:"executable"` // absolute path of the client, "" when none was found
	Version    string   `json:"version"`    // of the client, "" when unknown
	Args       []string `json:"args"`       // in front of what the person adds
	ArgsAfter  []string `json:"argsAfter,omitempty"`
	// Transport is how a host drives the client, and TransportArgs are what makes it listen there: they stand behind Args.
	// A person at a terminal has no need of them.
	Transport     preparer.Transport `json:"transport"`
	TransportArgs []string           `json:"transportArgs,omitempty"`
	Env           []EnvVar           `json:"env"`
	Skills        []SkillView        `json:"skills"`
	Inherited     []Inherited        `json:"inherited"`
	Models        ModelSource        `json:"models"`
	// RTK is what makes the client run commands through rtk, "" for a session without.
	RTK         RTKLayer     `json:"rtk,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`

	firstPrompt string
	connectors  *connector.Context
	gates       []string
	steps       []handshake.Step
	strip       []string
}

// EnvVar is one change of the environment that the client is started with. The value of a secret one is read from its field
// only: printed, logged and marshalled to JSON it is masked.
type EnvVar struct {
	Name      string           `json:"name"`
	Op        preparer.EnvKind `json:"op"`
	Value     string           `json:"value,omitempty"`
	Separator string           `json:"separator,omitempty"` // EnvAppend: between items, and Value holds them joined
	Secret    bool             `json:"secret,omitempty"`
}

func (v EnvVar) masked() EnvVar {
	if v.Secret {
		v.Value = masked
	}
	return v
}

// Format implements fmt.Formatter.
func (v EnvVar) Format(f fmt.State, verb rune) {
	type plain EnvVar
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(v.masked())) // a writer that fails is its owner's
}

// MarshalJSON implements json.Marshaler.
func (v EnvVar) MarshalJSON() ([]byte, error) {
	type plain EnvVar
	return json.Marshal(plain(v.masked()))
}

// SkillView is a skill of ours as the session sees it.
type SkillView struct {
	ID   string `json:"id"`
	Name string `json:"name"` // as the model has to spell it
	Path string `json:"path"`
	// Source is who brings it: "pack:<name>", "host", "session", or what its own source says.
	Source string `json:"source"`
}

// Inherited is one item of the user's own set-up, and whether it came along.
type Inherited struct {
	Kind   preparer.Kind `json:"kind"`
	Name   string        `json:"name"`
	Source string        `json:"source"` // label, e.g. "home:codex/config.toml"
	State  InheritState  `json:"state"`
}

// InheritState is whether an item came along.
type InheritState string

// The states.
const (
	CameAlong   InheritState = "inherited"
	LeftOut     InheritState = "excluded"
	NotExcluded InheritState = "not_excludable" // was to be left out, and the client gives no way to
	Displaced   InheritState = "displaced"      // has no effect, because the model endpoint stands in its place
)

// Diagnostic is something that a person should know about a session.
type Diagnostic = preparer.Diagnostic

// Environ applies the overlay to a base environment in the form of os.Environ. Every name occurs once in the result.
func (p *Prepared) Environ(base []string) []string {
	return environ(p, base, runtime.GOOS == "windows")
}

// FirstPrompt is context for the agent that goes behind the user's own blocks of the first prompt, and again behind the
// first one of a resumed conversation. It is not to be stored as the user's text. "" for none.
func (p *Prepared) FirstPrompt() string { return p.firstPrompt }

// Connectors is what the session was told of connectors when it was prepared, nil for nothing.
func (p *Prepared) Connectors() *connector.Context { return p.connectors.Clone() }

// Gates are the ids of what may hold up the client where nobody looks at it, and that nothing answers.
func (p *Prepared) Gates() []string { return slices.Clone(p.gates) }

// Handshake is what has to be done over the client's protocol before its first thread. Package launch does it; what it is
// stands in no public type.
func (p *Prepared) Handshake() handshake.Steps { return handshake.Of(p.steps) }

// Command is the client, ready to start in the session's working directory with the overlay applied to base and args
// between the session's own arguments. It has its own process group. It is an error when no client was found.
func (p *Prepared) Command(ctx context.Context, base []string, args ...string) (*exec.Cmd, error) {
	return clientCommand(ctx, p, base, args)
}

// masked stands for the value of a secret variable.
const masked = "********"

// MarshalJSON writes the overlay without the values of secret variables.
func (p *Prepared) MarshalJSON() ([]byte, error) {
	type plain Prepared
	q := struct {
		plain
		FirstPrompt string `json:"firstPrompt,omitempty"`
	}{plain(*p), p.firstPrompt}
	// A reader wants lists, also where there is nothing.
	q.Args = append([]string{}, q.Args...)
	q.Skills = append([]SkillView{}, q.Skills...)
	q.Inherited = append([]Inherited{}, q.Inherited...)
	q.Diagnostics = append([]Diagnostic{}, q.Diagnostics...)
	return json.Marshal(q)
}
