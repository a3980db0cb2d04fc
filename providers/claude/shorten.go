package claude

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// shorten has a hook of the plugin run shell commands through rtk, unless all hooks are off, or a rule is of files: the client heeds
// that in commands which it knows by name, and not behind rtk. The program says nothing of what is allowed unless a rule does
// that the session takes. The client waits two seconds for it, and runs a command as it is then.
func shorten(l *p.Layout, r p.Request, root p.Place) {
	if in := r.Options.Inherit; l.Unrewritten(r, !in.All(p.Hooks) && in.All(p.ModelSettings) || r.AnyPrefixed("Read(", []p.KeyPath{asked, denied}, inSettings, inProjectSettings, inLocalSettings), "claude.rtk-without-hook", "hooks stay out, or a rule is about reading files, which claude code does not heed in what runs behind rtk") {
		return
	}
	l.CheckedDocument(root.Join("plugin/hooks/hooks.json"), p.JSON, p.Object{"hooks": p.Object{"PreToolUse": p.List{p.Object{"matcher": p.S("Bash"), "hooks": p.List{
		p.Object{"type": p.S("command"), "command": l.HookRTK(r, root.Join("no-rules"), "hook claude"), "timeout": p.Int(2)},
	}}}}}, p.Key("hooks", "PreToolUse"))
}

// guardRTK denies, and asks for, what the user denied or wants to be asked for with rtk in front of it as well: the client
// matches its rules with what a hook has put in the place of a command.
func guardRTK(ours p.Object, r p.Request) {
	for _, rule := range []p.KeyPath{asked, denied} {
		if twins := r.Prefixed(rule, "Bash(", "Bash(rtk ", inSettings, inProjectSettings, inLocalSettings); r.RTK != nil && len(twins) > 0 {
			ours.In(rule[0])[rule[1]] = twins
		}
	}
}
