package codex

import (
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

var serviceTier, loginStore = p.Key("service_tier"), p.Key("cli_auth_credentials_store")

// pluginOn says for each plugin of the user's whether it is on.
var pluginOn = p.Key("plugins", "*", "enabled")

// always are the tables and keys that come along in any case: how the client looks to a person and asks them things.
var always = []string{"check_for_update_on_startup", "disable_paste_burst", "feedback", "file_opener",
	"hide_agent_reasoning", "notice", "show_raw_agent_reasoning", "tui"}

// owned says which root keys of config.toml belong to which kind. All others are model settings: also providers,
// approvals, the sandbox, the trust in projects, roles, and keys that a later client may bring.
var owned = []struct {
	kind  p.Kind
	keys  []string
	table string // the one whose children are the items, where they can be chosen by name
	// feature is what has to be off as well, since it brings things of the kind that stand in no file of the user's:
	// the connectors of the account, plugins that a marketplace recommends, memories that the session would write.
	feature string
}{
	{kind: p.Instructions, keys: []string{"compact_prompt", "developer_instructions", "instructions",
		"model_instructions_file"}},
	{kind: p.Skills, keys: []string{"skills"}},
	{kind: p.MCPServers, keys: []string{"mcp_servers"}, table: "mcp_servers", feature: "apps"},
	{kind: p.Hooks, keys: []string{"hooks", "notify"}},
	{kind: p.Plugins, keys: []string{"marketplaces", "plugins"}, table: "plugins", feature: "plugins"},
	{kind: p.Memories, keys: []string{"memories"}, feature: "memories"},
}

// configCarries says what of the user's set-up the configuration brings, for the report of inherited items. The events
// of hooks are named, because the trust in them stands beside them.
func configCarries() []p.Carry {
	carry := func(kind p.Kind, paths ...string) p.Carry {
		c := p.Carry{Kind: kind}
		for _, path := range paths {
			c.Keys = append(c.Keys, strings.Split(path, "/"))
		}
		return c
	}
	return []p.Carry{
		carry(p.Instructions, "developer_instructions", "instructions", "model_instructions_file"),
		carry(p.MCPServers, "mcp_servers/*"),
		carry(p.Hooks, "notify", "hooks/SessionStart", "hooks/SessionEnd", "hooks/UserPromptSubmit", "hooks/PreToolUse",
			"hooks/PostToolUse", "hooks/PermissionRequest", "hooks/PreModelRequest", "hooks/PostModelRequest",
			"hooks/PreCompact", "hooks/PostCompact", "hooks/SubagentStart", "hooks/SubagentStop", "hooks/Stop",
			"hooks/Interrupt"),
		carry(p.Plugins, "plugins/*"),
		carry(p.ModelSettings, "model", "model_provider", "model_reasoning_effort", "service_tier", "approval_policy",
			"sandbox_mode", "model_providers/*", "agents/*", "projects/*"),
	}
}

// edits are the changes from the user's config.toml to the session's.
func edits(r p.Request) []p.Edit {
	instructions := p.Key("model_instructions_file")
	e := slices.Concat(exclusions(r.Options.Inherit), tier(r), disabledSkills(r), models(r), servers(r), []p.Edit{
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
	})
	if r.Target.OS == "windows" {
		// The default asks for elevation, which nobody answers.
		e = append(e, p.Set(p.Key("windows", "sandbox"), p.S("unelevated")))
	}
	return append(e, employed(r)...)
}

// models binds the session to its endpoint, or leaves it with the user's models.
func models(r p.Request) []p.Edit {
	if r.Endpoint != nil {
		return bound(r)
	}
	catalog := p.Key("model_catalog_json")
	return []p.Edit{p.Rebase(catalog, home), p.Require(catalog, "file")}
}

// exclusions takes out what does not come along.
func exclusions(in p.Inherit) (e []p.Edit) {
	keep, gone, off := slices.Clone(always), []p.Edit(nil), []p.Edit(nil)
	for _, o := range owned {
		choice := in[o.kind]
		named := choice.Mode == p.Only && o.table != ""
		if named {
			e = append(e, p.Keep(p.Key(o.table), choice.Names...))
		}
		for _, key := range o.keys {
			if named || choice.Mode == p.All {
				keep = append(keep, key)
			} else {
				gone = append(gone, p.Delete(p.Key(key)))
			}
		}
		// Plugins that were named need theirs; connectors cannot be named.
		if o.feature != "" && choice.Mode != p.All && !(named && o.kind == p.Plugins) {
			off = append(off, p.Set(p.Key("features", o.feature), p.Bool(false)))
		}
	}
	if !in.All(p.ModelSettings) {
		// Nobody asked whether a session without a person's settings may be counted.
		gone = []p.Edit{p.Keep(p.Key(), keep...), p.Set(p.Key("analytics", "enabled"), p.Bool(false))}
	}
	return slices.Concat(e, gone, off)
}

// tier mends the service tier: the interface takes fast and flex only, and the client sends on what stands here.
func tier(r p.Request) []p.Edit {
	switch r.Inputs[inConfig].Values[serviceTier.String()] {
	case nil, p.S("fast"), p.S("flex"):
		return nil
	case p.S("priority"):
		return []p.Edit{p.Set(serviceTier, p.S("fast"))}
	}
	return []p.Edit{p.Delete(serviceTier)}
}

// disabledSkills switches off the user's skills that the client finds through HOME and not through its own home.
func disabledSkills(r p.Request) (e []p.Edit) {
	for _, name := range r.Inputs[inSharedSkills].Names {
		if !r.Options.Inherit.Takes(p.Skills, name) {
			file := p.Concat{p.InputPath{Input: inSharedSkills}, p.S("/" + name + "/SKILL.md")}
			e = append(e, p.Upsert(p.Key("skills", "config"), "path", p.Object{"path": file, "enabled": p.Bool(false)}))
		}
	}
	return e
}
