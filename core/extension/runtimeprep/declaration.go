package runtimeprep

// Declaration is the object runtimePrep. The zero value is what an extension without one declares: instructions in
// AGENTS.md of the workspace, and no home.
type Declaration struct {
	// InstructionsFile is the Markdown file of the workspace that our managed block goes to. Default: AGENTS.md.
	InstructionsFile string `json:"instructionsFile,omitempty"`
	// HiddenBy names files of the workspace that the agent reads in the place of InstructionsFile. Where one of them stands,
	// up to the git root, the instructions go with the first prompt. An addition of Greenroom's.
	HiddenBy []string `json:"instructionsHiddenBy,omitempty"`
	Home     *Home    `json:"home,omitempty"`
}

// Home is a home of the agent's that each session has for itself.
type Home struct {
	// EnvVar is the variable by which the agent finds its home. Required.
	EnvVar string `json:"envVar"`
	// DirName is the home's directory in the session. Required.
	DirName string `json:"dirName"`
	// SourceEnvVar may name the user's own home of the agent, and wins over SourceDefaultRel, which is relative to the
	// user's home directory, or with its leading dot taken off to the native cache root of Windows, when it is there.
	SourceEnvVar     string `json:"sourceEnvVar,omitempty"`
	SourceDefaultRel string `json:"sourceDefaultRel,omitempty"`
	// CopyFiles are copied from there, each time anew.
	CopyFiles []string `json:"copyFiles,omitempty"`
	// LoginFiles are logins that are shared with the user, as links that are brought home when the agent replaces them. An
	// addition of Greenroom's.
	LoginFiles []LoginFile `json:"loginFiles,omitempty"`
	// SharedDirs are directories there that all sessions use, made when they are missing.
	SharedDirs []string `json:"sharedDirs,omitempty"`
	// ConfigFile is edited: the directories of skills are added to the list at ExternalDirsKey, and the names of plugins
	// that the package brings to the one at PluginsKey, which is an addition of Greenroom's.
	ConfigFile      string   `json:"configFile,omitempty"`
	ConfigFormat    string   `json:"configFormat,omitempty"` // "yaml", which is the default
	ExternalDirsKey []string `json:"externalDirsKey,omitempty"`
	PluginsKey      []string `json:"pluginsKey,omitempty"`
	// UserHomeSkillDir is where the user's own skills lie in their home of the agent.
	UserHomeSkillDir string `json:"userHomeSkillDir,omitempty"`
	// IncludeSkillRoots adds the session's skills to the list, and IncludeUserHomeDir the user's.
	IncludeSkillRoots  bool `json:"includeSkillRoots,omitempty"`
	IncludeUserHomeDir bool `json:"includeUserHomeDir,omitempty"`
}

// LoginFile is a login of the user's.
type LoginFile struct {
	Path string `json:"path"`
	// Lock is the name of a file beside it that the agent locks while it renews the login, "" for none.
	Lock string `json:"lock,omitempty"`
}

// Scope says what the path of a skill root is relative to.
type Scope string

// The scopes.
const (
	Workspace Scope = "workspace"
	User      Scope = "user"
)

// Root is a directory in which the agent looks for skills: an element of skills.roots of the composer profile.
type Root struct {
	Scope Scope  `json:"scope"`
	Path  string `json:"path"`
}

// DefaultInstructionsFile is where instructions go when a declaration does not say.
const DefaultInstructionsFile = "AGENTS.md"

// Instructions is the file that the managed block goes to.
func (d Declaration) Instructions() string {
	if d.InstructionsFile == "" {
		return DefaultInstructionsFile
	}
	return d.InstructionsFile
}

// Copies are the files that are copied as they are: all of CopyFiles but the one that is edited.
func (h *Home) Copies() []string {
	var list []string
	for _, f := range h.CopyFiles {
		if f != h.ConfigFile || !h.Edits() {
			list = append(list, f)
		}
	}
	if h.ConfigFile != "" && !h.Edits() && len(list) == len(h.CopyFiles) && !contains(list, h.ConfigFile) {
		list = append(list, h.ConfigFile)
	}
	return list
}

// Edits says whether ConfigFile is edited, and not copied as it is.
func (h *Home) Edits() bool {
	return h.ConfigFile != "" && (len(h.ExternalDirsKey) > 0 || len(h.PluginsKey) > 0)
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}
