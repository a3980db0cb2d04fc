package cursor

import (
	"context"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Adapter is the adapter for the Cursor Agent CLI. The zero value is ready.
type Adapter struct{}

var _ p.Preparer = Adapter{}

// plugin is the name of the session's plugin. The client takes lower case letters, digits, dots and dashes.
const plugin = "tutti-cli"

// Prepare implements preparer.Preparer.
func (a Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	l, err := p.Begin(ctx, a.Describe(), r)
	if err != nil {
		return nil, err
	}
	dir := p.Session("cursor/plugin")
	manifest, skills := dir.Join(".cursor-plugin/plugin.json"), dir.Join("skills")
	l.CheckedDocument(manifest, p.JSON, p.Object{
		"name":        p.S(plugin),
		"displayName": p.S("Session"),
		"version":     p.S(version),
		"description": p.S("Skills of this session."),
		"author":      p.Object{"name": p.S("Greenroom")},
		"license":     p.S("UNLICENSED"),
		"skills":      p.S("./skills/"),
		// Said, so that no rules are looked for: what a rule would say goes with the first prompt, and must not come twice.
		"rules": p.List{},
	}, p.Key("name"), p.Key("skills"))

	l.FirstPrompt(r.Instructions.Text())
	l.OurSkills(r, p.PlaceSkills{At: skills, Reserve: p.NamesOf(inSkills, inProjectSkills), Copy: true})
	if r.Skills.Count > 0 {
		l.FirstPrompt(p.SkillCatalog{At: skills})
	} else {
		l.Dir(skills) // the manifest names it
	}

	if r.RTK != nil { // it keeps nothing of a tool's input but the command
		l.CheckedDocument(dir.Join("hooks/hooks.json"), p.JSON, p.Object{"version": p.Int(1), "hooks": p.Object{"preToolUse": p.List{
			p.Object{"matcher": p.S("Shell"), "timeout": p.Int(2), "command": l.HookRTK(r, p.Session("cursor/no-rules"), "hook cursor")},
		}}}, p.Key("version"), p.Key("hooks"))
	}

	// Flags of the program have to stand in front of its command, which the host adds.
	l.Args(p.S(flagPlugin), dir.Value())
	if r.Trusted() {
		l.Args(p.S(flagTrust))
	}
	return l, nil
}
