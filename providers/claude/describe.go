package claude

import (
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	version, home = "0.1.0", "claude"

	// The flags. The client accepts all of them in print mode, in stream-json mode and on a terminal.
	flagPrompt, flagPlugin    = "--append-system-prompt-file", "--plugin-dir"
	flagSources, flagSettings = "--setting-sources", "--settings"
	flagOnlyMCP, flagMCP      = "--strict-mcp-config", "--mcp-config"
	flagAdd, envAdded         = "--add-dir", "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"
	envTrusted                = "CLAUDE_CODE_SANDBOXED" // the client asks nobody about the folder
	envBudget, envNoMemory    = "SLASH_COMMAND_TOOL_CHAR_BUDGET", "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
	// serverVars begins the names of the variables that carry credentials of the host's MCP servers.
	serverVars = "TUTTI_MCP_HEADER_"
)

// What is learned of the user's files, for the names in it: a switch for each plugin, and what every entry of an MCP
// server has, its type or its command. Their variables and headers, which may hold secrets, are not asked for.
var (
	pluginSwitch, settingsSocket = p.Key("enabledPlugins", "*"), p.Key("env", envSocket)
	serverType, serverCommand    = p.Key("mcpServers", "*", "type"), p.Key("mcpServers", "*", "command")
	asked, denied                = p.Key("permissions", "ask", "*"), p.Key("permissions", "deny", "*")
)

// The inputs, in the user's Claude home unless they say otherwise. Each is there for the report of what comes along; the
// adapter itself learns the names of what can only be switched off one by one, and no text.
var (
	inInstructions = p.FileAt("instructions", p.At(home, "CLAUDE.md")).Carrying(p.Instructions)
	inRules        = p.NamesAt("rules", ".md", p.At(home, "rules")).Carrying(p.Instructions)
	inRuleFolders  = p.NamesAt("rule-folders", p.FilterDirs, p.At(home, "rules")).Carrying(p.Instructions) // of rules, to any depth
	inSkills       = p.NamesAt("skills", p.FilterSkills, p.At(home, "skills")).Named().Carrying(p.Skills)
	// The client lists the user's commands among the skills, and switches them by the same key.
	inCommands       = p.NamesAt("commands", ".md", p.At(home, "commands")).Named().Carrying(p.Skills)
	inCommandFolders = p.NamesAt("command-folders", p.FilterDirs, p.At(home, "commands")).Named()
	// A subagent is a model, a set of tools and a prompt. No flag leaves it out alone, so it goes with the settings.
	inAgents   = p.NamesAt("agents", ".md", p.At(home, "agents")).Carrying(p.ModelSettings)
	inSettings = p.FileAt("settings", p.At(home, "settings.json")).Learning(p.JSON, pluginSwitch, settingsSocket, asked, denied).
			Carrying(p.Hooks, "hooks/*").Carrying(p.Plugins, "enabledPlugins/*").
			Carrying(p.ModelSettings, "env/*", "permissions/*", "outputStyle", "effortLevel").
			CarryingDisplaced(p.ModelSettings, append(helpers, "model", "availableModels")...).
			DisplacedIn("env", slices.Concat(managed, modelVars, settable)...)
	// The state file lies beside the home by default, and in it when CLAUDE_CONFIG_DIR names one.
	inState = p.FileAt("state", p.At(home, ".claude.json"), p.AtUser(".claude.json")).
		Learning(p.JSON, serverType, serverCommand).Carrying(p.MCPServers, "mcpServers/*")
	// Only the folder in the working directory itself is read.
	inProjectSettings = p.FileAt("project-settings", p.AtWorkspace(".claude/settings.json")).Learning(p.JSON, settingsSocket, asked, denied)
	inLocalSettings   = p.FileAt("local-settings", p.AtWorkspace(".claude/settings.local.json")).Learning(p.JSON, settingsSocket, asked, denied)
	inProjectMCP      = p.FileAt("project-mcp", p.EachInProject(".mcp.json")...)
)

