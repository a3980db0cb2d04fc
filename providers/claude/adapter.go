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

// skillBudget is how many characters the client may spend on its list of skills. Its own choice depends on how much the
// model reads at once: with a model that it does not know, descriptions are cut as soon as a user has a dozen skills. This
// is more than it spends for any model, so that nobody has less with us than without.
const skillBudget = "40000"

// Prepare implements preparer.Preparer.
func (a Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	l, err := p.Begin(ctx, a.Describe(), r)
	if err == nil && r.Endpoint != nil {
		err = undiverted(r)
	}
	if err != nil {
		return nil, err
	}
	root := p.Session("claude")
	prompt, dir := root.Join("system-prompt.md"), root.Join("plugin")
	l.File(prompt, r.Instructions.Text())
	// The folder itself is the link to the bundle: the client follows it and writes nothing there.
	l.OurSkills(r, p.PlaceSkills{At: dir.Join("skills")})
	shorten(l, r, root)
	// A plugin that is missing or has a broken manifest is passed over in silence, with exit code 0.
	l.Check(dir, p.CheckDir)
	l.CheckedDocument(dir.Join(".claude-plugin/plugin.json"), p.JSON, p.Object{
		"name": p.S(plugin), "version": p.S(version), "author": p.Object{"name": p.S("Greenroom")},
	}, p.Key("name"))

	servers(l, r, root.Join("mcp.json"))
	// The client does not store the prompt with the conversation: it has to come again with each resume.
	l.Args(p.S(flagPrompt), prompt.Value(), p.S(flagPlugin), dir.Value())
	l.Set(envBudget, p.S(skillBudget))
	l.Strip(childMarkers...)
	if r.Endpoint != nil {
		bind(l, r.Endpoint)
	}
	exclude(l, r, root.Join("settings.json"))
	return l, nil
}

// servers gives the client the host's MCP servers in a file of their own, which counts beside the user's and with the flag
// that leaves all others out. The client puts in the values of variables when it reads the file.
func servers(l *p.Layout, r p.Request, file p.Place) {
	files := l.ServerFile(r, file, "${", "}")
	in, state := r.Options.Inherit, inState.In(r)
	// In print mode the client connects those of the project and of every directory above it unasked, and gives them what
	// variables they name. The user's come back by the file that the client keeps them in; without any it takes none.
	if none := in.None(p.MCPServers); none || r.Trusted() && r.Secretive() {
		l.Args(p.S(flagOnlyMCP))
		if !none && len(state.Items(serverType))+len(state.Items(serverCommand)) > 0 && in.All(p.ModelSettings) {
			files = append(files, inState.Path())
		}
		if !none || inProjectMCP.In(r).Exists && r.Trusted() {
			l.Note(p.Tell("claude.project-mcp-left-out", "the mcp servers of the project, of plugins and of the account stay out together, "+
				"where those of the user do or the session has credentials: one flag takes all", ""))
		}
	}
	if len(files) > 0 {
		// The flag takes every argument up to the next flag for a file, so it must not come last.
		l.Args(append([]p.Value{p.S(flagMCP)}, files...)...)
	}
}
