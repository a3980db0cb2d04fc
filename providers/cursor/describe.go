package cursor

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

const (
	version    = "0.1.0"
	home       = "cursor"
	config     = "config"
	flagPlugin = "--plugin-dir"
	flagTrust  = "--trust" // the workspace, without asking
	// planKey carries the credential of a session that has a model plan. Inherited by one that has none, it would reach
	// the commands that this client runs.
	planKey = "TUTTI_MODEL_PLAN_API_KEY"
)

// The inputs. All are there for the report of what comes along, and for the names that skills of ours must not take.
const (
	inSkills        = "skills"
	inProjectSkills = "project-skills"
	inCommands      = "commands"
	inAgents        = "agents"
	inHooks         = "hooks"
	inServers       = "servers"
	inSettings      = "settings"
)

// Describe implements preparer.Preparer.
func (Adapter) Describe() p.Descriptor {
	return p.Descriptor{
		Provider: "cursor",
		Version:  version,
		Client: p.Client{
			Executables: []string{"cursor-agent", "agent"}, // the name that every installer gave, then that of newer ones
			Transport:   p.ACP, TransportArgs: []string{"acp"},
		},
		// Only the settings follow the variable.
		Homes: []p.Home{{ID: home, Default: ".cursor"}, {ID: config, Env: "CURSOR_CONFIG_DIR", Default: ".cursor"}},
		Inputs: []p.Input{
			{Name: inSkills, Kind: p.InputNames, Filter: p.FilterSkills, At: skillDirs(p.AtUser), Carries: []p.Carry{{Kind: p.Skills}}},
			{Name: inProjectSkills, Kind: p.InputNames, Filter: p.FilterSkills, At: skillDirs(func(dir string) p.Location {
				return p.AtWorkspace(dir).UpToGitRoot()
			})},
			named(inCommands, ".md", p.Skills, "commands"),
			named(inAgents, ".md", p.ModelSettings, "agents"),
			{Name: inHooks, Kind: p.InputFile, At: []p.Location{p.At(home, "hooks.json")}, Format: p.JSONC,
				Carries: []p.Carry{{Kind: p.Hooks, Keys: []p.KeyPath{p.Key("hooks", "*")}}}},
			{Name: inServers, Kind: p.InputFile, At: []p.Location{p.At(home, "mcp.json")}, Format: p.JSONC,
				Carries: []p.Carry{{Kind: p.MCPServers, Keys: []p.KeyPath{p.Key("mcpServers", "*")}}}},
			{Name: inSettings, Kind: p.InputFile, At: []p.Location{p.At(config, "cli-config.json")}, Format: p.JSONC,
				Carries: []p.Carry{{Kind: p.ModelSettings, Keys: []p.KeyPath{p.Key("model"), p.Key("permissions")}}}},
		},
		Instructions: []p.Channel{p.FirstPrompt},
		Skills:       p.SkillChannel{Kind: p.SkillPlugin, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.PretoolHook,
		// No kind can be left out: the client documents no way, and its home is the user's. Its models are its vendor's.
		Gates: append(p.Unanswered("login"), p.TrustGate("workspace-trust", p.AnsweredByFlag, p.NotAnswered,
			p.MCPServers, p.Hooks, p.ModelSettings)),
		Env:   []string{planKey},
		Flags: []string{flagPlugin, flagTrust},
		// The home is the user's, and which files of it a run changes is not known.
		OwnState: []p.Location{p.AtUser(".cursor"), p.AtUser(".config/cursor")},
	}
}

// skillDirs are where the client looks for skills, in the user's home and in the project: those of other clients too.
func skillDirs(at func(dir string) p.Location) (all []p.Location) {
	for _, dir := range []string{".cursor/skills", ".agents/skills", ".claude/skills", ".codex/skills"} {
		all = append(all, at(dir))
	}
	return all
}

func named(name, filter string, kind p.Kind, dir string) p.Input {
	return p.Input{Name: name, Kind: p.InputNames, Filter: filter, At: []p.Location{p.At(home, dir)}, Carries: []p.Carry{{Kind: kind}}}
}
