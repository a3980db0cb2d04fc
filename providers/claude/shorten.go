package claude

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// hookLimit is how long the client waits for the program, in seconds. A command that it does not answer for runs as it is.
const hookLimit = 2

// shorten has a hook of the plugin run shell commands through rtk. The program says nothing of what is allowed unless a rule
// of the user's does, and the client asks as it does without. Where all hooks are off there is none.
func shorten(l *p.Layout, r p.Request, at p.Place) {
	in := r.Options.Inherit
	if r.RTK == nil || !in.All(p.Hooks) && in.All(p.ModelSettings) {
		return
	}
	command := p.Concat{p.Quote(p.Shell, r.RTK.Program.Value()), p.S(" hook claude")}
	l.Document(at, p.JSON, p.Object{"hooks": p.Object{"PreToolUse": p.List{p.Object{
		"matcher": p.S("Bash"),
		"hooks":   p.List{p.Object{"type": p.S("command"), "command": command, "timeout": p.Int(hookLimit)}},
	}}}})
	l.Check(at, p.CheckJSON, p.Key("hooks", "PreToolUse"))
}
