package preparer

import (
	"slices"
	"strings"
)

// Descriptor states what a client can do, and everything that its adapter will ever read, set or pass. The host shows
// it to people (`greenroom adapters`) and holds the adapter to it.
type Descriptor struct {
	Provider string  `json:"provider,omitempty"` // stable id, [a-z0-9-], e.g. "codex"; that of an extension begins with "acp:"
	Version  string  `json:"version,omitempty"`  // semantic version of the adapter
	Client   Client  `json:"client"`
	Homes    []Home  `json:"homes,omitempty"`
	Inputs   []Input `json:"inputs,omitempty"` // closed: what is not here is never read
	// Instructions lists the channels by which the client can be told its instructions, best first.
	Instructions []Channel    `json:"instructions,omitempty"`
	Skills       SkillChannel `json:"skills"`
	// Rewrite is how the client lets a command be rewritten before it runs. With RTK in a request, a layout sees to it.
	Rewrite Rewrite `json:"rewrite,omitempty"`
	// RewriteSupported is the range of client versions in which that has an effect, "" for any.
	RewriteSupported string `json:"rewriteSupported,omitempty"`
	NativeImages     bool   `json:"nativeImages,omitempty"` // the client shows images to its model itself
	// Sandboxed says that the client runs commands in a sandbox of its own, which a person can let single ones out of.
	Sandboxed bool `json:"sandboxed,omitempty"`
	// Saver says that the client can be prepared to hand work to a worker on a model that costs less.
	Saver bool  `json:"saver,omitempty"`
	Model Model `json:"model"`
	// ServerVars begins the names of the variables that carry credentials of MCP servers which the host brings, e.g.
	// "TUTTI_MCP_HEADER_". "" says that the client takes no such servers.
	ServerVars string `json:"serverVars,omitempty"`
	// BearerServers says that of all headers the client takes only a bearer token from a variable, and puts the scheme in
	// front of it by itself. A server that the host brings then has no header but Authorization, and its value comes
	// without the scheme.
	BearerServers bool `json:"bearerServers,omitempty"`
	// Inherit says for each kind how it can be left out. A kind that is absent cannot be left out.
	Inherit map[Kind]Exclusion `json:"inherit,omitempty"`
	Gates   []Gate             `json:"gates,omitempty"`
	// Env lists the variable names that the adapter may set, unset or strip; a trailing * stands for any ending.
	Env   []string `json:"env,omitempty"`
	Flags []string `json:"flags,omitempty"` // flags it may put among the arguments, e.g. "--plugin-dir"
	// OwnState lists what a run of the client itself may change below the user's homes, so that anything else that
	// changes there is a fault.
	OwnState []Location `json:"ownState,omitempty"`
	// MachineSettings are where the administrator of a machine lays down settings for the client, as absolute paths with
	// slashes, those of every system together: "/etc/tool", "C:/ProgramData/tool". Where one is there the host says so, since
	// they can be stronger than a session; the adapter learns nothing of it.
	MachineSettings []string `json:"machineSettings,omitempty"`
	// Transcripts says where the client files conversations, or nothing when one cannot be brought into a session.
	Transcripts Transcripts `json:"transcripts,omitzero"`
}

// Transcripts says where a client files conversations: each in one file of lines, which are JSON objects, of which the
// first holds its id. The host brings one of the user's into a session as a link at the same relative path, and one of
// another session's as a copy; the adapter has no part in it.
type Transcripts struct {
	// Dirs are directories of the session that hold them, to any depth; the first is where new ones go.
	Dirs []string `json:"dirs,omitempty"`
	// From are the directories of the user's that Dirs stand for, in the same order.
	From   []Location `json:"from,omitempty"`
	Suffix string     `json:"suffix,omitempty"` // of the files' names
	ID     KeyPath    `json:"id,omitempty"`     // of the id in the first line; the file's name holds it too
}

