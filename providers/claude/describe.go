package claude

import (
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	version = "0.1.0"
	home    = "claude"

	// The flags. The client accepts all of them in print mode, in stream-json mode and on a terminal.
	flagPrompt   = "--append-system-prompt-file"
	flagPlugin   = "--plugin-dir"
	flagSources  = "--setting-sources"
	flagSettings = "--settings"
	flagOnlyMCP  = "--strict-mcp-config"
	flagMCP      = "--mcp-config"

	envBudget   = "SLASH_COMMAND_TOOL_CHAR_BUDGET"
	envNoMemory = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
)

// The inputs. Each is there for the report of what comes along; the adapter itself learns the names of what can only
// be switched off one by one, and no text.
const (
	inInstructions   = "instructions"
	inRules          = "rules"
	inRuleFolders    = "rule-folders"
	inSkills         = "skills"
	inCommands       = "commands"
	inCommandFolders = "command-folders"
	inAgents         = "agents"
	inSettings       = "settings"
	inState          = "state"
	inProjectMCP     = "project-mcp"

	inProjectSettings = "project-settings"
	inLocalSettings   = "local-settings"
)

// What is learned of the user's files, for the names in it: a switch for each plugin, and what every entry of an MCP
// server has, its type or its command. Their variables and headers, which may hold secrets, are not asked for.
var (
	pluginSwitch  = p.Key("enabledPlugins", "*")
	serverType    = p.Key("mcpServers", "*", "type")
	serverCommand = p.Key("mcpServers", "*", "command")

	settingsSocket = p.Key("env", envSocket)
)

// withSettings are the kinds that lie in one source with the user's settings.
var withSettings = []p.Kind{p.Instructions, p.Skills, p.MCPServers, p.Hooks, p.Plugins}

// childMarkers are what the client tells its own children. Inherited by a session that was started from inside another
// one, they make it take itself for a child, which among other things stops it from storing its transcript. They are
// named one by one: CLAUDE_CONFIG_DIR and the variables of a login begin the same way and have to stay. The last one is
// the credential of a session that had a model plan, which must not reach the commands of one that has none.
var childMarkers = []string{
	"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_EXECPATH",
	"CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SESSION_KIND", "CLAUDE_CODE_SESSION_NAME", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE",
	"CLAUDE_JOB_DIR", "CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR",
	p.EndpointKeyVar,
}

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "claude",
		Version:  version,
		Client: p.Client{
			Executables: []string{"claude"},
			Override:    "CLAUDE_CODE_EXECUTABLE",
			Supported:   ">=2.1.197 <3",
			Transport:   p.ClaudeStreamJSON,
			// A turn for each line of input, whose permissions are asked for over the same pipes.
			TransportArgs: []string{"--print", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
				"--include-partial-messages", "--permission-prompt-tool", "stdio"},
			Validators: [][]string{{"plugin", "validate", "{session}/claude/plugin"}},
		},
		Homes:        []p.Home{{ID: home, Env: "CLAUDE_CONFIG_DIR", Default: ".claude"}},
		Inputs:       inputs(),
		Instructions: []p.Channel{p.SystemPromptFile},
		// Plugin skills are named plugin:skill, so they cannot take the name of a skill of the user's.
		Skills:       p.SkillChannel{Kind: p.SkillPlugin, Links: true, Names: p.PluginNames, MaxName: 64},
		Rewrite:      p.PretoolHook,
		NativeImages: true,
		ServerVars:   serverVars,
		Model: p.Model{
			Protocol: p.Anthropic, Addressing: p.RawModels, Endpoint: p.NoEndpointAdapter, KeyVar: envBearer, APIKeyVar: envAPIKey,
		},
		Inherit: map[p.Kind]p.Exclusion{
			p.Instructions:  {How: p.ByFlag},
			p.Skills:        {How: p.ByFlag, Named: true},
			p.MCPServers:    {How: p.ByFlag, Named: true},
			p.Hooks:         {How: p.ByFlag},
			p.Plugins:       {How: p.ByFlag, Named: true},
			p.Memories:      {How: p.ByEnv},
			p.ModelSettings: {How: p.ByFlag, With: withSettings},
		},
		// In print and stream-json mode nothing asks; on a terminal a person answers.
		Gates:    []p.Gate{{ID: "folder-trust", Answer: p.NotAnswered}, {ID: "onboarding", Answer: p.NotAnswered}},
		Env:      slices.Concat([]string{envBudget, envNoMemory, serverVars + "*"}, endpointVars(), childMarkers),
		Flags:    []string{flagPrompt, flagPlugin, flagSources, flagSettings, flagOnlyMCP, flagMCP},
		OwnState: ownState(),
	}
}

