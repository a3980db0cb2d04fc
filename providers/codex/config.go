package codex

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// What is learned of the user's configuration.
var (
	serviceTier, userProvider = p.Key("service_tier"), p.Key("model_provider")
	loginStore                = p.Key("cli_auth_credentials_store")
	pluginOn                  = p.Key("plugins", "*", "enabled")
	// How a server is given variables.
	asks = []p.KeyPath{{"mcp_servers", "*", "bearer_token_env_var"}, {"mcp_servers", "*", "env_http_headers", "*"},
		{"mcp_servers", "*", "env_vars", "*"}, {"mcp_servers", "*", "env_vars", "*", "name"}}
)

// sections are the parts of config.toml. Model settings are also providers, approvals, the sandbox and roles.
var sections = p.Sections{
	// How the client looks to a person, and what it asks them.
	{Keys: []string{"check_for_update_on_startup", "disable_paste_burst", "feedback", "file_opener",
		"hide_agent_reasoning", "notice", "show_raw_agent_reasoning", "tui"}},
	{Kind: p.Instructions, Keys: []string{"compact_prompt", "developer_instructions", "instructions", "model_instructions_file"}},
	{Kind: p.Skills, Keys: []string{"skills"}, Report: []string{}},
	// Connectors of the account come with the apps, and cannot be named.
	{Kind: p.MCPServers, Keys: []string{"mcp_servers"}, Items: "mcp_servers", Off: p.Key("features", "apps"),
		Report: []string{"mcp_servers/*"}},
	// Events are named, because the trust in hooks stands beside them.
	{Kind: p.Hooks, Keys: []string{"hooks", "notify"}, Report: []string{"notify", "hooks/SessionStart", "hooks/SessionEnd",
		"hooks/UserPromptSubmit", "hooks/PreToolUse", "hooks/PostToolUse", "hooks/PermissionRequest", "hooks/PreModelRequest",
		"hooks/PostModelRequest", "hooks/PreCompact", "hooks/PostCompact", "hooks/SubagentStart", "hooks/SubagentStop",
		"hooks/Stop", "hooks/Interrupt"}},
	// A marketplace recommends some; those that were named need the switch.
	{Kind: p.Plugins, Keys: []string{"marketplaces", "plugins"}, Items: "plugins", Off: p.Key("features", "plugins"), OffForNone: true,
		Report: []string{"plugins/*"}},
	{Kind: p.Memories, Keys: []string{"memories"}, Off: p.Key("features", "memories"), Report: []string{}}, // else it would write some
	// Nobody asked whether a session without a person's settings may be counted.
	{Kind: p.ModelSettings, Off: p.Key("analytics", "enabled"), Report: []string{"model_reasoning_effort", "approval_policy", "sandbox_mode", "agents/*"},
		Displaced: []string{"model", "model_provider", "model_providers/*", "service_tier", "web_search"}},
}

// always are edits that no choice changes.
func always(r p.Request) []p.Edit {
	instructions := p.Key("model_instructions_file")
	e := []p.Edit{
		// Relative paths are relative to the home, which is another one now. The client stops with a bare "no such file"
		// when this one or the catalog of models is missing, and drops a role without its file in silence.
		p.Rebase(instructions, home), p.Require(instructions, "file"),
		p.Rebase(p.Key("agents", "*", "config_file"), home),
		// Trust in a hook goes by the path of the file that has it, and by a hash of what it runs.
		p.Rekey(p.Key("hooks", "state"), home, root),
		// The session's databases and logs are its own, wherever the user keeps theirs.
		p.Delete(p.Key("log_dir")), p.Delete(p.Key("sqlite_home")),
		// A user who switched the list of skills off would not see ours either.
		p.Delete(p.Key("skills", "include_instructions")),
		// With markers, the client walks up to the repository's root and reads every AGENTS.md on the way, out of the
		// directory that the session was given.
		p.Set(p.Key("project_root_markers"), p.List{}),
		// Commands run in a login shell by default, whose profile assigns PATH anew and so loses the session's.
		p.Set(p.Key("allow_login_shell"), p.Bool(false)),
		// Else a terminal leaves a service running, and later ones speak with the credentials of the run that started it.
		p.Set(p.Key("features", "daemon_auto_start"), p.Bool(false)),
		// Commands inherit the environment, and have no use for the credentials in it.
		p.Append(p.Key("shell_environment_policy", "exclude"), p.ListIDs, p.Strings(secret...)...),
	}
	if r.Target.OS == "windows" {
		e = append(e, p.Set(p.Key("windows", "sandbox"), p.S("unelevated"))) // the default asks for elevation, which nobody answers
	}
	return e
}

// tier mends the service tier: the interface takes fast and flex only, and the client sends on what stands here.
func tier(r p.Request) []p.Edit {
	switch inConfig.In(r).Value(serviceTier) {
	case nil, p.S("fast"), p.S("flex"):
		return nil
	case p.S("priority"):
		return []p.Edit{p.Set(serviceTier, p.S("fast"))}
	}
	return []p.Edit{p.Delete(serviceTier)}
}

// disabledSkills switches off the user's skills that the client finds through HOME and not through its own home.
func disabledSkills(r p.Request) (e []p.Edit) {
	for _, name := range inSharedSkills.LeftOut(r) {
		e = append(e, p.Upsert(p.Key("skills", "config"), "path",
			p.Object{"path": inSharedSkills.Below(name + "/SKILL.md"), "enabled": p.Bool(false)}))
	}
	return e
}

// servers are the edits that add the host's MCP servers, and take out those of the user's that would have their credentials.
// The client takes the values of headers from the variables that stand in the place of them.
func servers(l *p.Layout, r p.Request) []p.Edit {
	e := l.LeaveOutAsking(r, inConfig, "codex.server-left-out", "mcp_servers", serverVars, asks...)
	for _, s := range r.Servers {
		e = append(e, p.Replace(p.Key("mcp_servers", s.Name),
			p.Object{"url": p.S(s.URL), "env_http_headers": s.HeaderVars("", "")}))
	}
	return e
}
