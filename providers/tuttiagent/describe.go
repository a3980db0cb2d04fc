package tuttiagent

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

const (
	version = "0.1.0"
	home    = "tutti-agent"
	envHome = "TUTTI_AGENT_HOME"
	// marker is the file that says which of its own skills the client has unpacked, and that it has unpacked all of them.
	marker = ".tutti-agent-system-skills.marker"
	// refreshLock is the file beside the login that the client locks while it refreshes it.
	refreshLock = ".refresh.lock"
)

// elsewhere has the client run commands on a machine that a shell names.
const elsewhere = "CODEX_EXEC_SERVER_URL"

// pluginDirs hold what the client has downloaded and stored for plugins.
var pluginDirs = []string{"plugins/cache", "plugins/data", "plugins/.plugin-appserver"}

// The inputs, in the user's home of the client unless they say otherwise.
var (
	// The client reads one of the two, the first that is not blank, and so does the session.
	inInstructions = p.FileAt("instructions", p.EachAt(home, "AGENTS.override.md", "AGENTS.md")...).Filled().Carrying(p.Instructions)
	inConfig       = sections.Carried(p.FileAt("config", p.At(home, "config.toml"))).Learning(p.TOML, append(asks, bundled)...)
	inPrompts      = p.NamesAt("prompts", ".md", p.At(home, "prompts")).Carrying(p.Instructions)
	inProfiles     = p.NamesAt("profiles", ".config.toml", p.At(home, "")).Carrying(p.ModelSettings)
	inRoles        = p.NamesAt("roles", ".toml", p.At(home, "agents")).Carrying(p.ModelSettings)
	inRules        = p.NamesAt("rules", ".rules", p.At(home, "rules")).Carrying(p.ModelSettings)
	inHooks        = p.FileAt("hooks", p.At(home, "hooks.json")).Carrying(p.Hooks)
	inAuth         = p.FileAt("auth", p.At(home, "auth.json")).Private(p.JSON)
	inMCPAuth      = p.FileAt("mcp-auth", p.At(home, ".credentials.json")).Private(p.JSON)
	inSkills       = p.NamesAt("skills", p.FilterSkillTrees, p.At(home, "skills")).Carrying(p.Skills)
	// Of the user, for agents of every make.
	inSharedSkills = p.NamesAt("shared-skills", p.FilterSkills, p.AtUser(".agents/skills")).Named().Carrying(p.Skills)
	// The project's own, which come along by working there; named so that no skill of ours takes their names.
	inProjectSkills = p.NamesAt("project-skills", p.FilterSkills, p.EachInProject(".codex/skills", ".agents/skills")...)
)

// childMarkers are what the client tells the commands that it runs. Inherited by a session that was started from inside
// another one, they would misname it or make it believe in a sandbox that is not there.
var childMarkers = []string{"CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_SESSION_ID", "CODEX_SQLITE_HOME",
	"CODEX_THREAD_ID", "CODEX_VERSION"}

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "tutti-agent",
		Version:  version,
		Client: p.Client{
			Executables: []string{"tutti-agent"}, Transport: p.CodexAppServer, TransportArgs: []string{"app-server"},
			Validators: [][]string{{"--strict-config", "app-server"}},
		},
		Homes: []p.Home{{ID: home, Env: envHome, Default: ".tutti-agent"}},
		Inputs: []p.Input{inInstructions, inPrompts, inConfig, inProfiles, inRoles, inRules, inHooks, inAuth, inMCPAuth, inSkills, inSharedSkills,
			inProjectSkills},
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillExtraRoots, Links: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.InstructionsOnly,
		NativeImages: true,
		Sandboxed:    true,
		Model:        p.Model{Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.ResponsesToChatGateway, KeyVar: p.EndpointKeyVar},
		Inherit:      p.LeaveOutBy(p.ByLayout, p.Skills, p.MCPServers),
		Gates: append(p.Unanswered("login", "hook-trust"), p.TrustGate("folder-trust", p.AnsweredByFile, p.NotAnswered,
			p.Instructions, p.MCPServers, p.Hooks, p.ModelSettings)),
		Env:   append([]string{envHome, elsewhere, p.EndpointKeyVar, serverVars + "*"}, childMarkers...),
		Flags: []string{flagConfig}, ServerVars: serverVars,
		Transcripts: p.Transcripts{
			Suffix: ".jsonl", ID: p.Key("payload", "id"), From: p.EachAt(home, "sessions", "archived_sessions"),
			Dirs: []string{root.Join("sessions").Path, root.Join("archived_sessions").Path},
		},
		// The login and its lock are reached through links.
		OwnState: p.EachAt(home, append([]string{"auth.json", "auth.json.lock", refreshLock, ".credentials.json"}, pluginDirs...)...),
	}
}
