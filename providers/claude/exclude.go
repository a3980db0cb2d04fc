package claude

import (
	"maps"
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// exclude leaves out what the session should not inherit.
//
// The client reads the user's set-up as one source that is on or off as a whole. Settings can be left out only with it,
// and then everything else in it goes too, which is said in a diagnostic. While the source stays on, the other kinds can
// be switched off by settings of ours, which beat the user's.
func exclude(l *p.Layout, r p.Request, settings p.Place) {
	in := r.Options.Inherit
	if !in.All(p.Memories) {
		l.Set(envNoMemory, p.S("1"))
	}
	if in.None(p.MCPServers) {
		l.Args(p.S(flagOnlyMCP))
		if r.Inputs[inProjectMCP].Exists {
			l.Note(p.Diagnostic{Severity: p.Info, Code: "claude.project-mcp-left-out",
				Text: "the mcp servers of the project stay out together with those of the user: one flag takes both"})
		}
	}
	if !in.All(p.Skills) && in.All(p.ModelSettings) && r.Inputs[inCommandFolders].Exists {
		l.Note(p.Warn("claude.grouped-commands-stay",
			"commands are switched off one by one, and those in folders of the commands directory have no names here: they "+
				"come along", "keep each command directly in that directory, or inherit no model_settings"))
	}
	ours := p.Object{}
	if !in.All(p.ModelSettings) {
		l.Args(p.S(flagSources), p.S("project,local"))
		noteLost(l, r)
	} else {
		ours = switchedOff(r)
	}
	text := "what stays out is said with --settings, which the client takes once: a second one brings it back in"
	if r.Endpoint != nil {
		maps.Copy(ours, guard(r.Endpoint))
		text = "the endpoint is guarded with --settings, which the client takes once: a second one lets other settings in again"
	}
	if len(ours) > 0 {
		l.Document(settings, p.JSON, ours)
		// Settings that do not parse stop the client with an error, but only after it has been started.
		l.Check(settings, p.CheckJSON)
		l.Args(p.S(flagSettings), settings.Value())
		l.Note(p.Diagnostic{Severity: p.Info, Code: "claude.one-settings-flag", Text: text})
	}
	if !in.All(p.Hooks) && in.All(p.ModelSettings) {
		l.Note(p.Diagnostic{Severity: p.Info, Code: "claude.all-hooks-left-out",
			Text: "the hooks of the project and of plugins and any status line stay out together with the hooks of the user: " +
				"one switch takes all"})
	}
}

// below is a pattern for all files below a directory. The client resolves links in what stands before the last slash in
// front of the first of the signs *?{[ and so, with /** alone, not the directory itself. A link that lies deeper, with its
// target outside, is not seen: its rules come along.
const below = "/@(**)"

// switchedOff are the settings that hide single things of the user's.
func switchedOff(r p.Request) p.Object {
	in, off := r.Options.Inherit, p.Object{}

	if !in.All(p.Instructions) {
		// Absolute paths, so that a CLAUDE.md of the project stays.
		paths := p.List{}
		if r.Inputs[inInstructions].Exists {
			paths = append(paths, p.InputPath{Input: inInstructions})
		}
		for _, rules := range []string{inRules, inRuleFolders} {
			if r.Inputs[rules].Exists {
				paths = append(paths, p.Concat{p.InputPath{Input: rules}, p.S(below)})
				break // two looks at one directory
			}
		}
		if len(paths) > 0 {
			off["claudeMdExcludes"] = paths
		}
	}

	if !in.All(p.Hooks) {
		off["disableAllHooks"] = p.Bool(true)
	}

	// The switch goes by the name of the skill's directory, not by the one in its front matter. It also hides a skill of
	// the project that has the same name; those of a plugin, ours too, carry a prefix and stay.
	skills := p.Object{}
	for _, name := range r.Inputs[inSkills].Names {
		if !in.Takes(p.Skills, name) {
			skills[name] = p.S("off")
		}
	}
	for _, file := range r.Inputs[inCommands].Names {
		if name := strings.TrimSuffix(file, ".md"); !in.Takes(p.Skills, name) && !in.Takes(p.Skills, file) {
			skills[name] = p.S("off")
		}
	}
	if len(skills) > 0 {
		off["skillOverrides"] = skills
	}

	plugins := p.Object{}
	for _, id := range names(r.Inputs[inSettings], pluginSwitch) {
		if !in.Takes(p.Plugins, id) {
			plugins[id] = p.Bool(false)
		}
	}
	if len(plugins) > 0 {
		off["enabledPlugins"] = plugins
	}

	if in[p.MCPServers].Mode == p.Only {
		denied := p.List{}
		for _, name := range names(r.Inputs[inState], serverType, serverCommand) {
			if !in.Takes(p.MCPServers, name) {
				denied = append(denied, p.Object{"serverName": p.S(name)})
			}
		}
		off["deniedMcpServers"] = denied
		off["disableClaudeAiConnectors"] = p.Bool(true) // of the account; they stand in no file and have no names here
	}
	return off
}

// names lists, sorted, what the wildcard of the key paths stands for in the values that were learned.
func names(found p.Found, paths ...p.KeyPath) []string {
	set := map[string]bool{}
	for key := range found.Values {
		for _, path := range paths {
			if name, ok := wildcard(key, path); ok {
				set[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// wildcard is what the second segment of a path stands for in a key that matches it.
func wildcard(key string, path p.KeyPath) (string, bool) {
	segments := strings.Split(key, "/")
	if len(segments) != len(path) {
		return "", false
	}
	for i, want := range path {
		if want != "*" && want != segments[i] {
			return "", false
		}
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(segments[1]), true
}

// noteLost names what was to come along and cannot, because the user's source is off as a whole.
func noteLost(l *p.Layout, r p.Request) {
	var lost []string
	for _, kind := range append(slices.Clone(withSettings), p.ModelSettings) {
		if !r.Options.Inherit.None(kind) {
			lost = append(lost, string(kind))
		}
	}
	if len(lost) > 0 {
		l.Note(p.Warn("claude.left-out-together",
			"claude code can leave out the user's settings only with everything of the user's: "+
				strings.Join(lost, ", ")+" stay out too",
			"inherit model_settings, or none of these"))
	}
	if r.Inputs[inSettings].Exists {
		l.Note(p.Diagnostic{Severity: p.Info, Code: "claude.settings-left-out",
			Text: "the user's settings stay out as a whole, with the permissions, subagents and any login kept in them"})
	}
}
