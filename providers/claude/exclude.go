package claude

import (
	"maps"
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// exclude leaves out what the session should not inherit. The client reads the user's set-up as one source that is on or off as a whole. Settings can be left out only with it,
// and then everything else in it goes too, which is said in a diagnostic. While the source stays on, the other kinds can
// be switched off by settings of ours, which beat the user's.
func exclude(l *p.Layout, r p.Request, settings p.Place) {
	in, ours := r.Options.Inherit, p.Object{}
	if !in.All(p.Memories) {
		l.SwitchOn(envNoMemory)
	}
	sources(l, r)
	if in.All(p.ModelSettings) {
		ours = switchedOff(l, r)
	} else {
		noteLost(l, r)
	}
	guardRTK(ours, r)
	if r.Endpoint != nil {
		maps.Copy(ours, guard(r.Endpoint))
	}
	if len(ours) > 0 {
		// Settings that do not parse stop the client with an error, but only after it has been started.
		l.CheckedDocument(settings, p.JSON, ours)
		l.Args(p.S(flagSettings), settings.Value())
		l.Note(p.Tell("claude.one-settings-flag",
			"what stays out, and what guards an endpoint, is said with --settings, which the client takes once: a second one undoes it", ""))
	}
}

// sources says whose settings count. Those of the project bring hooks, servers and skills, and in print mode the client asks
// nobody. Where the workspace is not trusted, its instructions come in as those of a directory that was added.
func sources(l *p.Layout, r p.Request) {
	if theirs := r.Options.Inherit.All(p.ModelSettings); !r.Trusted() {
		l.SwitchOn(envAdded)
		l.Args(p.S(flagSources), p.S(map[bool]string{true: "user"}[theirs]), p.Concat{p.S(flagAdd + "="), p.Workspace(".").Value()})
	} else if l.SwitchOn(envTrusted); !theirs {
		l.Args(p.S(flagSources), p.S("project,local"))
	}
}

// below is a pattern for all files below a directory. The client resolves links in what stands before the last slash in
// front of the first of the signs *?{[ and so, with /** alone, not the directory itself. A link that lies deeper, with its
// target outside, is not seen: its rules come along.
const below = "/@(**)"

// switchedOff are the settings that hide single things of the user's.
func switchedOff(l *p.Layout, r p.Request) p.Object {
	in, off := r.Options.Inherit, p.Object{}
	if !in.All(p.Instructions) {
		// Absolute paths, so that a CLAUDE.md of the project stays.
		if inInstructions.In(r).Exists {
			off.Append("claudeMdExcludes", inInstructions.Path())
		}
		if rules, ok := r.FirstFound(inRules, inRuleFolders); ok { // two looks at one directory
			off.Append("claudeMdExcludes", p.Concat{rules.Path(), p.S(below)})
		}
	}
	if !in.All(p.Hooks) {
		off["disableAllHooks"] = p.Bool(true)
		l.Note(p.Tell("claude.all-hooks-left-out", "the hooks of the project and of plugins and any status line stay out together "+
			"with the hooks of the user: one switch takes all", ""))
	}
	// The switch goes by the name of the skill's directory, not by the one in its front matter. It also hides a skill of
	// the project that has the same name; those of a plugin, ours too, carry a prefix and stay.
	for _, name := range append(inSkills.LeftOut(r), in.LeftOut(p.Skills, ".md", inCommands.In(r).Names...)...) {
		off.In("skillOverrides")[name] = p.S("off")
	}
	if !in.All(p.Skills) && len(inCommandFolders.In(r).Names) > 0 {
		l.Note(p.Warn("claude.grouped-commands-stay",
			"commands are switched off one by one, and those in folders of the commands directory have no names here: they come along",
			"keep each command directly in that directory, or inherit no model_settings"))
	}
	for _, id := range in.LeftOut(p.Plugins, "", inSettings.In(r).Items(pluginSwitch)...) {
		off.In("enabledPlugins")[id] = p.Bool(false)
	}
	if in[p.MCPServers].Mode == p.Only {
		state := inState.In(r)
		off["deniedMcpServers"] = p.List{}
		for _, name := range in.LeftOut(p.MCPServers, "", append(state.Items(serverType), state.Items(serverCommand)...)...) {
			off.Append("deniedMcpServers", p.Object{"serverName": p.S(name)})
		}
		off["disableClaudeAiConnectors"] = p.Bool(true) // of the account; they stand in no file and have no names here
	}
	return off
}

// noteLost names what was to come along and cannot, because the user's source is off as a whole.
func noteLost(l *p.Layout, r p.Request) {
	if lost := r.Options.Inherit.Wanted(append(slices.Clip(withSettings), p.ModelSettings)...); len(lost) > 0 {
		l.Note(p.Warn("claude.left-out-together", "claude code can leave out the user's settings only with everything of the user's: "+
			strings.Join(lost, ", ")+" stay out too", "inherit model_settings, or none of these"))
	}
	if inSettings.In(r).Exists {
		l.Note(p.Tell("claude.settings-left-out", "the user's settings stay out as a whole, with the permissions, "+
			"subagents and any login kept in them", ""))
	}
}
