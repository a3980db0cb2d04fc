package kimi

import (
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// account is the provider that the client's own login makes.
const account = "managed:kimi-code"

// sections are the parts of config.toml. Model settings are also providers, rules for permissions and limits.
var sections = p.Sections{
	{Kind: p.Skills, Keys: []string{"extra_skill_dirs", "merge_all_available_skills"}, Report: []string{"extra_skill_dirs"}},
	{Kind: p.Hooks, Keys: []string{"hooks"}},
	{Kind: p.ModelSettings, Report: []string{"default_permission_mode", "default_plan_mode", "permission", "loop_control", "extra_agent_dirs"},
		Displaced: []string{"providers/*", "models/*", "default_model", "secondary_model", "services", "thinking"}},
}

// configuration places config.toml, and what the user has chosen in files of their own. It is a private copy: the client
// writes into it what a person chooses on a terminal, and the models of their account. Where the host withholds the login,
// the provider and the models that come with it stay behind.
func configuration(l *p.Layout, r p.Request) {
	config, learned := root.Join("config.toml"), inConfig.In(r)
	var edits []p.Edit
	var keep []string
	// The login is no setting: what makes it usable stays.
	mine := learned.Items(modelProvider, p.S(account))
	if r.Endpoint == nil && len(mine) > 0 && !r.Options.Inherit.All(p.ModelSettings) {
		keep = []string{"providers", "models"}
		edits = []p.Edit{p.Keep(p.Key("providers"), account), p.Keep(p.Key("models"), mine...)}
		if slices.Contains(mine, learned.Text(firstModel)) {
			keep = append(keep, "default_model")
		}
	}
	if inLogin.In(r).Withheld {
		edits, keep = []p.Edit{p.Delete(p.Key("providers", account))}, nil
		for _, model := range mine {
			edits = append(edits, p.Delete(p.Key("models", model)))
			if model == learned.Text(firstModel) {
				edits = append(edits, p.Delete(firstModel))
			}
		}
	}
	edits = append(edits, sections.Edits(r.Options.Inherit, keep...)...)
	if r.Endpoint != nil {
		edits = append(edits, bound(r.Endpoint)...)
	}
	l.CheckedMerge(config, p.TOML, []p.Base{p.FromInput(inConfig.Name), p.Empty()}, edits)

	l.Bring(r, inThemes, root.Join("themes"))
	l.Bring(r, inAgents, root.Join("agents"))
	if r.Options.Inherit.All(p.ModelSettings) {
		l.Bring(r, inTerminal, root.Join("tui.toml"))
	}
	// Trust lets a project bring MCP servers, to which it could give the key of an endpoint or of another server.
	if l.TakesProject(r, "kimi.trust-withheld") {
		l.FileNamed(root.Join("workspace-trust"), p.PathName{Prefix: "wd_", Slug: 40, Digest: 12},
			p.S(`{"root": `), p.Quote(p.JSON, p.Workspace(".").Value()), p.S(`, "trustedAt": 1}`))
	}
}
