package tuttiagent

import (
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// bundled says whether the client unpacks skills of its own. It does unless this is false.
var bundled = p.Key("skills", "bundled", "enabled")

// always are the tables and keys that come along in any case: how the client looks to a person and asks them things.
var always = []string{"check_for_update_on_startup", "disable_paste_burst", "feedback", "file_opener", "hide_agent_reasoning", "notice",
	"show_raw_agent_reasoning", "tui"}

// owned says which root keys of config.toml belong to which kind. All others are model settings.
var owned = []struct {
	kind  p.Kind
	keys  []string
	table string // the one whose children are the items, where they can be chosen by name
	// feature is what has to be off as well, since it brings things of the kind that stand in no file of the user's.
	feature string
}{
	{kind: p.Instructions, keys: []string{"compact_prompt", "developer_instructions", "instructions", "model_instructions_file"}},
	{kind: p.Skills, keys: []string{"skills"}},
	{kind: p.MCPServers, keys: []string{"mcp_servers"}, table: "mcp_servers", feature: "apps"},
	{kind: p.Hooks, keys: []string{"hooks", "notify"}},
	{kind: p.Plugins, keys: []string{"marketplaces", "plugins"}, feature: "plugins"},
	{kind: p.Memories, keys: []string{"memories"}, feature: "memories"},
}

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
		carry(p.Hooks, "notify", "hooks/*"),
		carry(p.Plugins, "plugins/*"),
		carry(p.ModelSettings, "model", "model_provider", "model_reasoning_effort", "approval_policy", "sandbox_mode", "model_providers/*",
			"agents/*", "projects/*"),
	}
}

// legacy is the provider that hosts wrote into the configuration once, with the keys that led to it. It goes only as they
// wrote it: what a person has changed or noted there is theirs.
func legacy() p.Edit {
	return p.DeleteIfEqual(p.Key("model_providers", "tutti-llm"), p.Object{
		"name": p.S("Tutti LLM"), "base_url": p.S("https://llm-api.tutti.sh/v1"), "wire_api": p.S("responses"),
	}).Together("model_provider", p.S("tutti-llm")).Together("model", p.S("gpt-5.4"))
}

// edits are the changes from what config.toml begins as to the session's.
func edits(r p.Request) []p.Edit {
	file := p.Key("model_instructions_file")
	e := slices.Concat([]p.Edit{legacy()}, exclusions(r.Options.Inherit), disabledSkills(r), models(r), []p.Edit{
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
		// Commands inherit the environment, and have no use for the credentials of the host's servers.
		p.Append(p.Key("shell_environment_policy", "exclude"), p.ListIDs, p.S(serverVars+"*")),
	})
	if r.Target.OS == "windows" {
		e = append(e, p.Set(p.Key("windows", "sandbox"), p.S("unelevated"))) // the default asks for elevation, which nobody answers
	}
	return e
}

// models binds the session to its endpoint, or leaves it with the user's models.
func models(r p.Request) []p.Edit {
	if r.Endpoint == nil {
		return []p.Edit{p.Rebase(p.Key("model_catalog_json"), home), p.Require(p.Key("model_catalog_json"), "file")}
	}
	return bound(r.Endpoint)
}

// exclusions takes out what does not come along.
func exclusions(in p.Inherit) (e []p.Edit) {
	var gone, off []p.Edit
	keep := slices.Clone(always)
	for _, o := range owned {
		all, some := in.All(o.kind), in[o.kind].Mode == p.Only && o.table != ""
		if some {
			e = append(e, p.Keep(p.Key(o.table), in[o.kind].Names...))
		}
		if all || some {
			keep = append(keep, o.keys...)
		} else {
			for _, key := range o.keys {
				gone = append(gone, p.Delete(p.Key(key)))
			}
		}
		if o.feature != "" && !all {
			off = append(off, p.Set(p.Key("features", o.feature), p.Bool(false)))
		}
	}
	if !in.All(p.ModelSettings) {
		gone = []p.Edit{p.Keep(p.Key(), keep...), p.Set(p.Key("analytics", "enabled"), p.Bool(false))}
	}
	return slices.Concat(e, gone, off)
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
