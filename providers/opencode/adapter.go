package opencode

import (
	"context"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Adapter is the adapter for OpenCode. The zero value is ready.
type Adapter struct{}

var _ p.Preparer = Adapter{}

// root is the session's configuration directory.
var root = p.Session("opencode")

// session is the session while it is put together: its layout and its opencode.json.
type session struct {
	*p.Layout
	p.Request
	doc p.Object
}

// Prepare implements preparer.Preparer.
func (a Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	l, err := p.Begin(ctx, a.Describe(), r)
	if err != nil {
		return nil, err
	}
	l.Brief(r, root.Join("AGENTS.md"))
	l.OurSkills(r, p.PlaceSkills{At: root.Join("skills/greenroom"),
		Reserve: p.NamesOf(inSkills, inSharedSkills, inProjectSkills, inProjectShared)})
	// The directory looks to the client as if it had installed there what plugins and tools import. Nothing of ours does, and
	// the client would fetch it for each session anew, and wait for it where the user has plugins.
	l.Dir(root.Join("node_modules"))
	l.Document(root.Join("package-lock.json"), p.JSON, p.Object{
		"lockfileVersion": p.Int(3),
		"packages":        p.Object{"": p.Object{"dependencies": p.Object{"@opencode-ai/plugin": p.S("*")}}},
	})
	shorten(l, r, root.Join("plugins/rtk.js"))

	s := &session{Layout: l, Request: r, doc: p.Object{
		"$schema": p.S("https://opencode.ai/config.json"), "autoupdate": p.Bool(false), "share": p.S("disabled"),
	}}
	// It reads one file of a person's: that of its configuration directory, where ours stands now.
	if inInstructions.In(r).Exists && r.Options.Inherit.All(p.Instructions) {
		s.doc.Append("instructions", inInstructions.Path())
	}
	s.exclude()
	s.approve()
	if r.Endpoint != nil {
		s.bind()
	}
	s.serve()
	if !r.TakesProject() {
		s.excludeProject()
	}
	file := root.Join("opencode.json")
	l.CheckedDocument(file, p.JSON, s.doc)

	// The directory is read after the project's own files, which the file alone is not.
	l.Set(envDir, root.Value())
	l.Set(envFile, file.Value())
	l.SwitchOn(lists["quiet"]...)
	if !r.Target.Has("rg") {
		l.Note(p.Warn("opencode.no-ripgrep", "skills cannot be loaded without ripgrep, which the client then tries to download",
			"install ripgrep, so that rg is on PATH"))
	}
	return l, nil
}

// serve gives the client the host's MCP servers. It puts in the values of variables when it reads the file. Every switch
// that could be off in a file deeper down is said.
func (s *session) serve() {
	for _, server := range s.Servers {
		s.doc.In("mcp")[server.Name] = p.Object{"type": p.S("remote"), "url": p.S(server.URL),
			"headers": server.HeaderVars("{env:", "}"), "enabled": p.Bool(true), "oauth": p.Bool(false)}
	}
	if s.HasServerVars() {
		s.Note(p.Warn("opencode.server-credentials-in-environment",
			"commands, servers, plugins and tools that opencode runs in this session see the credentials of the host's mcp servers",
			"give servers credentials that are good for this session only"))
	}
}
