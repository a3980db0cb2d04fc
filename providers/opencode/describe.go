package opencode

import (
	_ "embed"
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	home, envDir, envFile     = "config", "OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG"
	envNoShared, envNoProject = "OPENCODE_DISABLE_EXTERNAL_SKILLS", "OPENCODE_DISABLE_PROJECT_CONFIG"
	envNoPlugins, envOffline  = "OPENCODE_PURE", "npm_config_offline"
	envAuth, envDatabase      = "OPENCODE_AUTH_CONTENT", "OPENCODE_DB"
	// serverVars begins the names of the variables that carry credentials of the host's MCP servers.
	keyVar, serverVars = p.EndpointKeyVar, "TUTTI_MCP_HEADER_"
)

//go:embed variables.txt
var variables string // of the client, by what they do, which the file says

var lists = p.Lists(variables)

// What is learned of the user's configuration: names of servers and of what has a model of its own, and permissions that
// are one word. Headers and options, which may hold secrets, are not asked for.
var (
	serverType, commandModel = p.Key("mcp", "*", "type"), p.Key("command", "*", "model")
	agentModel, modeModel    = p.Key("agent", "*", "model"), p.Key("mode", "*", "model")
	allRules, skillRule      = p.Key("permission"), p.Key("permission", "skill")
	shellRule, shellRules    = p.Key("permission", "bash"), p.Key("permission", "bash", "*")
	buildShellRule           = p.Key("agent", "build", "permission", "bash")
)

