package opencode

import (
	"context"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Adapter is the adapter for OpenCode. The zero value is ready.
type Adapter struct{}

var _ p.Preparer = Adapter{}

// sdk is what the client installs into each of its configuration directories, for plugins and tools that import it.
const sdk = "@opencode-ai/plugin"

// Prepare implements preparer.Preparer.
func (Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e := r.Endpoint; e != nil && e.Protocol != p.OpenAI {
		return nil, p.Refuse("opencode.wrong-protocol", "opencode is bound to endpoints of the openai protocol only",
			"name one with chat completions")
	}

	l, root := p.NewLayout(), p.Session("opencode")
	file := root.Join("opencode.json")
	l.File(root.Join("AGENTS.md"), r.Instructions.Text())
	if r.Skills.Count > 0 {
		ours := root.Join("skills/greenroom")
		l.Skills(p.PlaceSkills{At: ours, Reserve: []string{inSkills, inSharedSkills, inProjectSkills, inProjectShared}})
		l.Check(ours, p.CheckDir)
	}
	leaveUninstalled(l, root)

	c := &config{layout: l, request: r, root: root, permission: p.Object{}, doc: p.Object{
		"$schema": p.S("https://opencode.ai/config.json"), "autoupdate": p.Bool(false), "share": p.S("disabled"),
	}}
	c.instructions()
	c.exclude()
	c.approve()
	if r.Endpoint != nil {
		c.bind()
	} else {
		l.Strip(keyVar) // of a session that this one was started in
	}
	c.serve()
	if secret(r) {
		c.excludeProject()
	}
	if len(c.permission) > 0 {
		c.doc["permission"] = c.permission
	}
	l.Document(file, p.JSON, c.doc)
	l.Check(file, p.CheckJSON)

	// The directory is read after the project's own files, which the file alone is not.
	l.Set(envDir, root.Value())
	l.Set(envFile, file.Value())
	// The client has a catalog of models within, and asks for a newer one at each start.
	l.Set(envNoCatalog, p.S("1"))
	l.Set(envNoUpdate, p.S("1"))
	l.Set(envNoServers, p.S("1"))
	if !r.Target.Has("rg") {
		l.Note(p.Warn("opencode.no-ripgrep", "skills cannot be loaded without ripgrep, which the client then tries to download",
			"install ripgrep, so that rg is on PATH"))
	}
	return l, nil
}

// leaveUninstalled makes a directory look to the client as if it had installed its plugin interface there. Nothing of
// ours imports that, and the client would fetch it for each session anew, and wait for it where the user has plugins.
func leaveUninstalled(l *p.Layout, root p.Place) {
	l.Dir(root.Join("node_modules"))
	l.Document(root.Join("package-lock.json"), p.JSON, p.Object{
		"lockfileVersion": p.Int(3),
		"packages":        p.Object{"": p.Object{"dependencies": p.Object{sdk: p.S("*")}}},
	})
}

// config is the session's opencode.json while it is put together.
type config struct {
	layout     *p.Layout
	request    p.Request
	root       p.Place
	doc        p.Object
	permission p.Object
}

// instructions lists files that the client would read but for this session.
func (c *config) instructions() {
	files := p.List{}
	// It reads one file of a person's: that of its configuration directory, where ours stands now.
	if c.request.Inputs[inInstructions].Exists && c.request.Options.Inherit.All(p.Instructions) {
		files = append(files, p.InputPath{Input: inInstructions})
	}
	if secret(c.request) && c.request.Inputs[inProjectInstructions].Exists {
		files = append(files, p.InputPath{Input: inProjectInstructions})
	}
	if len(files) > 0 {
		c.doc["instructions"] = files
	}
}

// rules adds rules of permission for one tool. A value that is not a table would be lost when ours is laid over it, so
// it is written out as the rule that it stands for.
func (c *config) rules(into p.Object, tool string, rules p.Object, path p.KeyPath) {
	for _, name := range configs {
		if v, ok := c.request.Inputs[name].Values[path.String()]; ok {
			rules["*"] = v
		}
	}
	into[tool] = rules
}
