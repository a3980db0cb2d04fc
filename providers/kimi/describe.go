package kimi

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

const (
	version = "0.1.0"
	home    = "kimi"
	envHome = "KIMI_CODE_HOME"

	envNoTelemetry, envNoUpdate = "KIMI_DISABLE_TELEMETRY", "KIMI_CODE_NO_AUTO_UPDATE"
	envDepth, envHeaders        = "SHLVL", "KIMI_CODE_CUSTOM_HEADERS"

	// keyVar carries the key of the endpoint, and serverVars begins the names of the variables with the credentials of the
	// host's MCP servers.
	keyVar, serverVars = p.EndpointKeyVar, "TUTTI_MCP_HEADER_"
)

// The inputs, by what they are in the user's home of the client unless they say otherwise.
const (
	inInstructions, inSystemPrompt, inConfig, inServers = "instructions", "system-prompt", "config", "servers"
	inTerminal, inThemes, inAgents                      = "terminal", "themes", "agents"
	inPlugins, inInstalled                              = "plugins", "installed"
	inDevice, inRegion                                  = "device", "region"
	inSkills, inSkillFiles                              = "skills", "skill-files"
	// Of the user, for agents of every make, and found through HOME.
	inSharedInstructions, inSharedAgents         = "shared-instructions", "shared-agents"
	inSharedSkills, inSharedFiles, inSharedTrees = "shared-skills", "shared-files", "shared-trees"
	inProjectSkills                              = "project-skills" // of the workspace
)

// What is learned of the user's files: which models their login serves, which is the first choice, and which variable a
// server's credential comes from.
var (
	modelProvider = p.Key("models", "*", "provider")
	firstModel    = p.Key("default_model")
	serverToken   = p.Key("mcpServers", "*", "bearerTokenEnvVar")
)

// shellModel are the variables by which a shell gives the client another model, provider, key or header. The named ones
// count as absent when they are empty.
var shellModel = []string{"KIMI_MODEL_NAME", "KIMI_MODEL_API_KEY", "KIMI_MODEL_BASE_URL", "KIMI_MODEL_PROVIDER_TYPE",
	envHeaders}

// shellTuning are those that were chosen for another model, or lead to services of the vendor's.
var shellTuning = []string{"KIMI_MODEL_*", "KIMI_SECONDARY_*", "KIMI_WEB_SEARCH_*", "KIMI_WEB_FETCH_*"}

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "kimi",
		Version:  version,
		Client: p.Client{
			Executables: []string{"kimi"},
			Supported:   ">=2.1.0 <3",
			Transport:   p.ACP, TransportArgs: []string{"acp"},
			Tools: []string{"rg"},
			// It runs on with what is left of a file that it does not understand, so this is the only judge.
			Validators: [][]string{{"doctor", "config", "{session}/kimi/config.toml"}},
		},
		Homes:        []p.Home{{ID: home, Env: envHome, Default: ".kimi-code"}},
		Inputs:       inputs(),
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.InstructionsOnly,
		NativeImages: true,
		Model: p.Model{Protocol: p.OpenAI, Also: []p.Protocol{p.Responses}, Addressing: p.ProviderPrefixed,
			Endpoint: p.NoEndpointAdapter, KeyVar: keyVar},
		ServerVars: serverVars, BearerServers: true,
		Inherit: map[p.Kind]p.Exclusion{
			p.Instructions:  {How: p.ByLayout},
			p.Skills:        {How: p.ByLayout, Named: true},
			p.MCPServers:    {How: p.ByLayout, Named: true},
			p.Hooks:         {How: p.ByLayout},
			p.Plugins:       {How: p.ByLayout, Named: true},
			p.Memories:      {How: p.ByLayout}, // the client has none
			p.ModelSettings: {How: p.ByLayout},
		},
		// Asked on a terminal only; over ACP and in print mode a project that is not trusted is so without a word.
		Gates: []p.Gate{{ID: "login", Answer: p.NotAnswered}, {ID: "folder-trust", Answer: p.NotAnswered},
			{ID: "migration", Answer: p.AnsweredByFile}},
		Env: append([]string{envHome, keyVar, serverVars + "*", envNoTelemetry, envNoUpdate, envDepth, envHeaders}, shellTuning...),
		// Logins, and trust that a person gives on a terminal, are written through links to these.
		OwnState: inHome("credentials", "oauth", "workspace-trust"),
	}
}

