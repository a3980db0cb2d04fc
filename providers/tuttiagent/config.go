package tuttiagent

import (
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// asks are how a server is given variables.
var asks = []p.KeyPath{{"mcp_servers", "*", "bearer_token_env_var"}, {"mcp_servers", "*", "env_http_headers", "*"},
	{"mcp_servers", "*", "env_vars", "*"}, {"mcp_servers", "*", "env_vars", "*", "name"}}

// bundled says whether the client unpacks skills of its own. It does unless this is false.
var bundled = p.Key("skills", "bundled", "enabled")

// sections are the parts of config.toml. Model settings are also providers, approvals, the sandbox and roles.
var sections = p.Sections{
	// How the client looks to a person, and what it asks them.
	{Keys: []string{"check_for_update_on_startup", "disable_paste_burst", "feedback", "file_opener",
		"hide_agent_reasoning", "notice", "show_raw_agent_reasoning", "tui"}},
	{Kind: p.Instructions, Keys: []string{"compact_prompt", "developer_instructions", "instructions", "model_instructions_file"}},
	{Kind: p.Skills, Keys: []string{"skills"}, Report: []string{}},
	{Kind: p.MCPServers, Keys: []string{"mcp_servers"}, Items: "mcp_servers", Off: p.Key("features", "apps"),
		Report: []string{"mcp_servers/*"}},
	{Kind: p.Hooks, Keys: []string{"hooks", "notify"}, Report: []string{"notify", "hooks/*"}},
	{Kind: p.Plugins, Keys: []string{"marketplaces", "plugins"}, Off: p.Key("features", "plugins"), Report: []string{"plugins/*"}},
	{Kind: p.Memories, Keys: []string{"memories"}, Off: p.Key("features", "memories"), Report: []string{}},
	{Kind: p.ModelSettings, Off: p.Key("analytics", "enabled"), Displaced: []string{"model", "model_provider", "model_providers/*", "web_search"},
		Report: []string{"model_reasoning_effort", "approval_policy", "sandbox_mode", "agents/*"}},
}

// legacy is the provider that hosts wrote into the configuration once, with the keys that led to it. It goes only as they
// wrote it: what a person has changed or noted there is theirs.
func legacy() p.Edit {
	return p.DeleteIfEqual(p.Key("model_providers", "tutti-llm"), p.Object{
		"name": p.S("Tutti LLM"), "base_url": p.S("https://llm-api.tutti.sh/v1"), "wire_api": p.S("responses"),
	}).Together("model_provider", p.S("tutti-llm")).Together("model", p.S("gpt-5.4"))
}

// edits are the changes from what config.toml begins as to the session's.
func edits(l *p.Layout, r p.Request) []p.Edit {
	file := p.Key("model_instructions_file")
	e := slices.Concat([]p.Edit{legacy()}, sections.Edits(r.Options.Inherit), disabledSkills(r), models(l, r),
		l.FileTrust(r, "tutti-agent.trust-withheld", "projects", "trust_level", "trusted", "untrusted"),
		// They would be sent what is for another.
		l.LeaveOutAsking(r, inConfig, "tutti-agent.server-left-out", "mcp_servers", serverVars, asks...), []p.Edit{
			// Relative paths are relative to the home, which is another one now.
			p.Rebase(file, home), p.Require(file, "file"),
			p.Rebase(p.Key("agents", "*", "config_file"), home),
			// Trust in a hook goes by the path of the file that has it.
			p.Rekey(p.Key("hooks", "state"), home, root),
			// The session's databases and logs are its own, wherever the user keeps theirs.
			p.Delete(p.Key("log_dir")), p.Delete(p.Key("sqlite_home")),
			// A user who switched the list of skills off would not see ours either.
			p.Delete(p.Key("skills", "include_instructions")),
			// With markers, the client reads every AGENTS.md up to the repository's root.
			p.Set(p.Key("project_root_markers"), p.List{}),
			// Commands run in a login shell by default, whose profile assigns PATH anew and so loses the session's.
			p.Set(p.Key("allow_login_shell"), p.Bool(false)),
			// Commands inherit the environment, and have no use for the credentials in it.
			p.Append(p.Key("shell_environment_policy", "exclude"), p.ListIDs, p.S(p.EndpointKeyVar), p.S(serverVars+"*")),
		})
	if r.Target.OS == "windows" {
		e = append(e, p.Set(p.Key("windows", "sandbox"), p.S("unelevated"))) // the default asks for elevation, which nobody answers
	}
	return e
}

// disabledSkills switches off the user's skills that the client finds through HOME and not through its own home.
func disabledSkills(r p.Request) (e []p.Edit) {
	for _, name := range inSharedSkills.LeftOut(r) {
		file := inSharedSkills.Below(name + "/SKILL.md")
		e = append(e, p.Upsert(p.Key("skills", "config"), "path", p.Object{"path": file, "enabled": p.Bool(false)}))
	}
	return e
}
