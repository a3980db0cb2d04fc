package codex

import (
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

var (
	serviceTier = p.Key("service_tier")
	loginStore  = p.Key("cli_auth_credentials_store")
)

// always are the tables and keys that come along in any case: how the client looks to a person, and what they said
// about being counted, which must not come undone by leaving it out.
var always = []string{
	"analytics", "check_for_update_on_startup", "disable_paste_burst", "feedback", "file_opener", "hide_agent_reasoning",
	"notice", "show_raw_agent_reasoning", "tui",
}

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

// inConfigFile are the kinds that a configuration file can hold and that can come along.
func inConfigFile() []p.Kind {
	return []p.Kind{p.Instructions, p.Skills, p.MCPServers, p.Hooks, p.Plugins, p.ModelSettings}
}

// configCarries says what of the user's set-up the configuration brings, for the report of inherited items.
func configCarries() []p.Carry {
	keys := func(names ...string) (paths []p.KeyPath) {
		for _, name := range names {
			paths = append(paths, p.Key(name))
		}
		return paths
	}
	return []p.Carry{
		{Kind: p.Instructions, Keys: keys("developer_instructions", "instructions", "model_instructions_file")},
		{Kind: p.MCPServers, Keys: []p.KeyPath{p.Key("mcp_servers", "*")}},
		{Kind: p.Hooks, Keys: []p.KeyPath{p.Key("hooks", "*"), p.Key("notify")}},
		{Kind: p.Plugins, Keys: []p.KeyPath{p.Key("plugins", "*")}},
		{Kind: p.ModelSettings, Keys: append(keys("model", "model_provider", "model_reasoning_effort", "service_tier",
			"approval_policy", "sandbox_mode"), p.Key("model_providers", "*"), p.Key("agents", "*"), p.Key("projects", "*"))},
	}
}

// edits are the changes from the user's config.toml to the session's.
func edits(r p.Request) []p.Edit {
	e := exclusions(r.Options.Inherit)
	e = append(e, relocation()...)
	e = append(e, tier(r)...)
	e = append(e, disabledSkills(r)...)
	e = append(e,
		// The session's databases and logs are its own, wherever the user keeps theirs.
		p.Delete(p.Key("log_dir")), p.Delete(p.Key("sqlite_home")),
		// A user who switched the list of skills off would not see ours either.
		p.Delete(p.Key("skills", "include_instructions")),
		// With markers, the client walks up to the repository's root and reads every AGENTS.md on the way, out of the
		// directory that the session was given.
		p.Set(p.Key("project_root_markers"), p.List{}),
		// Commands run in a login shell by default, whose profile assigns PATH anew and so loses the session's.
		p.Set(p.Key("allow_login_shell"), p.Bool(false)),
	)
	if r.Target.OS == "windows" {
		// The default asks for elevation, which nobody answers.
		e = append(e, p.Set(p.Key("windows", "sandbox"), p.S("unelevated")))
	}
	return e
}

// exclusions takes out what does not come along.
func exclusions(in p.Inherit) (e []p.Edit) {
	keep, gone, off := slices.Clone(always), []string(nil), []p.Edit(nil)
	for _, o := range owned {
		choice := in[o.kind]
		named := choice.Mode == p.Only && o.table != ""
		switch {
		case choice.Mode == p.All:
			keep = append(keep, o.keys...)
			continue
		case named:
			keep = append(keep, o.keys...)
			e = append(e, p.Keep(p.Key(o.table), choice.Names...))
		default:
			gone = append(gone, o.keys...)
		}
		// Plugins that were named need theirs; connectors cannot be named.
		if o.feature != "" && !(named && o.kind == p.Plugins) {
			off = append(off, p.Set(p.Key("features", o.feature), p.Bool(false)))
		}
	}
	if in.All(p.ModelSettings) {
		for _, key := range gone {
			e = append(e, p.Delete(p.Key(key)))
		}
	} else {
		e = append(e, p.Keep(p.Key(), keep...))
	}
	return append(e, off...)
}

// relocation makes paths absolute that are relative to the home, which is another one now. The client stops with a bare
// "no such file" when one of the first two is missing, and drops a role without its file in silence.
func relocation() []p.Edit {
	catalog, instructions := p.Key("model_catalog_json"), p.Key("model_instructions_file")
	return []p.Edit{
		p.Rebase(catalog, home), p.Require(catalog, "file"),
		p.Rebase(instructions, home), p.Require(instructions, "file"),
		p.Rebase(p.Key("agents", "*", "config_file"), home),
	}
}

// tier mends the service tier: the interface takes fast and flex only, and the client sends on what stands here.
func tier(r p.Request) []p.Edit {
	value, ok := r.Inputs[inConfig].Values[serviceTier.String()]
	switch {
	case !ok || value == p.S("fast") || value == p.S("flex"):
		return nil
	case value == p.S("priority"):
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
