package extension

import "encoding/json"

// ManifestSchema is that of the manifest of every package.
const ManifestSchema = "tutti.agent.manifest.v2"

// Manifest says what a package describes, and names its files.
type Manifest struct {
	SchemaVersion string `json:"schemaVersion"`
	// AgentKey is the name of the agent among all. It is the ID that a package is signed as.
	AgentKey string `json:"agentKey"`
	Version  string `json:"version"` // a semantic version
	// Name and Description are for people.
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Icon, MaskIcon and HeroImage are pictures of the package.
	Icon      Asset   `json:"icon"`
	MaskIcon  *Asset  `json:"maskIcon,omitempty"`
	HeroImage *Asset  `json:"heroImage,omitempty"`
	Runtime   Runtime `json:"runtime"`
	// Profiles are the files that describe single sides of the agent, by their kind.
	Profiles         map[string]string `json:"profiles"`
	LocalizationInfo Localization      `json:"localizationInfo"`
	// ClientPlugins are source files in the language that the client has its plugins in. They are copied into the home
	// of a session, and never executed by Greenroom.
	ClientPlugins []ClientPlugin `json:"clientPlugins,omitempty"`
}

// Asset is a picture.
type Asset struct {
	Type string `json:"type"` // "asset"
	Src  string `json:"src"`  // a file of the package
}

// Runtime is how the agent is installed and started.
type Runtime struct {
	Kind    string  `json:"kind"` // "standard-acp"
	Install Install `json:"install"`
	Launch  Launch  `json:"launch"`
}

// Install is how a host installs the agent. Greenroom does not; it holds the declaration to what is safe to follow.
type Install struct {
	Runner string   `json:"runner"` // npm, pnpm, uv or binary
	Args   []string `json:"args,omitempty"`
	// Artifacts are the downloads of the binary runner.
	Artifacts []json.RawMessage `json:"artifacts,omitempty"`
}

// Launch is how the agent is started, below the directory that it is installed in.
type Launch struct {
	Executable         string            `json:"executable"`
	Args               []string          `json:"args,omitempty"`
	PublishUserCommand *bool             `json:"publishUserCommand,omitempty"`
	Env                map[string]string `json:"env,omitempty"`
}

// Localization names the files with texts.
type Localization struct {
	DefaultLocale     string   `json:"defaultLocale"`
	DefaultFile       string   `json:"defaultFile"`
	AdditionalLocales []Locale `json:"additionalLocales,omitempty"`
}

// Locale is the file with the texts of one language.
type Locale struct {
	Locale string `json:"locale"`
	File   string `json:"file"`
}

// ClientPlugin is a source file, and where it goes.
type ClientPlugin struct {
	File string `json:"file"` // a file of the package
	To   string `json:"to"`   // below the home of the session
}

// Profiles that a manifest may name.
const (
	ProfileComposer     = "composer"
	ProfileDiscovery    = "discovery"
	ProfileCapabilities = "capabilities"
)

// profileSchemas are the kinds of profile and the schema that each has.
var profileSchemas = map[string]string{
	ProfileComposer:     "tutti.agent.composer.v1",
	ProfileDiscovery:    "tutti.agent.discovery.v1",
	ProfileCapabilities: "tutti.agent.capabilities.v1",
	"tools":             "tutti.agent.tools.v1",
	"events":            "tutti.agent.events.v1",
	"authentication":    "tutti.agent.authentication.v1",
	"accountUsage":      "tutti.agent.account-usage-probe.v1",
}
