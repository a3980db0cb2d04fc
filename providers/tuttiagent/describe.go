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

// The inputs, by what they are in the user's home of the client unless they say otherwise.
const (
	inInstructions  = "instructions"
	inConfig        = "config"
	inRoles         = "roles"
	inRules         = "rules"
	inHooks         = "hooks"
	inAuth          = "auth"
	inMCPAuth       = "mcp-auth"
	inSkills        = "skills"
	inSharedSkills  = "shared-skills"  // of the user, for agents of every make
	inProjectSkills = "project-skills" // of the workspace
)

// childMarkers are what the client tells the commands that it runs. Inherited by a session that was started from inside
// another one, they would misname it or make it believe in a sandbox that is not there.
var childMarkers = []string{"CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_SESSION_ID", "CODEX_SQLITE_HOME",
	"CODEX_THREAD_ID", "CODEX_VERSION"}

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	byLayout, named := p.Exclusion{How: p.ByLayout}, p.Exclusion{How: p.ByLayout, Named: true}
	return p.Descriptor{
		Provider: "tutti-agent",
		Version:  version,
		Client: p.Client{
			Executables: []string{"tutti-agent"}, Transport: p.CodexAppServer, TransportArgs: []string{"app-server"},
			Validators: [][]string{{"--strict-config", "app-server"}},
		},
		Homes:        []p.Home{{ID: home, Env: envHome, Default: ".tutti-agent"}},
		Inputs:       inputs(),
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillExtraRoots, Links: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.InstructionsOnly,
		NativeImages: true,
		Sandboxed:    true,
		Model:        p.Model{Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.ResponsesToChatGateway, KeyVar: keyVar},
		Inherit: map[p.Kind]p.Exclusion{
			p.Instructions: byLayout, p.Skills: named, p.MCPServers: named, p.Hooks: byLayout, p.Plugins: byLayout, p.Memories: byLayout,
			p.ModelSettings: byLayout,
		},
		Gates: []p.Gate{{ID: "login", Answer: p.NotAnswered}, {ID: "folder-trust", Answer: p.NotAnswered}, {ID: "hook-trust", Answer: p.NotAnswered}},
		Env:   append([]string{envHome, keyVar, serverVars + "*"}, childMarkers...), Flags: []string{flagConfig}, ServerVars: serverVars,
		// The login and its lock are reached through links.
		OwnState: inHome("auth.json", "auth.json.lock", refreshLock, ".credentials.json"),
	}
}

func inHome(paths ...string) (at []p.Location) {
	for _, path := range paths {
		at = append(at, p.At(home, path))
	}
	return at
}

func inputs() []p.Input {
	names := func(name, filter string, kind p.Kind, at ...p.Location) p.Input {
		return p.Input{Name: name, Kind: p.InputNames, At: at, Filter: filter, Carries: []p.Carry{{Kind: kind}}}
	}
	shared := names(inSharedSkills, p.FilterSkills, p.Skills, p.AtUser(".agents/skills"))
	shared.Learn = p.LearnValues
	return []p.Input{
		// The client reads one of the two, the first that is not blank, and so does the session.
		{Name: inInstructions, Kind: p.InputFile, At: inHome("AGENTS.override.md", "AGENTS.md"), NotBlank: true,
			Carries: []p.Carry{{Kind: p.Instructions}}},
		{Name: inConfig, Kind: p.InputFile, At: inHome("config.toml"), Carries: configCarries(), Learn: p.LearnValues, Format: p.TOML,
			Values: []p.KeyPath{bundled}},
		names(inRoles, ".toml", p.ModelSettings, inHome("agents")...),
		names(inRules, ".rules", p.ModelSettings, inHome("rules")...),
		{Name: inHooks, Kind: p.InputFile, At: inHome("hooks.json"), Carries: []p.Carry{{Kind: p.Hooks}}},
		{Name: inAuth, Kind: p.InputFile, At: inHome("auth.json"), Secret: true, Format: p.JSON},
		{Name: inMCPAuth, Kind: p.InputFile, At: inHome(".credentials.json"), Secret: true, Format: p.JSON},
		names(inSkills, p.FilterSkillTrees, p.Skills, inHome("skills")...),
		shared,
		// The project's own, which come along by working there; named so that no skill of ours takes their names.
		{Name: inProjectSkills, Kind: p.InputNames, Filter: p.FilterSkills, At: []p.Location{
			p.AtWorkspace(".codex/skills").UpToGitRoot(), p.AtWorkspace(".agents/skills").UpToGitRoot()}},
	}
}