// Client says how the executable is found and spoken to.
type Client struct {
	Executables []string  `json:"executables,omitempty"` // names looked for on PATH, in order
	Override    string    `json:"override,omitempty"`    // variable that names the executable and wins over everything, "" for none
	VersionArgs []string  `json:"versionArgs,omitempty"` // default: --version
	Supported   string    `json:"supported,omitempty"`   // semver range, e.g. ">=0.160 <1", "" for any
	Transport   Transport `json:"transport,omitempty"`
	// TransportArgs make the client speak its transport, e.g. "acp". They stand between the arguments of the launch.
	TransportArgs []string `json:"transportArgs,omitempty"`
	Tools         []string `json:"tools,omitempty"` // other programs it needs or is better with
	// Validators are commands of the client that judge its files, for conformance and doctor; they are never run while
	// preparing. Arguments may hold {session}, which stands for the session directory.
	Validators [][]string `json:"validators,omitempty"`
}

// Transport is how a host drives the client.
type Transport string

// The transports.
const (
	NoTransport      Transport = "none" // a terminal program only
	ACP              Transport = "acp"
	CodexAppServer   Transport = "codex_app_server"
	ClaudeStreamJSON Transport = "claude_stream_json"
)

// Home is a directory of the user's that belongs to the client. It is found by the variable, when that is set and not
// blank, and else by the default. Greenroom reads it; it writes there only what a [Login] write-back or a
// [Share] with Make says.
type Home struct {
	ID  string `json:"id,omitempty"`  // e.g. "codex"
	Env string `json:"env,omitempty"` // variable that names it, "" for none
	// Sub is appended to the variable's value, as for XDG_CONFIG_HOME; "" when the value is the home itself.
	Sub string `json:"sub,omitempty"`
	// Default is relative to the user's home. "" with an Env: there is no such home while the variable does not name one.
	Default string `json:"default,omitempty"`
	// WindowsNative first looks below the user's native cache root on Windows, with a leading dot of Default removed.
	WindowsNative bool `json:"windowsNative,omitempty"`
}

// XDGHomes are the directories that a client has below each of the XDG base directories. Their ids are config, data, state
// and cache.
func XDGHomes(sub string) []Home {
	home := func(id, env, path string) Home { return Home{ID: id, Env: env, Sub: sub, Default: path + "/" + sub} }
	return []Home{home("config", "XDG_CONFIG_HOME", ".config"), home("data", "XDG_DATA_HOME", ".local/share"),
		home("state", "XDG_STATE_HOME", ".local/state"), home("cache", "XDG_CACHE_HOME", ".cache")}
}

// Channel is a way to tell a client its instructions.
type Channel string

// The channels.
const (
	HomeFile         Channel = "home_file"          // a file in the client's home, e.g. AGENTS.md
	SystemPromptFile Channel = "system_prompt_file" // a file that a flag names
	PluginPrompt     Channel = "plugin_prompt"
	FirstPrompt      Channel = "first_prompt"   // sent with the first prompt, never stored as the user's text
	WorkspaceFile    Channel = "workspace_file" // a managed block in a file of the user's workspace
)

// SkillChannel says how the client finds skills.
type SkillChannel struct {
	Kind    SkillKind `json:"kind,omitempty"`
	Links   bool      `json:"links,omitempty"`  // it follows a directory link
	Nested  bool      `json:"nested,omitempty"` // it finds skills below a directory in its skills folder
	Names   NameForm  `json:"names,omitempty"`
	MaxName int       `json:"maxName,omitempty"` // longest name in bytes, 0 for 64
}

// SkillKind is the kind of place where a client looks for skills.
type SkillKind string

// The kinds of skill places.
const (
	SkillDirectory  SkillKind = "directory"
	SkillPlugin     SkillKind = "plugin"
	SkillExtraRoots SkillKind = "extra_roots" // told over the protocol after start
	NoSkills        SkillKind = "none"
)

// NameForm is how a model has to spell a skill's name.
type NameForm string

// The name forms.
const (
	PlainNames  NameForm = "plain"
	PluginNames NameForm = "plugin" // plugin:name
)

// Rewrite is how the client lets a command be rewritten before it runs.
type Rewrite string

// The ways to rewrite a command.
const (
	InstructionsOnly Rewrite = "instructions_only"
	PretoolHook      Rewrite = "pretool_hook"
	ClientPlugin     Rewrite = "client_plugin"
)

// Protocol is a model API.
type Protocol string

// The model protocols.
const (
	NoProtocol Protocol = ""
	OpenAI     Protocol = "openai"    // Chat Completions
	Anthropic  Protocol = "anthropic" // Messages
	Responses  Protocol = "responses"
)

