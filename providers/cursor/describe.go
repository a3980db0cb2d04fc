package cursor

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

const (
	version      = "0.1.0"
	home, config = "cursor", "config"
	flagPlugin   = "--plugin-dir"
	flagTrust    = "--trust" // the workspace, without asking
)

// The inputs. All are there for the report of what comes along, and for the names that skills of ours must not take.
var (
	inSkills        = p.NamesAt("skills", p.FilterSkills, p.EachAtUser(skillDirs...)...).Carrying(p.Skills)
	inProjectSkills = p.NamesAt("project-skills", p.FilterSkills, p.EachInProject(skillDirs...)...)
	inCommands      = p.NamesAt("commands", ".md", p.At(home, "commands")).Carrying(p.Skills)
	inAgents        = p.NamesAt("agents", ".md", p.At(home, "agents")).Carrying(p.ModelSettings)
	inHooks         = listing("hooks", p.At(home, "hooks.json")).Carrying(p.Hooks, "hooks/*")
	inServers       = listing("servers", p.At(home, "mcp.json")).Carrying(p.MCPServers, "mcpServers/*")
	inSettings      = listing("settings", p.At(config, "cli-config.json")).Carrying(p.ModelSettings, "model", "permissions")
)

// skillDirs are where the client looks for skills, in the user's home and in the project: those of other clients too.
var skillDirs = []string{".cursor/skills", ".agents/skills", ".claude/skills", ".codex/skills"}

// listing is a file of which the report lists keys and nothing is learned.
func listing(name string, at p.Location) p.Input {
	in := p.FileAt(name, at)
	in.Format = p.JSONC
	return in
}

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
		Homes:        []p.Home{{ID: home, Default: ".cursor"}, {ID: config, Env: "CURSOR_CONFIG_DIR", Default: ".cursor"}},
		Inputs:       []p.Input{inSkills, inProjectSkills, inCommands, inAgents, inHooks, inServers, inSettings},
		Instructions: []p.Channel{p.FirstPrompt},
		Skills:       p.SkillChannel{Kind: p.SkillPlugin, Names: p.PlainNames, MaxName: 64},
		Rewrite:      p.PretoolHook,
		// No kind can be left out: the client documents no way, and its home is the user's. Its models are its vendor's.
		Gates: append(p.Unanswered("login"), p.TrustGate("workspace-trust", p.AnsweredByFlag, p.NotAnswered,
			p.MCPServers, p.Hooks, p.ModelSettings)),
		// The key of a session that this one was started in would reach the commands that this client runs.
		Env:   []string{p.EndpointKeyVar},
		Flags: []string{flagPlugin, flagTrust},
		// The home is the user's, and which files of it a run changes is not known.
		OwnState: p.EachAtUser(".cursor", ".config/cursor"),
	}
}
