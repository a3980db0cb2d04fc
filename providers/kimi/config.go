package kimi

import (
	"maps"
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// account is the provider that the client's own login makes.
const account = "managed:kimi-code"

// owned says which root keys of config.toml belong to which kind. All others are model settings: also providers, rules
// for permissions, limits, and keys that a later client may bring.
var owned = []struct {
	kind p.Kind
	keys []string
}{
	{p.Skills, []string{"extra_skill_dirs", "merge_all_available_skills"}},
	{p.Hooks, []string{"hooks"}},
}

// configCarries says what of the user's set-up the configuration brings, for the report of inherited items.
func configCarries() []p.Carry {
	carry := func(kind p.Kind, paths ...string) p.Carry {
		c := p.Carry{Kind: kind}
		for _, path := range paths {
			c.Keys = append(c.Keys, strings.Split(path, "/"))
		}
		return c
	}
	return []p.Carry{
		carry(p.Skills, "extra_skill_dirs"),
		carry(p.Hooks, "hooks"),
		carry(p.ModelSettings, "default_model", "default_permission_mode", "default_plan_mode", "thinking", "permission",
			"loop_control", "secondary_model", "services", "extra_agent_dirs", "providers/*", "models/*"),
	}
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
	for _, o := range owned {
		for _, key := range o.keys {
			if in.All(o.kind) {
				keep = append(keep, key)
			} else {
				e = append(e, p.Delete(p.Key(key)))
			}
		}
	}
	if in.All(p.ModelSettings) {
		return e
	}
	// The login is no setting: what makes it usable stays.
	if mine := accountModels(r); r.Endpoint == nil && len(mine) > 0 {
		keep = append(keep, "providers", "models")
		e = append(e, p.Keep(p.Key("providers"), account), p.Keep(p.Key("models"), mine...))
		if first, _ := r.Inputs[inConfig].Values[firstModel.String()].(p.String); slices.Contains(mine, string(first)) {
			keep = append(keep, "default_model")
		}
	}
	return append(e, p.Keep(p.Key(), keep...))
}

// accountModels are the names of the models that the user's login serves.
func accountModels(r p.Request) []string {
	return matching(r.Inputs[inConfig], modelProvider, account)
}

// matching lists, sorted, what the wildcard of a key path of three stands for where the value is the wanted one.
func matching(found p.Found, path p.KeyPath, want string) []string {
	set := map[string]bool{}
	for key, value := range found.Values {
		segments := strings.Split(key, "/")
		if len(segments) == 3 && segments[0] == path[0] && segments[2] == path[2] && value == p.S(want) {
			set[strings.NewReplacer("~1", "/", "~0", "~").Replace(segments[1])] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
