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
	// ClientPlugins are files of plugins of the client's, in the language that it has them in. They stand in the home of a
	// session, and are never executed by Greenroom.
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

// ClientPlugin is a file of a plugin, and where it goes: one of the package, or one that tells of the session.
type ClientPlugin struct {
	File string `json:"file,omitempty"` // a file of the package
	// Tell names what a JSON object is made of that stands in the place of a file of the package: "rtk", the absolute path of
	// the program by which rtk is run in this session.
	Tell []string `json:"tell,omitempty"`
	To   string   `json:"to"` // below the home of the session
	// When says in which sessions: "rtk" for those with rtk, "" for all.
	When string `json:"when,omitempty"`
	// Enable is the name by which the configuration of the client lists the plugin, at runtimePrep.home.pluginsKey of the
	// composer profile. To lies in a directory of that name, which is the plugin's own.
	Enable string `json:"enable,omitempty"`
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
