package kimi

import (
	"maps"
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// account is the provider that the client's own login makes.
const account = "managed:kimi-code"

// owned are the root keys of config.toml that belong to a kind of their own. All others are model settings: also
// providers, rules for permissions, limits, and keys that a later client may bring.
var owned = map[string]p.Kind{"extra_skill_dirs": p.Skills, "merge_all_available_skills": p.Skills, "hooks": p.Hooks}

// configCarries says what of the user's set-up the configuration brings, for the report of inherited items.
func configCarries() []p.Carry {
	settings := p.Carry{Kind: p.ModelSettings, Keys: []p.KeyPath{p.Key("providers", "*"), p.Key("models", "*")}}
	for _, key := range []string{"default_model", "default_permission_mode", "default_plan_mode", "thinking", "permission",
		"loop_control", "secondary_model", "services", "extra_agent_dirs"} {
		settings.Keys = append(settings.Keys, p.Key(key))
	}
	return []p.Carry{{Kind: p.Skills, Keys: []p.KeyPath{p.Key("extra_skill_dirs")}},
		{Kind: p.Hooks, Keys: []p.KeyPath{p.Key("hooks")}}, settings}
}

// configuration places config.toml. It is a private copy: the client writes into it what a person chooses on a terminal,
// and the models of their account.
func configuration(l *p.Layout, r p.Request) {
	config := root.Join("config.toml")
	edits := exclusions(r)
	if r.Endpoint != nil {
		edits = append(edits, bound(r.Endpoint)...)
	}
	l.Merge(config, p.TOML, []p.Base{p.FromInput(inConfig), p.Empty()}, edits...)
	l.Check(config, p.CheckTOML)
}

// exclusions takes out what does not come along.
func exclusions(r p.Request) (e []p.Edit) {
	in := r.Options.Inherit
	var keep []string
	for _, key := range slices.Sorted(maps.Keys(owned)) {
		if in.All(owned[key]) {
			keep = append(keep, key)
		} else {
			e = append(e, p.Delete(p.Key(key)))
		}
	}
	if in.All(p.ModelSettings) {
		return e
	}
	// The login is no setting: what makes it usable stays.
	if mine := matching(r.Inputs[inConfig], modelProvider, func(v string) bool { return v == account }); r.Endpoint == nil && len(mine) > 0 {
		keep = append(keep, "providers", "models")
		e = append(e, p.Keep(p.Key("providers"), account), p.Keep(p.Key("models"), mine...))
		if first, _ := r.Inputs[inConfig].Values[firstModel.String()].(p.String); slices.Contains(mine, string(first)) {
			keep = append(keep, "default_model")
		}
	}
	return append(e, p.Keep(p.Key(), keep...))
}

// matching lists, sorted, what the wildcard of a key path of three stands for where the value is a wanted one.
func matching(found p.Found, path p.KeyPath, wanted func(string) bool) []string {
	set := map[string]bool{}
	for key, value := range found.Values {
		segments := strings.Split(key, "/")
		text, _ := value.(p.String)
		if len(segments) == 3 && segments[0] == path[0] && segments[2] == path[2] && wanted(string(text)) {
			set[strings.NewReplacer("~1", "/", "~0", "~").Replace(segments[1])] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
