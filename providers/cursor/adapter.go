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
func (Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Endpoint != nil {
		return nil, p.Refuse("cursor.no-endpoint", "cursor speaks to the models of its vendor only",
			"start the session without a model endpoint")
	}

	l, dir := p.NewLayout(), p.Session("cursor/plugin")
	manifest, skills := dir.Join(".cursor-plugin/plugin.json"), dir.Join("skills")
	l.Document(manifest, p.JSON, p.Object{
		"name":        p.S(plugin),
		"displayName": p.S("Session"),
		"version":     p.S(version),
		"description": p.S("Skills of this session."),
		"author":      p.Object{"name": p.S("Greenroom")},
		"license":     p.S("UNLICENSED"),
		"skills":      p.S("./skills/"),
		// Said, so that no rules are looked for: what a rule would say goes with the first prompt, and must not come twice.
		"rules": p.List{},
	})
	l.Check(manifest, p.CheckJSON, p.Key("name"), p.Key("skills"))

	l.FirstPrompt(r.Instructions.Text())
	if r.Skills.Count > 0 {
		l.Skills(p.PlaceSkills{At: skills, Reserve: []string{inSkills, inProjectSkills}, Copy: true})
		l.Check(skills, p.CheckDir)
		l.FirstPrompt(p.SkillCatalog{At: skills})
	} else {
		l.Dir(skills) // the manifest names it
	}

	if r.RTK != nil { // it keeps nothing of a tool's input but the command
		l.CheckedDocument(dir.Join("hooks/hooks.json"), p.JSON, p.Object{"version": p.Int(1), "hooks": p.Object{"preToolUse": p.List{
			p.Object{"matcher": p.S("Shell"), "timeout": p.Int(2), "command": r.CallsRTK("hook cursor")},
		}}}, p.Key("version"), p.Key("hooks"))
	}

	// Flags of the program have to stand in front of its command, which the host adds.
	l.Args(p.S(flagPlugin), dir.Value())
	if r.Trusted() {
		l.Args(p.S(flagTrust))
	}
	l.Strip(planKey)
	return l, nil
}
