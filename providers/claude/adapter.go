package claude

import (
	"context"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Adapter is the adapter for Claude Code. The zero value is ready.
type Adapter struct{}

var _ p.Preparer = Adapter{}

// plugin is the name that the model sees in front of each skill of ours, as in tutti-cli:tutti. Hosts and canonical
// texts know it, so it never changes.
const plugin = "tutti-cli"

// skillBudget is how many characters the client may spend on its list of skills. Its default cuts descriptions short
// as soon as a user has a few dozen skills of their own.
const skillBudget = "20000"

// Prepare implements preparer.Preparer.
func (Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Endpoint != nil {
		if err := served(r); err != nil {
			return nil, err
		}
	}

	l, root := p.NewLayout(), p.Session("claude")
	prompt, pluginDir := root.Join("system-prompt.md"), root.Join("plugin")
	manifest := pluginDir.Join(".claude-plugin/plugin.json")

	l.File(prompt, r.Instructions.Text())
	l.Document(manifest, p.JSON, p.Object{
		"name": p.S(plugin), "version": p.S(version), "author": p.Object{"name": p.S("Greenroom")},
	})
	if r.Skills.Count > 0 {
		// The folder itself is the link to the bundle: the client follows it and writes nothing there.
		l.Skills(p.PlaceSkills{At: pluginDir.Join("skills")})
		l.Check(pluginDir.Join("skills"), p.CheckDir)
	}
	// A plugin that is missing or has a broken manifest is passed over in silence, with exit code 0.
	l.Check(pluginDir, p.CheckDir)
	l.Check(manifest, p.CheckJSON, p.Key("name"))

	servers(l, r, root.Join("mcp.json"))
	// The client does not store the prompt with the conversation: it has to come again with each resume.
	l.Args(p.S(flagPrompt), prompt.Value(), p.S(flagPlugin), pluginDir.Value())
	l.Set(envBudget, p.S(skillBudget))
	l.Strip(childMarkers...)
	if r.Endpoint != nil {
		bind(l, r.Endpoint)
	}

	exclude(l, r, root.Join("settings.json"))
	return l, nil
}
