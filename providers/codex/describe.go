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
	inProjectSkills = "project-skills" // of the workspace
)

// childMarkers are what the client tells the commands that it runs. Inherited by a session that was started from
// inside another one, they would misname it or make it believe in a sandbox that is not there. CODEX_SQLITE_HOME would
// put the databases of all sessions into one place, and the last one is the credential of a session that had a model
// plan, which must not reach the commands of one that has none. Variables of a login begin like the others and have to
// stay, so they are named one by one.
var childMarkers = []string{
	"CODEX_CI", "CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
	"CODEX_SESSION_ID", "CODEX_SQLITE_HOME", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_VERSION",
	"TUTTI_MODEL_PLAN_API_KEY",
}

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "codex",
		Version:  version,
		Client: p.Client{
			Executables: []string{"codex"},
			Supported:   ">=0.171.0 <1",
			Transport:   p.CodexAppServer,
			// It ends with its input, and before that refuses a configuration with a key it does not know.
			Validators: [][]string{{"--strict-config", "app-server"}},
		},
		Homes:        []p.Home{{ID: home, Env: envHome, Default: ".codex"}},
		Inputs:       inputs(),
		Instructions: []p.Channel{p.HomeFile},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.InstructionsOnly,
		NativeImages: true,
		Inherit: map[p.Kind]p.Exclusion{
			p.Instructions:  {How: p.ByLayout},
			p.Skills:        {How: p.ByLayout, Named: true},
			p.MCPServers:    {How: p.ByLayout, Named: true},
			p.Hooks:         {How: p.ByLayout},
			p.Plugins:       {How: p.ByLayout, Named: true},
			p.Memories:      {How: p.ByLayout},
			p.ModelSettings: {How: p.ByLayout},
		},
		Gates: []p.Gate{
			{ID: "login", Answer: p.NotAnswered},
			{ID: "folder-trust", Answer: p.NotAnswered},
			{ID: "hook-trust", Answer: p.NotAnswered},
		},
		Env: append([]string{envHome}, childMarkers...),
		// The login is written through the link, and its lock appears beside the file that the link leads to.
		OwnState: []p.Location{
			p.At(home, "auth.json"), p.At(home, "auth.json.lock"), p.At(home, ".credentials.json"),
			p.At(home, "plugins/cache"), p.At(home, "plugins/data"), p.At(home, "plugins/.plugin-appserver"),
		},
	}
}

func inputs() []p.Input {
	file := func(name string, carries []p.Carry, paths ...string) p.Input {
		in := p.Input{Name: name, Kind: p.InputFile, Carries: carries}
		for _, path := range paths {
			in.At = append(in.At, p.At(home, path))
		}
		return in
	}
	names := func(name, filter string, kind p.Kind, at ...p.Location) p.Input {
		return p.Input{Name: name, Kind: p.InputNames, At: at, Filter: filter, Carries: []p.Carry{{Kind: kind}}}
	}
	learned := func(in p.Input, f p.Format, values ...p.KeyPath) p.Input {
		in.Learn, in.Format, in.Values = p.LearnValues, f, values
		return in
	}
	secret := func(in p.Input) p.Input { in.Secret, in.Format = true, p.JSON; return in }

	return []p.Input{
		// The client reads one of the two, and so does the session.
		file(inInstructions, []p.Carry{{Kind: p.Instructions}}, "AGENTS.override.md", "AGENTS.md"),
		names(inPrompts, ".md", p.Instructions, p.At(home, "prompts")),
		learned(file(inConfig, configCarries(), "config.toml"), p.TOML, serviceTier, loginStore),
		names(inProfiles, ".config.toml", p.ModelSettings, p.At(home, "")),
		names(inRoles, ".toml", p.ModelSettings, p.At(home, "agents")),
		names(inRules, ".rules", p.ModelSettings, p.At(home, "rules")),
		file(inHooks, []p.Carry{{Kind: p.Hooks}}, "hooks.json"),
		secret(file(inAuth, nil, "auth.json")),
		secret(file(inMCPAuth, nil, ".credentials.json")),
		names(inSkills, p.FilterSkills, p.Skills, p.At(home, "skills")),
		learned(names(inSharedSkills, p.FilterSkills, p.Skills, p.AtUser(".agents/skills")), ""),
		// The project's own, which come along by working there; named so that no skill of ours takes their names.
		{Name: inProjectSkills, Kind: p.InputNames, Filter: p.FilterSkills, At: []p.Location{
			p.AtWorkspace(".codex/skills").UpToGitRoot(), p.AtWorkspace(".agents/skills").UpToGitRoot()}},
	}
}