// withSettings are the kinds that lie in one source with the user's settings.
var withSettings = []p.Kind{p.Instructions, p.Skills, p.MCPServers, p.Hooks, p.Plugins}

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "claude", Version: version,
		Client: p.Client{
			Executables: []string{"claude"}, Override: "CLAUDE_CODE_EXECUTABLE", Supported: ">=2.1.197 <3",
			Transport: p.ClaudeStreamJSON,
			// A turn for each line of input, whose permissions are asked for over the same pipes.
			TransportArgs: []string{"--print", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
				"--include-partial-messages", "--permission-prompt-tool", "stdio"},
			Validators: [][]string{{"plugin", "validate", "{session}/claude/plugin"}},
		},
		Homes: []p.Home{{ID: home, Env: "CLAUDE_CONFIG_DIR", Default: ".claude"}},
		Inputs: []p.Input{inInstructions, inRules, inRuleFolders, inSkills, inCommands, inCommandFolders, inAgents, inSettings, inState,
			inProjectSettings, inLocalSettings, inProjectMCP},
		Instructions: []p.Channel{p.SystemPromptFile},
		// Plugin skills are named plugin:skill, so they cannot take the name of a skill of the user's.
		Skills:  p.SkillChannel{Kind: p.SkillPlugin, Links: true, Names: p.PluginNames, MaxName: 64},
		Rewrite: p.PretoolHook, NativeImages: true, ServerVars: serverVars,
		Model: p.Model{
			Protocol: p.Anthropic, Addressing: p.RawModels, Endpoint: p.NoEndpointAdapter, KeyVar: envBearer, APIKeyVar: envAPIKey, NativeSubscription: true,
		},
		Inherit: map[p.Kind]p.Exclusion{
			p.Instructions: {How: p.ByFlag}, p.Skills: {How: p.ByFlag, Named: true}, p.MCPServers: {How: p.ByFlag, Named: true},
			p.Hooks: {How: p.ByFlag}, p.Plugins: {How: p.ByFlag, Named: true}, p.Memories: {How: p.ByEnv},
			p.ModelSettings: {How: p.ByFlag, With: withSettings},
		},
		// In print and stream-json mode nothing asks; on a terminal a person does, about each new server of the project too.
		Gates: append(p.Unanswered("onboarding", "project-servers"), p.TrustGate("folder-trust", p.AnsweredByEnv, p.NotAnswered, p.Skills, p.MCPServers, p.Hooks,
			p.Plugins, p.ModelSettings)),
		Env: slices.Concat([]string{envBudget, envNoMemory, envAdded, envTrusted, serverVars + "*", envBase, envBearer, envAPIKey, envManaged, envQuiet,
			envNoMarket, envOption, p.EndpointKeyVar}, modelVars, diverting, settable, childMarkers),
		Flags:           []string{flagPrompt, flagPlugin, flagSources, flagSettings, flagOnlyMCP, flagMCP, flagAdd},
		MachineSettings: []string{"/etc/claude-code", "/Library/Application Support/ClaudeCode", "C:/Program Files/ClaudeCode"},
		// The home is the one that the client runs in. On a terminal it registers itself for links, and an installation of its
		// own kind brings itself up to date.
		OwnState: append(p.EachAtUser(".claude.json", ".claude.json.backup", ".cache/claude-cli-nodejs", ".config/mimeapps.list",
			".local/share/applications/claude-code-url-handler.desktop", ".cache/claude", ".local/share/claude", ".local/state/claude"),
			p.EachAt(home, ".claude.json", ".credentials.json", ".last-cleanup", "backups", "cache", "debug", "file-history",
				"history.jsonl", "ide", "plans", "plugins", "projects", "session-env", "sessions", "shell-snapshots", "statsig", "tasks",
				"telemetry", "todos")...),
	}
}
