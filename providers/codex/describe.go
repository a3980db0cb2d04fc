package codex

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

const (
	version = "0.1.0"
	home    = "codex"
	envHome = "CODEX_HOME"
)

// The inputs, by what they are in the user's Codex home unless they say otherwise.
const (
	inInstructions  = "instructions"
	inPrompts       = "prompts"
	inConfig        = "config"
	inProfiles      = "profiles"
	inRoles         = "roles"
	inRules         = "rules"
	inHooks         = "hooks"
	inAuth          = "auth"
	inMCPAuth       = "mcp-auth"
	inSkills        = "skills"
	inSharedSkills  = "shared-skills"  // of the user, for agents of every make
	inSharedTrees   = "shared-trees"   // the same, with folders of them
	inProjectSkills = "project-skills" // of the workspace
)

// childMarkers are what the client tells the commands that it runs. Inherited by a session that was started from
// inside another one, they would misname it or make it believe in a sandbox that is not there. CODEX_SQLITE_HOME would
// put the databases of all sessions into one place. Variables of a login begin like the others and have to stay, so they
// are named one by one. The credential of a session that has a model plan goes too where there is none.
var childMarkers = []string{
	"CODEX_CI", "CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
	"CODEX_SESSION_ID", "CODEX_SQLITE_HOME", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_VERSION",
}

// pluginDirs hold what the client has downloaded and stored for plugins.
var pluginDirs = []string{"plugins/cache", "plugins/data", "plugins/.plugin-appserver"}

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "codex",
		Version:  version,
		Client: p.Client{
			Executables:   []string{"codex"},
			Supported:     ">=0.171.0 <1",
			Transport:     p.CodexAppServer,
			TransportArgs: []string{"app-server"},
			// It ends with its input, and before that refuses a configuration with a key it does not know.
			Validators: [][]string{{"--strict-config", "app-server"}},
		},
		Homes:        []p.Home{{ID: home, Env: envHome, Default: ".codex"}},
		Inputs:       inputs(),
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.InstructionsOnly,
		NativeImages: true,
		Sandboxed:    true,
		Saver:        true,
		Model:        p.Model{Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.ResponsesToChatGateway, KeyVar: keyVar},
		ServerVars:   serverVars,
		Inherit: map[p.Kind]p.Exclusion{
			p.Instructions:  {How: p.ByLayout},
			p.Skills:        {How: p.ByLayout, Named: true},
			p.MCPServers:    {How: p.ByLayout, Named: true},
			p.Hooks:         {How: p.ByLayout},
			p.Plugins:       {How: p.ByLayout, Named: true},
			p.Memories:      {How: p.ByLayout},
			p.ModelSettings: {How: p.ByLayout},
		},
		Gates: []p.Gate{{ID: "login", Answer: p.NotAnswered}, {ID: "folder-trust", Answer: p.NotAnswered},
			{ID: "hook-trust", Answer: p.NotAnswered}},
		Env: append([]string{envHome, keyVar, serverVars + "*"}, childMarkers...),
		Transcripts: p.Transcripts{
			Dirs: []string{root.Join("sessions").Path, root.Join("archived_sessions").Path}, From: inHome("sessions", "archived_sessions"),
			Suffix: ".jsonl", ID: p.Key("payload", "id"),
		},
		// The login is written through the link, and its lock appears beside the file that the link leads to.
		OwnState: inHome(append([]string{"auth.json", "auth.json.lock", ".credentials.json"}, pluginDirs...)...),
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
	shared := []p.Location{p.AtUser(".agents/skills")}
	return []p.Input{
		// The client reads one of the two, the first that is not blank, and so does the session.
		{Name: inInstructions, Kind: p.InputFile, At: inHome("AGENTS.override.md", "AGENTS.md"), NotBlank: true,
			Carries: []p.Carry{{Kind: p.Instructions}}},
		names(inPrompts, ".md", p.Instructions, inHome("prompts")...),
		{Name: inConfig, Kind: p.InputFile, At: inHome("config.toml"), Carries: configCarries(),
			Learn: p.LearnValues, Format: p.TOML, Values: []p.KeyPath{serviceTier, loginStore, pluginOn, userProvider}},
		names(inProfiles, ".config.toml", p.ModelSettings, inHome("")...),
		names(inRoles, ".toml", p.ModelSettings, inHome("agents")...),
		names(inRules, ".rules", p.ModelSettings, inHome("rules")...),
		{Name: inHooks, Kind: p.InputFile, At: inHome("hooks.json"), Carries: []p.Carry{{Kind: p.Hooks}}},
		{Name: inAuth, Kind: p.InputFile, At: inHome("auth.json"), Secret: true, Format: p.JSON},
		{Name: inMCPAuth, Kind: p.InputFile, At: inHome(".credentials.json"), Secret: true, Format: p.JSON},
		names(inSkills, p.FilterSkillTrees, p.Skills, inHome("skills")...),
		{Name: inSharedSkills, Kind: p.InputNames, At: shared, Filter: p.FilterSkills, Learn: p.LearnValues,
			Carries: []p.Carry{{Kind: p.Skills}}},
		{Name: inSharedTrees, Kind: p.InputNames, At: shared, Filter: p.FilterSkillTrees, Learn: p.LearnValues},
		// The project's own, which come along by working there; named so that no skill of ours takes their names.
		{Name: inProjectSkills, Kind: p.InputNames, Filter: p.FilterSkills, At: []p.Location{
			p.AtWorkspace(".codex/skills").UpToGitRoot(), p.AtWorkspace(".agents/skills").UpToGitRoot()}},
	}
}