// The names that clients know the models of an endpoint by. They never change: clients file conversations by the
// first, and hosts and sessions that are older know both.
const (
	// EndpointProvider is the id of the provider that an endpoint is to a client that has ids for such, and the prefix of
	// ProviderPrefixed models.
	EndpointProvider = "tutti-model-plan"
	// EndpointKeyVar carries the key, for a client that can be told the name of a variable.
	EndpointKeyVar = "TUTTI_MODEL_PLAN_API_KEY"
)

// Addressing is how the client names a model of an endpoint.
type Addressing string

// The addressings.
const (
	RawModels        Addressing = "raw"
	ProviderPrefixed Addressing = "provider_prefixed" // <provider>/<model>
)

// EndpointAdapter is what must stand between the client and a Chat Completions endpoint.
type EndpointAdapter string

// The endpoint adapters.
const (
	NoEndpointAdapter      EndpointAdapter = "none"
	ResponsesToChatGateway EndpointAdapter = "responses_to_chat_gateway"
)

// Model says what the client takes for a model endpoint. A zero Model takes none.
type Model struct {
	// Protocol is that of the endpoints that the client can be bound to. With ResponsesToChatGateway, which goes with
	// OpenAI only, the client itself speaks Responses, and a gateway must stand between it and such an endpoint.
	Protocol   Protocol        `json:"protocol,omitempty"`
	Also       []Protocol      `json:"also,omitempty"` // other protocols that the client speaks itself
	Addressing Addressing      `json:"addressing,omitempty"`
	Endpoint   EndpointAdapter `json:"endpoint,omitempty"`
	KeyVar     string          `json:"keyVar,omitempty"` // variable that carries the credential
	// APIKeyVar carries it instead of KeyVar for an endpoint with APIKey auth, "" for never.
	APIKeyVar string `json:"apiKeyVar,omitempty"`
	// SecretFile says that the client takes the credential from a file in some cases. It may stand in one only where the
	// host allows that; see Endpoint.KeyInFile.
	SecretFile bool `json:"secretFile,omitempty"`
	// NativeSubscription says that the client is the vendor's own for Protocol: a subscription of the vendor's is used
	// through its login. A host has one such client for a protocol.
	NativeSubscription bool `json:"nativeSubscription,omitempty"`
}

// Wire is the protocol that the client speaks for Protocol.
func (m Model) Wire() Protocol {
	if m.Endpoint == ResponsesToChatGateway {
		return Responses
	}
	return m.Protocol
}

// Speaks says whether the client itself speaks a protocol to an endpoint.
func (m Model) Speaks(p Protocol) bool {
	return p != NoProtocol && (p == m.Wire() || slices.Contains(m.Also, p))
}

// Spoken lists, for people, the protocols that the client itself speaks to an endpoint.
func (m Model) Spoken() string {
	spoken := []string{string(m.Wire())}
	for _, p := range m.Also {
		spoken = append(spoken, string(p))
	}
	return strings.Join(spoken, " and ")
}

// Gate is something that can block an unattended start, and how it is answered.
type Gate struct {
	ID     string     `json:"id,omitempty"` // e.g. "folder-trust"
	Answer GateAnswer `json:"answer,omitempty"`
	// Lets are the kinds of things of the project's own that come in only where the workspace is trusted. Such a gate is
	// answered as the session's trust says: Answer is how it is told yes then, and Untrusted how it is told no.
	Lets      []Kind     `json:"lets,omitempty"`
	Untrusted GateAnswer `json:"untrusted,omitempty"`
}

// Stands says whether nothing answers the gate in a session whose workspace is trusted, or is not.
func (g Gate) Stands(trusted bool) bool {
	if len(g.Lets) > 0 && !trusted {
		return g.Untrusted == NotAnswered
	}
	return g.Answer == NotAnswered
}

// GateAnswer is how a gate is answered.
type GateAnswer string

// The answers.
const (
	AnsweredByFile GateAnswer = "file"
	AnsweredByFlag GateAnswer = "flag"
	AnsweredByEnv  GateAnswer = "env"
	NotAnswered    GateAnswer = "none"
)

// Unanswered are gates that nothing answers.
func Unanswered(ids ...string) []Gate {
	gates := make([]Gate, len(ids))
	for i, id := range ids {
		gates[i] = Gate{ID: id, Answer: NotAnswered}
	}
	return gates
}
