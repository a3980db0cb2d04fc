package opencode

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

const (
	version = "0.1.0"
	home    = "config"

	envDir       = "OPENCODE_CONFIG_DIR"
	envFile      = "OPENCODE_CONFIG"
	envNoCatalog = "OPENCODE_DISABLE_MODELS_FETCH"
	envNoUpdate  = "OPENCODE_DISABLE_AUTOUPDATE"
	envNoServers = "OPENCODE_DISABLE_LSP_DOWNLOAD"
	envNoShared  = "OPENCODE_DISABLE_EXTERNAL_SKILLS"
	envNoProject = "OPENCODE_DISABLE_PROJECT_CONFIG"
	envNoPlugins = "OPENCODE_PURE"
	envAuth      = "OPENCODE_AUTH_CONTENT"
	envDatabase  = "OPENCODE_DB"
)

// The inputs, by what they are in the user's configuration directory unless they say otherwise.
const (
	inInstructions        = "instructions"
	inSkills              = "skills"
	inSkillTrees          = "skill-trees"   // the same, with folders of them
	inSharedSkills        = "shared-skills" // of the user, for agents of every make
	inAgents              = "agents"
	inProjectInstructions = "project-instructions"
	inProjectSkills       = "project-skills"
	inProjectShared       = "project-shared-skills"
	inProjectConfig       = "project-config"
	inProjectPlugins      = "project-plugins"
)

// configs are the inputs that are configurations of the user's, in the order in which the client lays them over each
// other.
var configs = []string{"config", "settings", "settings-jsonc", "dot-settings", "dot-settings-jsonc"}

// settings are variables by which a person configures the client beside files.
var settings = []string{"OPENCODE_CONFIG_CONTENT", "OPENCODE_PERMISSION", "OPENCODE_TUI_CONFIG"}

// What is learned of the user's configuration: names of servers and of what has a model of its own, and permissions that
// are one word. Headers and options, which may hold secrets, are not asked for.
var (
	serverType     = p.Key("mcp", "*", "type")
	agentModel     = p.Key("agent", "*", "model")
	allRules       = p.Key("permission")
	shellRule      = p.Key("permission", "bash")
	shellRules     = p.Key("permission", "bash", "*")
	skillRule      = p.Key("permission", "skill")
	buildShellRule = p.Key("agent", "build", "permission", "bash")
)

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "opencode",
		Version:  version,
		Client: p.Client{
			Executables:   []string{"opencode"},
			Supported:     ">=1.18.33 <2",
			Transport:     p.ACP,
			TransportArgs: []string{"acp"},
			Tools:         []string{"rg"},
			// It refuses a configuration with a key that it does not know.
			Validators: [][]string{{"debug", "config"}},
		},
		Homes: []p.Home{
			{ID: home, Env: "XDG_CONFIG_HOME", Sub: "opencode", Default: ".config/opencode"},
			{ID: "data", Env: "XDG_DATA_HOME", Sub: "opencode", Default: ".local/share/opencode"},
			{ID: "state", Env: "XDG_STATE_HOME", Sub: "opencode", Default: ".local/state/opencode"},
			{ID: "cache", Env: "XDG_CACHE_HOME", Sub: "opencode", Default: ".cache/opencode"},
		},
		Inputs:       inputs(),
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.ClientPlugin,
		NativeImages: true,
		Model: p.Model{Protocol: p.OpenAI, Addressing: p.ProviderPrefixed, Endpoint: p.NoEndpointAdapter,
			KeyVar: keyVar},
		ServerVars: serverVars,
		// Settings are not among them: the directory that they lie in cannot be moved.
		Inherit: map[p.Kind]p.Exclusion{
			p.Instructions: {How: p.ByLayout},
			p.Skills:       {How: p.ByLayout, Named: true},
			p.MCPServers:   {How: p.ByLayout, Named: true},
			p.Plugins:      {How: p.ByEnv, OffEndpoint: true},
			// The client has neither; what does the work of hooks are its plugins.
			p.Hooks:    {How: p.ByLayout},
			p.Memories: {How: p.ByLayout},
		},
		Gates: []p.Gate{{ID: "login", Answer: p.NotAnswered}},
		Env: append([]string{envDir, envFile, envNoCatalog, envNoUpdate, envNoServers, envNoShared, envNoProject,
			envNoPlugins, envAuth, envDatabase, keyVar, serverVars + "*"}, append(settings, redirects...)...),
		OwnState: ownState(),
	}
}

