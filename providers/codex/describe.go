package codex

import (
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

const home, envHome, envElsewhere, serverVars = "codex", "CODEX_HOME", "CODEX_EXEC_SERVER_URL", "TUTTI_MCP_HEADER_"

// secret are the variables that carry credentials of the host's: the key of an endpoint, and those of MCP servers.
var secret = []string{p.EndpointKeyVar, serverVars + "*"}

// childMarkers are what the client tells the commands that it runs. Inherited by a session that was started from
// inside another one, they would misname it or make it believe in a sandbox that is not there. CODEX_SQLITE_HOME would
// put the databases of all sessions into one place. Variables of a login begin like the others and have to stay, so they
// are named one by one.
var childMarkers = []string{
	"CODEX_CI", "CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
	"CODEX_SESSION_ID", "CODEX_SQLITE_HOME", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_VERSION",
}

// pluginDirs hold what the client has downloaded and stored for plugins.
var pluginDirs = []string{"plugins/cache", "plugins/data", "plugins/.plugin-appserver"}

// The inputs, in the user's Codex home unless they say otherwise.
var (
	// The client reads one of the two, the first that is not blank, and so does the session.
	inInstructions = p.FileAt("instructions", p.EachAt(home, "AGENTS.override.md", "AGENTS.md")...).Filled().Carrying(p.Instructions)
	inPrompts      = p.NamesAt("prompts", ".md", p.At(home, "prompts")).Carrying(p.Instructions)
	inConfig       = sections.Carried(p.FileAt("config", p.At(home, "config.toml"))).
			Learning(p.TOML, append(asks, serviceTier, loginStore, pluginOn, userProvider)...)
	inProfiles  = p.NamesAt("profiles", ".config.toml", p.At(home, "")).Carrying(p.ModelSettings)
	inRoles     = p.NamesAt("roles", ".toml", p.At(home, "agents")).Carrying(p.ModelSettings)
	inRules     = p.NamesAt("rules", ".rules", p.At(home, "rules")).Carrying(p.ModelSettings)
	inHooks     = p.FileAt("hooks", p.At(home, "hooks.json")).Carrying(p.Hooks)
	inAuth      = p.FileAt("auth", p.At(home, "auth.json")).Private(p.JSON)
	inVariables = p.FileAt("variables", p.At(home, ".env")).Private("").Carrying(p.ModelSettings)
	inMCPAuth   = p.FileAt("mcp-auth", p.At(home, ".credentials.json")).Private(p.JSON)
	inSkills    = p.NamesAt("skills", p.FilterSkillTrees, p.At(home, "skills")).Carrying(p.Skills)
	// Of the user, for agents of every make, and the same with folders of them. The client finds them through HOME.
	inSharedSkills = p.NamesAt("shared-skills", p.FilterSkills, p.AtUser(".agents/skills")).Named().Carrying(p.Skills)
	inSharedTrees  = p.NamesAt("shared-trees", p.FilterSkillTrees, p.AtUser(".agents/skills")).Named()
	// The project's own, which come along by working there; named so that no skill of ours takes their names.
	inProjectSkills = p.NamesAt("project-skills", p.FilterSkills, p.EachInProject(".codex/skills", ".agents/skills")...)
)

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "codex", Version: "0.1.0",
		Client: p.Client{
			Executables: []string{"codex"}, Supported: ">=0.171.0 <1",
			Transport: p.CodexAppServer, TransportArgs: []string{"app-server"},
			// It ends with its input, and before that refuses a configuration with a key it does not know.
			Validators: [][]string{{"--strict-config", "app-server"}},
		},
		Homes: []p.Home{{ID: home, Env: envHome, Default: ".codex"}},
		Inputs: []p.Input{inInstructions, inPrompts, inConfig, inProfiles, inRoles, inRules, inHooks, inAuth, inVariables, inMCPAuth,
			inSkills, inSharedSkills, inSharedTrees, inProjectSkills},
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.InstructionsOnly, NativeImages: true, Sandboxed: true, Saver: true,
		Model:      p.Model{Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.ResponsesToChatGateway, KeyVar: p.EndpointKeyVar, NativeSubscription: true},
		ServerVars: serverVars,
		Inherit:    p.LeaveOutBy(p.ByLayout, p.Skills, p.MCPServers, p.Plugins),
		// Untrusted, it passes over the instructions of the project too, and on a terminal has a person confirm that.
		Gates: append(p.Unanswered("login", "hook-trust"), p.TrustGate("folder-trust", p.AnsweredByFile, p.NotAnswered,
			p.Instructions, p.MCPServers, p.Hooks, p.ModelSettings)),
		Env: slices.Concat([]string{envHome, envElsewhere}, secret, childMarkers),
		Transcripts: p.Transcripts{
			Dirs: []string{root.Join("sessions").Path, root.Join("archived_sessions").Path},
			From: p.EachAt(home, "sessions", "archived_sessions"), Suffix: ".jsonl", ID: p.Key("payload", "id"),
		},
		// The login is written through the link, and its lock appears beside the file that the link leads to.
		MachineSettings: []string{"/etc/codex"},
		OwnState:        p.EachAt(home, append([]string{"auth.json", "auth.json.lock", ".credentials.json"}, pluginDirs...)...),
	}
}