func inHome(paths ...string) (at []p.Location) {
	for _, path := range paths {
		at = append(at, p.At(home, path))
	}
	return at
}

func inputs() []p.Input {
	file := func(name, path string, carries ...p.Carry) p.Input {
		return p.Input{Name: name, Kind: p.InputFile, At: inHome(path), Carries: carries}
	}
	names := func(name, filter string, learn p.Learn, kind p.Kind, at ...p.Location) p.Input {
		return p.Input{Name: name, Kind: p.InputNames, At: at, Filter: filter, Learn: learn, Carries: []p.Carry{{Kind: kind}}}
	}
	shared := p.AtUser(".agents/skills")
	config := file(inConfig, "config.toml", configCarries()...)
	config.Learn, config.Format, config.Values = p.LearnValues, p.TOML, []p.KeyPath{modelProvider, firstModel}
	servers := file(inServers, "mcp.json", p.Carry{Kind: p.MCPServers, Keys: []p.KeyPath{p.Key("mcpServers", "*")}})
	servers.Learn, servers.Format, servers.Values = p.LearnValues, p.JSON, []p.KeyPath{serverToken}
	prompt := file(inSystemPrompt, "SYSTEM.md", p.Carry{Kind: p.Instructions})
	prompt.Learn, prompt.NotBlank = p.LearnContent, true // whether it has a place for the instructions and the skills
	trees := names(inSharedTrees, p.FilterLinkedSkillTrees, p.LearnValues, p.Skills, shared)
	trees.Carries = nil
	return []p.Input{
		file(inInstructions, "AGENTS.md", p.Carry{Kind: p.Instructions}),
		prompt,
		config,
		file(inTerminal, "tui.toml"),
		names(inThemes, ".json", p.LearnExists, p.ModelSettings, inHome("themes")...),
		servers,
		names(inAgents, ".md", p.LearnExists, p.ModelSettings, inHome("agents")...),
		names(inPlugins, p.FilterDirs, p.LearnValues, p.Plugins, inHome("plugins/managed")...),
		file(inInstalled, "plugins/installed.json"),
		file(inDevice, "device_id"),
		file(inRegion, "region"),
		names(inSkills, p.FilterLinkedSkillTrees, p.LearnExists, p.Skills, inHome("skills")...),
		names(inSkillFiles, ".md", p.LearnExists, p.Skills, inHome("skills")...),
		{Name: inSharedInstructions, Kind: p.InputFile, At: []p.Location{p.AtUser(".agents/AGENTS.md"), p.AtUser(".agents/agents.md")},
			NotBlank: true, Carries: []p.Carry{{Kind: p.Instructions, Stays: true}}},
		{Name: inSharedAgents, Kind: p.InputNames, Filter: ".md", At: []p.Location{p.AtUser(".agents/agents")},
			Carries: []p.Carry{{Kind: p.ModelSettings, Stays: true}}},
		names(inSharedSkills, p.FilterSkills, p.LearnValues, p.Skills, shared),
		names(inSharedFiles, ".md", p.LearnValues, p.Skills, shared),
		trees,
		// The project's own, which come along by working there; named so that no skill of ours takes their names.
		{Name: inProjectSkills, Kind: p.InputNames, Filter: p.FilterSkills, At: []p.Location{
			p.AtWorkspace(".kimi-code/skills").UpToGitRoot(), p.AtWorkspace(".agents/skills").UpToGitRoot()}},
	}
}