func inputs() []p.Input {
	names := func(name, path, filter string, kind p.Kind, learn p.Learn) p.Input {
		return p.Input{Name: name, Kind: p.InputNames, At: []p.Location{p.At(home, path)}, Filter: filter, Learn: learn,
			Carries: []p.Carry{{Kind: kind}}}
	}
	return []p.Input{
		{Name: inInstructions, Kind: p.InputFile, At: []p.Location{p.At(home, "CLAUDE.md")},
			Carries: []p.Carry{{Kind: p.Instructions}}},
		names(inRules, "rules", ".md", p.Instructions, p.LearnExists),
		names(inRuleFolders, "rules", p.FilterDirs, p.Instructions, p.LearnExists), // of rules, to any depth
		names(inSkills, "skills", p.FilterSkills, p.Skills, p.LearnValues),
		// The client lists the user's commands among the skills, and switches them by the same key.
		names(inCommands, "commands", ".md", p.Skills, p.LearnValues),
		{Name: inCommandFolders, Kind: p.InputNames, At: []p.Location{p.At(home, "commands")}, Filter: p.FilterDirs},
		// A subagent is a model, a set of tools and a prompt. No flag leaves it out alone, so it goes with the settings.
		names(inAgents, "agents", ".md", p.ModelSettings, p.LearnExists),
		{Name: inSettings, Kind: p.InputFile, At: []p.Location{p.At(home, "settings.json")},
			Learn: p.LearnValues, Format: p.JSON, Values: []p.KeyPath{pluginSwitch, settingsSocket},
			Carries: []p.Carry{
				{Kind: p.Hooks, Keys: []p.KeyPath{p.Key("hooks", "*")}},
				{Kind: p.Plugins, Keys: []p.KeyPath{pluginSwitch}},
				{Kind: p.ModelSettings, Keys: []p.KeyPath{p.Key("model"), p.Key("env", "*"), p.Key("permissions", "*"),
					p.Key("apiKeyHelper"), p.Key("outputStyle"), p.Key("effortLevel")}},
			}},
		// The state file lies beside the home by default, and in it when CLAUDE_CONFIG_DIR names one.
		{Name: inState, Kind: p.InputFile, At: []p.Location{p.At(home, ".claude.json"), p.AtUser(".claude.json")},
			Learn: p.LearnValues, Format: p.JSON, Values: []p.KeyPath{serverType, serverCommand},
			Carries: []p.Carry{{Kind: p.MCPServers, Keys: []p.KeyPath{p.Key("mcpServers", "*")}}}},
		// Only the folder in the working directory itself is read.
		{Name: inProjectSettings, Kind: p.InputFile, At: []p.Location{p.AtWorkspace(".claude/settings.json")},
			Learn: p.LearnValues, Format: p.JSON, Values: []p.KeyPath{settingsSocket}},
		{Name: inLocalSettings, Kind: p.InputFile, At: []p.Location{p.AtWorkspace(".claude/settings.local.json")},
			Learn: p.LearnValues, Format: p.JSON, Values: []p.KeyPath{settingsSocket}},
		{Name: inProjectMCP, Kind: p.InputFile, At: []p.Location{p.AtWorkspace(".mcp.json").UpToGitRoot()}},
	}
}

// ownState is what a run of the client changes in the user's home, because that home is the one it runs in. On a terminal
// it registers itself for links, and an installation of its own kind brings itself up to date.
func ownState() (own []p.Location) {
	for _, path := range []string{
		".claude.json", ".claude.json.backup", ".cache/claude-cli-nodejs",
		".local/share/applications/claude-code-url-handler.desktop", ".cache/claude", ".local/share/claude",
		".local/state/claude",
	} {
		own = append(own, p.AtUser(path))
	}
	for _, path := range []string{
		".claude.json", ".credentials.json", ".last-cleanup", "backups", "cache", "debug", "file-history", "history.jsonl",
		"ide", "plans", "plugins", "projects", "session-env", "sessions", "shell-snapshots", "statsig", "tasks", "telemetry",
		"todos",
	} {
		own = append(own, p.At(home, path))
	}
	return own
}
