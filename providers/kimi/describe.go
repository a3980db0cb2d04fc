package kimi

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

const (
	home, envHome                         = "kimi", "KIMI_CODE_HOME"
	envNoTelemetry, envNoUpdate, envDepth = "KIMI_DISABLE_TELEMETRY", "KIMI_CODE_NO_AUTO_UPDATE", "SHLVL"
	// serverVars begins the names of the variables with the credentials of the host's MCP servers.
	keyVar, serverVars = p.EndpointKeyVar, "TUTTI_MCP_HEADER_"
)

// What is learned of the user's files: which models their login serves, which is the first choice, and which variable a
// server's credential comes from.
var (
	modelProvider, firstModel = p.Key("models", "*", "provider"), p.Key("default_model")
	loginKey                  = p.Key("providers", account, "oauth", "key")
	serverToken               = p.Key("mcpServers", "*", "bearerTokenEnvVar")
)

// shellModel are the variables by which a shell gives the client another model, provider, key or header. The named ones
// count as absent when they are empty.
var shellModel = []string{"KIMI_MODEL_NAME", "KIMI_MODEL_API_KEY", "KIMI_MODEL_BASE_URL", "KIMI_MODEL_PROVIDER_TYPE",
	"KIMI_CODE_CUSTOM_HEADERS"}

// shellTuning are those that were chosen for another model, lead to services of the vendor's, or name an account elsewhere.
var shellTuning = []string{"KIMI_MODEL_*", "KIMI_SECONDARY_*", "KIMI_WEB_SEARCH_*", "KIMI_WEB_FETCH_*", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"}

// The inputs, in the user's home of the client unless they say otherwise.
var (
	inInstructions = p.FileAt("instructions", p.At(home, "AGENTS.md")).Carrying(p.Instructions)
	// Learned is whether it has a place for the instructions and the skills.
	inSystemPrompt = p.FileAt("system-prompt", p.At(home, "SYSTEM.md")).Filled().Whole().Carrying(p.Instructions)
	inConfig       = sections.Carried(p.FileAt("config", p.At(home, "config.toml"))).Learning(p.TOML, modelProvider, firstModel, loginKey)
	inTerminal     = p.FileAt("terminal", p.At(home, "tui.toml"))
	inThemes       = p.NamesAt("themes", ".json", p.At(home, "themes")).Carrying(p.ModelSettings)
	inServers      = p.FileAt("servers", p.At(home, "mcp.json")).Learning(p.JSON, serverToken).Carrying(p.MCPServers, "mcpServers/*")
	inAgents       = p.NamesAt("agents", ".md", p.At(home, "agents")).Carrying(p.ModelSettings)
	inPlugins      = p.NamesAt("plugins", p.FilterDirs, p.At(home, "plugins/managed")).Named().Carrying(p.Plugins)
	inInstalled    = p.FileAt("installed", p.At(home, "plugins/installed.json"))
	inDevice       = p.FileAt("device", p.At(home, "device_id"))
	// A login that the host names in the place of the user's, which is a directory; and the directories that there are.
	inLogin      = p.FileAt("login", p.At(home, "credentials/of-the-host.json")).Private(p.JSON)
	inDirs       = p.NamesAt("directories", p.FilterDirs, p.At(home, "")).Named()
	inRegion     = p.FileAt("region", p.At(home, "region"))
	inSkills     = p.NamesAt("skills", p.FilterLinkedSkillTrees, p.At(home, "skills")).Carrying(p.Skills)
	inSkillFiles = p.NamesAt("skill-files", ".md", p.At(home, "skills")).Carrying(p.Skills)
	// Of the user, for agents of every make, and found through HOME.
	inSharedInstructions = p.FileAt("shared-instructions", p.EachAtUser(".agents/AGENTS.md", ".agents/agents.md")...).Filled().
				CarryingFast(p.Instructions)
	inSharedAgents = p.NamesAt("shared-agents", ".md", p.AtUser(".agents/agents")).CarryingFast(p.ModelSettings)
	inSharedSkills = p.NamesAt("shared-skills", p.FilterSkills, shared).Named().Carrying(p.Skills)
	inSharedFiles  = p.NamesAt("shared-files", ".md", shared).Named().Carrying(p.Skills)
	inSharedTrees  = p.NamesAt("shared-trees", p.FilterLinkedSkillTrees, shared).Named()
	shared         = p.AtUser(".agents/skills")
	// The project's own, which come along by working there; named so that no skill of ours takes their names.
	inProjectSkills = p.NamesAt("project-skills", p.FilterSkills, p.EachInProject(".kimi-code/skills", ".agents/skills")...)
)

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "kimi", Version: "0.1.0",
		Client: p.Client{
			Executables: []string{"kimi"}, Supported: ">=2.1.0 <3", Tools: []string{"rg"},
			Transport: p.ACP, TransportArgs: []string{"acp"},
			// It runs on with what is left of a file that it does not understand, so this is the only judge.
			Validators: [][]string{{"doctor", "config", "{session}/kimi/config.toml"}},
		},
		Homes: []p.Home{{ID: home, Env: envHome, Default: ".kimi-code"}},
		Inputs: []p.Input{inInstructions, inSystemPrompt, inConfig, inTerminal, inThemes, inServers, inAgents, inPlugins, inInstalled,
			inDevice, inRegion, inLogin, inDirs, inSkills, inSkillFiles, inSharedInstructions, inSharedAgents, inSharedSkills, inSharedFiles,
			inSharedTrees, inProjectSkills},
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.InstructionsOnly, NativeImages: true,
		Model: p.Model{Protocol: p.OpenAI, Also: []p.Protocol{p.Responses}, Addressing: p.ProviderPrefixed,
			Endpoint: p.NoEndpointAdapter, KeyVar: keyVar},
		ServerVars: serverVars, BearerServers: true,
		Inherit: p.LeaveOutBy(p.ByLayout, p.Skills, p.MCPServers, p.Plugins), // memories too: the client has none
		// Asked on a terminal only; over ACP and in print mode a project that is not trusted is so without a word.
		Gates:    append(p.Unanswered("login"), p.Gate{ID: "migration", Answer: p.AnsweredByFile}, p.TrustGate("folder-trust", p.AnsweredByFile, p.NotAnswered, p.MCPServers)),
		Env:      append([]string{envHome, keyVar, serverVars + "*", envNoTelemetry, envNoUpdate, envDepth, "KIMI_CODE_CUSTOM_HEADERS"}, shellTuning...),
		OwnState: p.EachAt(home, "credentials", "oauth"), // logins are written through links to these
	}
}