// The inputs, in the user's configuration directories unless they say otherwise.
var (
	// The client reads one of the two.
	inInstructions = p.FileAt("instructions", p.At(home, "AGENTS.md"), p.AtUser(".claude/CLAUDE.md")).Carrying(p.Instructions)
	inSkills       = own("skills", p.FilterSkills, "skill").Named().Carrying(p.Skills)
	inSkillTrees   = own("skill-trees", p.FilterSkillTrees, "skill").Named() // the same, with folders of them
	// Of the user, for agents of every make.
	inSharedSkills = p.NamesAt("shared-skills", p.FilterSkills, p.EachAtUser(".claude/skills", ".agents/skills")...).Carrying(p.Skills)
	inAgents       = own("agents", ".md", "agent").Named().Carrying(p.ModelSettings)
	inAgentFolders = own("agent-folders", p.FilterDirs, "agent").Named().Carrying(p.ModelSettings)
	inModes        = own("modes", ".md", "mode").Named().Carrying(p.ModelSettings)
	inCommands     = own("commands", ".md", "command").Named().Carrying(p.ModelSettings)
	// What follows is the project's, which comes along by working there; named so that no skill of ours takes its name, and
	// because a session with credentials of the host's has to bring it itself.
	inProjectInstructions = p.FileAt("project-instructions", p.EachInProject("AGENTS.md", "CLAUDE.md", "CONTEXT.md")...)
	inProjectSkills       = p.NamesAt("project-skills", p.FilterSkills, p.EachInProject(".opencode/skill", ".opencode/skills")...)
	inProjectShared       = p.NamesAt("project-shared-skills", p.FilterSkills, p.EachInProject(".claude/skills", ".agents/skills")...)
	inProjectConfig       = p.FileAt("project-config", p.EachInProject("opencode.jsonc", "opencode.json", ".opencode/opencode.json",
		".opencode/opencode.jsonc")...)
	inProjectPlugins = p.NamesAt("project-plugins", p.FilterDirs, p.EachInProject(".opencode")...)
	// The configurations of the user's, in the order in which the client lays them over each other.
	configs = []p.Input{
		config("config", p.At(home, "config.json")),
		config("settings", p.At(home, "opencode.json")), config("settings-jsonc", p.At(home, "opencode.jsonc")),
		config("dot-settings", p.AtUser(".opencode/opencode.json")), config("dot-settings-jsonc", p.AtUser(".opencode/opencode.jsonc")),
	}
)

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "opencode", Version: "0.1.0",
		Client: p.Client{
			Executables: []string{"opencode"}, Supported: ">=1.18.33 <2", Tools: []string{"rg"},
			Transport: p.ACP, TransportArgs: []string{"acp"},
			// It refuses a configuration with a key that it does not know.
			Validators: [][]string{{"debug", "config"}},
		},
		Homes: p.XDGHomes("opencode"),
		Inputs: slices.Concat([]p.Input{
			inInstructions, inSkills, inSkillTrees, inSharedSkills,
			own("plugins-js", ".js", "plugin").Carrying(p.Plugins), own("plugins-ts", ".ts", "plugin").Carrying(p.Plugins),
			// No switch keeps a tool of the user's from being loaded.
			own("tools-js", ".js", "tool").CarryingFast(p.Plugins), own("tools-ts", ".ts", "tool").CarryingFast(p.Plugins),
			inAgents, inAgentFolders, inModes, inCommands, inProjectInstructions, inProjectSkills, inProjectShared, inProjectConfig, inProjectPlugins,
		}, configs),
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.ClientPlugin, NativeImages: true,
		Model:      p.Model{Protocol: p.OpenAI, Addressing: p.ProviderPrefixed, Endpoint: p.NoEndpointAdapter, KeyVar: keyVar},
		ServerVars: serverVars,
		Inherit: map[p.Kind]p.Exclusion{
			p.Instructions: {How: p.ByLayout}, p.Skills: {How: p.ByLayout, Named: true}, p.MCPServers: {How: p.ByLayout, Named: true},
			p.Plugins: {How: p.ByEnv, OffEndpoint: true},
			// The client has neither; what does the work of hooks are its plugins. Settings are not here: the directory that they
			// lie in cannot be moved.
			p.Hooks: {How: p.ByLayout}, p.Memories: {How: p.ByLayout},
		},
		Gates: append(p.Unanswered("login"), p.TrustGate("folder-trust", p.AnsweredByEnv, p.AnsweredByEnv, p.MCPServers, p.Plugins, p.ModelSettings)),
		Env: slices.Concat([]string{envDir, envFile, envNoShared, envNoProject, envNoPlugins, envAuth, envDatabase, envOffline, keyVar,
			serverVars + "*"}, lists["quiet"], lists["settings"], lists["redirects"]),
		// The client puts its plugin interface into the configuration directory, and a schema into a configuration that names
		// none.
		OwnState: slices.Concat(
			places(".gitignore", "node_modules", "package.json", "package-lock.json", "bun.lock"),
			p.EachAt("data", "auth.json", "bin", "log", "project", "repos", "snapshot", "storage", "tool-output", "opencode.db",
				"opencode.db-shm", "opencode.db-wal"), []p.Location{p.At("state", ""), p.At("cache", "")}),
		MachineSettings: []string{"/etc/opencode", "/Library/Application Support/opencode", "C:/ProgramData/opencode"},
	}
}

// places are paths in each of the user's configuration directories.
func places(paths ...string) (at []p.Location) {
	for _, path := range paths {
		at = append(at, p.At(home, path), p.AtUser(".opencode/"+path))
	}
	return at
}

func own(name, filter, dir string) p.Input { // the client knows each directory by two names
	return p.NamesAt(name, filter, places(dir, dir+"s")...)
}

// config is a configuration of the user's. The client adds up lists of instructions and gives no way to empty them.
func config(name string, at p.Location) p.Input {
	return p.FileAt(name, at).Learning(p.JSONC, serverType, agentModel, modeModel, commandModel, allRules, skillRule, shellRule, shellRules, buildShellRule).
		CarryingFast(p.Instructions, "instructions").Carrying(p.Skills, "skills/paths", "skills/urls").
		Carrying(p.MCPServers, "mcp/*").Carrying(p.Plugins, "plugin").
		CarryingDisplaced(p.ModelSettings, "model", "small_model", "provider/*").Carrying(p.ModelSettings, "default_agent", "agent/*", "mode/*", "command/*",
		"permission", "tools", "formatter", "lsp")
}
