package cli

import (
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const inheritHelp = "`CHOICE` of what comes along of your own set-up, may be given again (default desktop)"

// inheritLong explains the choices in the help of each command that takes them.
const inheritLong = `What comes along of your own set-up is said with --inherit: desktop (all but memories), automation (nothing), or for one
kind KIND=all, KIND=none or KIND=NAME,NAME. Kinds are instructions, skills, mcp_servers, hooks, plugins, memories and
model_settings.`

// parseInherit reads --inherit: a preset, and choices per kind such as skills=none or mcp_servers=docs,search. Later
// ones win.
func parseInherit(values []string) (core.Inherit, error) {
	var in core.Inherit
	for _, value := range values {
		kind, choice, ok := strings.Cut(value, "=")
		if !ok {
			preset := core.Preset(value)
			if preset != core.Desktop && preset != core.Automation {
				return in, usage("presets are desktop and automation; a choice for one kind is written skills=none", "--inherit %q is no preset", value)
			}
			in.Preset = preset
			continue
		}
		k := preparer.Kind(strings.ReplaceAll(kind, "-", "_"))
		if !slices.Contains(preparer.Kinds(), k) {
			return in, usage("kinds are "+kindList(), "--inherit %q names no kind", value)
		}
		if in.Kinds == nil {
			in.Kinds = map[preparer.Kind]preparer.Choice{}
		}
		c, err := parseChoice(choice)
		if err != nil {
			return in, err
		}
		in.Kinds[k] = c
	}
	return in, nil
}

func parseChoice(text string) (preparer.Choice, error) {
	switch text {
	case string(preparer.All), string(preparer.None):
		return preparer.Choice{Mode: preparer.Mode(text)}, nil
	}
	names := strings.Split(text, ",")
	slices.Sort(names)
	names = slices.Compact(names)
	if slices.Contains(names, "") {
		return preparer.Choice{}, usage("write all, none, or names with commas between them", "--inherit has an empty name in %q", text)
	}
	return preparer.Choice{Mode: preparer.Only, Names: names}, nil
}

func kindList() string {
	var all []string
	for _, k := range preparer.Kinds() {
		all = append(all, string(k))
	}
	return strings.Join(all, ", ")
}