func inputs() []p.Input {
	names := func(name, filter string, kind p.Kind, at []p.Location) p.Input {
		return p.Input{Name: name, Kind: p.InputNames, At: at, Filter: filter, Carries: []p.Carry{{Kind: kind}}}
	}
	learn := func(in p.Input) p.Input { in.Learn = p.LearnValues; return in }
	stays := func(in p.Input) p.Input { in.Carries[0].Stays = true; return in }
	list := []p.Input{
		// The client reads one of the two.
		{Name: inInstructions, Kind: p.InputFile, At: []p.Location{p.At(home, "AGENTS.md"), p.AtUser(".claude/CLAUDE.md")},
			Carries: []p.Carry{{Kind: p.Instructions}}},
		learn(names(inSkills, p.FilterSkills, p.Skills, own("skill", "skills"))),
		{Name: inSkillTrees, Kind: p.InputNames, At: own("skill", "skills"), Filter: p.FilterSkillTrees, Learn: p.LearnValues},
		names(inSharedSkills, p.FilterSkills, p.Skills, []p.Location{p.AtUser(".claude/skills"), p.AtUser(".agents/skills")}),
		names("plugins-js", ".js", p.Plugins, own("plugin", "plugins")),
		names("plugins-ts", ".ts", p.Plugins, own("plugin", "plugins")),
		// No switch keeps a tool of the user's from being loaded.
		stays(names("tools-js", ".js", p.Plugins, own("tool", "tools"))),
		stays(names("tools-ts", ".ts", p.Plugins, own("tool", "tools"))),
		learn(names(inAgents, ".md", p.ModelSettings, own("agent", "agents"))),
		names("modes", ".md", p.ModelSettings, own("mode", "modes")),
		names("commands", ".md", p.ModelSettings, own("command", "commands")),
		// What follows is the project's, which comes along by working there; named so that no skill of ours takes its
		// name, and because a session with an endpoint has to bring it itself.
		{Name: inProjectInstructions, Kind: p.InputFile, At: project("AGENTS.md", "CLAUDE.md", "CONTEXT.md")},
		{Name: inProjectSkills, Kind: p.InputNames, At: project(".opencode/skill", ".opencode/skills"), Filter: p.FilterSkills},
		{Name: inProjectShared, Kind: p.InputNames, At: project(".claude/skills", ".agents/skills"), Filter: p.FilterSkills},
		{Name: inProjectConfig, Kind: p.InputFile, At: project("opencode.jsonc", "opencode.json", ".opencode/opencode.json",
			".opencode/opencode.jsonc")},
		{Name: inProjectPlugins, Kind: p.InputNames, At: project(".opencode"), Filter: p.FilterDirs},
	}
	files := []p.Location{p.At(home, "config.json"), p.At(home, "opencode.json"), p.At(home, "opencode.jsonc"),
		p.AtUser(".opencode/opencode.json"), p.AtUser(".opencode/opencode.jsonc")}
	for i, name := range configs {
		list = append(list, p.Input{Name: name, Kind: p.InputFile, At: files[i : i+1], Carries: carries(),
			Learn: p.LearnValues, Format: p.JSONC,
			Values: []p.KeyPath{serverType, agentModel, allRules, skillRule, shellRule, shellRules, buildShellRule}})
	}
	return list
}

// own are directories of the user's for one kind of thing, in each place where the client looks for them.
func own(names ...string) (at []p.Location) {
	for _, name := range names {
		at = append(at, p.At(home, name), p.AtUser(".opencode/"+name))
	}
	return at
}

func project(paths ...string) (at []p.Location) {
	for _, path := range paths {
		at = append(at, p.AtWorkspace(path).UpToGitRoot())
	}
	return at
}

// carries says what a configuration of the user's brings. The client adds up lists of instructions and gives no way to
// empty them.
func carries() []p.Carry {
	return []p.Carry{
		{Kind: p.Instructions, Keys: []p.KeyPath{p.Key("instructions")}, Stays: true},
		{Kind: p.Skills, Keys: []p.KeyPath{p.Key("skills", "paths"), p.Key("skills", "urls")}},
		{Kind: p.MCPServers, Keys: []p.KeyPath{p.Key("mcp", "*")}},
		{Kind: p.Plugins, Keys: []p.KeyPath{p.Key("plugin")}},
		{Kind: p.ModelSettings, Keys: []p.KeyPath{p.Key("model"), p.Key("small_model"), p.Key("default_agent"),
			p.Key("provider", "*"), p.Key("agent", "*"), p.Key("mode", "*"), p.Key("command", "*"), p.Key("permission"),
			p.Key("tools"), p.Key("formatter"), p.Key("lsp")}},
	}
}

// ownState is what a run of the client changes below the user's homes. It puts its plugin interface into the
// configuration directory, and a schema into a configuration that names none.
func ownState() (at []p.Location) {
	for _, path := range []string{".gitignore", "node_modules", "package.json", "package-lock.json", "bun.lock"} {
		at = append(at, p.At(home, path), p.AtUser(".opencode/"+path))
	}
	for _, path := range []string{"auth.json", "bin", "log", "project", "repos", "snapshot", "storage", "tool-output", "opencode.db",
		"opencode.db-shm", "opencode.db-wal"} {
		at = append(at, p.At("data", path))
	}
	return append(at, p.At("state", ""), p.At("cache", ""))
}
