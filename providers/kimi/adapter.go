package kimi

import (
	"context"
	"slices"
	"strconv"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Adapter is the adapter for Kimi Code. The zero value is ready.
type Adapter struct{}

var _ p.Preparer = Adapter{}

// root is the session's home of the client.
var root = p.Session("kimi")

// Prepare implements preparer.Preparer.
func (a Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	l, err := p.Begin(ctx, a.Describe(), r)
	if err != nil {
		return nil, err
	}
	l.Set(envHome, root.Value())
	// A session runs the client that was found, for as long as it lasts. Without a depth the client's shell takes itself for
	// one at the far end of a network, reads ~/.bashrc before each command, and so may lose the host's directory on PATH.
	// Daemons have none.
	l.SwitchOn(envNoUpdate, envDepth)
	// Data of the client that came before this one is for the user's own home.
	l.File(root.Join(".skip-migration-from-kimi-cli"))
	if r.Endpoint != nil {
		guard(l)
	}
	// The vendor has no part in a session on an endpoint, and nobody asked whether one without a person's settings may be
	// counted.
	if r.Endpoint != nil || !r.Options.Inherit.All(p.ModelSettings) {
		l.Set(envNoTelemetry, p.S("1"))
	}
	instructions(l, r)
	configuration(l, r)
	servers(l, r)
	plugins(l, r)
	logins(l, r)
	skills(l, r)
	if !r.Target.Has("rg") {
		l.Note(p.Warn("kimi.no-ripgrep", "kimi downloads ripgrep into each session when it searches and finds none on PATH", "install ripgrep"))
	}
	return l, nil
}

// instructions places our text behind the user's. A SYSTEM.md of theirs takes the place of everything that the client
// tells its model, so it has to leave room for ours.
func instructions(l *p.Layout, r p.Request) {
	switch prompt := inSystemPrompt.In(r); {
	case !prompt.Exists || !r.Options.Inherit.All(p.Instructions):
	case roomy(string(prompt.Content)):
		l.Bring(r, inSystemPrompt, root.Join("SYSTEM.md"))
	default:
		l.Note(p.Warn("kimi.system-prompt-left-out", "your SYSTEM.md has no place for instructions or skills, so it stays out of the session",
			"put ${base_prompt}, or ${agents_md} and ${skills_section}, where they belong in it"))
	}
	l.Block(root.Join("AGENTS.md"), inInstructions.Base(r), r.Instructions.Text())
}

// roomy says whether a system prompt of the user's has a place for instructions and skills.
func roomy(prompt string) bool {
	has := func(name string) bool { return strings.Contains(prompt, "${"+name+"}") }
	return has("base_prompt") || has("agents_md") && (has("skills_section") || has("skills"))
}

// plugins lists the user's plugins, which stay where they are. The client runs without any when it cannot read the list.
func plugins(l *p.Layout, r p.Request) {
	at := root.Join("plugins/installed.json")
	if r.Options.Inherit.None(p.Plugins) || !inInstalled.In(r).Exists {
		return
	}
	var edits []p.Edit
	for _, id := range inPlugins.LeftOut(r) {
		edits = append(edits, p.Upsert(p.Key("plugins"), "id",
			p.Object{"id": p.S(id), "root": inPlugins.Below(id), "enabled": p.Bool(false)}))
	}
	l.CheckedMerge(at, p.JSON, []p.Base{p.FromInput(inInstalled.Name)}, edits, p.Key("plugins"))
}

// skills places the user's skills, and ours beside them. The client looks into folders in the order of their names, and
// takes the first skill of a name, so that the user's keep theirs.
func skills(l *p.Layout, r p.Request) {
	in, dir := r.Options.Inherit, root.Join("skills")
	if in.All(p.Skills) {
		// As a whole, for what the client finds there and nobody else does, such as names that begin with a dot.
		l.Share(dir.Join("from-home"), p.At(home, "skills"))
	} else {
		l.Bring(r, inSkills, dir)
	}
	l.Bring(r, inSkillFiles, dir) // a file that is a link is passed over
	for i, name := range in.LeftOut(p.Skills, ".md", slices.Concat(inSharedTrees.In(r).Names, inSharedFiles.In(r).Names)...) {
		// Hidden by one that no model is shown: the first of a name counts, and the session's come before those.
		l.File(dir.Join("greenroom-left-out").Join(strconv.Itoa(i)).Join("SKILL.md"), p.S("---\nname: "), p.Quote(p.JSON, p.S(name)),
			p.S("\ndescription: \"-\"\ndisable-model-invocation: true\n---\n-\n"))
	}
	if in.LeftIn(inSharedTrees.In(r), inSharedSkills.In(r)) {
		l.Note(p.Warn("kimi.grouped-skills-stay",
			"kimi finds the skills below ~/.agents/skills by itself, and those in folders of it cannot be left out",
			"keep each skill directly in that directory, or in the skills directory of kimi"))
	}
	// Core gives way when a skill of the user's has the name of the directory. What a conversation was told of ours at its
	// beginning, it is told to its end.
	l.OurSkills(r, p.PlaceSkills{At: dir.Join("greenroom"), Keep: true,
		Reserve: r.Reserve(inSkills, inSharedSkills, inProjectSkills)})
}
