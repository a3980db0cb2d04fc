package kimi

import (
	"context"
	"maps"
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
func (Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Endpoint != nil {
		if err := served(r.Endpoint); err != nil {
			return nil, err
		}
	}
	l := p.NewLayout()
	l.Set(envHome, root.Value())
	// A session runs the client that was found, for as long as it lasts.
	l.Set(envNoUpdate, p.S("1"))
	// Without it the client's shell takes itself for one at the far end of a network, reads ~/.bashrc before each command,
	// and so may lose the host's directory on PATH. Daemons have none.
	l.Set(envDepth, p.S("1"))
	// Data of the client that came before this one is for the user's own home.
	l.File(root.Join(".skip-migration-from-kimi-cli"))
	if r.Endpoint != nil {
		endpoint(l, r.Endpoint)
	} else {
		l.Strip(keyVar)
	}
	// The vendor has no part in a session on an endpoint, and nobody asked whether one without a person's settings may be
	// counted.
	if r.Endpoint != nil || !r.Options.Inherit.All(p.ModelSettings) {
		l.Set(envNoTelemetry, p.S("1"))
	}
	instructions(l, r)
	configuration(l, r)
	settings(l, r)
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
	base := []p.Base{p.Empty()}
	if r.Options.Inherit.All(p.Instructions) {
		base = []p.Base{p.FromInput(inInstructions), p.Empty()}
		if prompt := r.Inputs[inSystemPrompt]; prompt.Exists && roomy(string(prompt.Content)) {
			l.Copy(root.Join("SYSTEM.md"), inSystemPrompt)
		} else if prompt.Exists {
			l.Note(p.Warn("kimi.system-prompt-left-out", "your SYSTEM.md has no place for instructions or skills, so it stays out of the session",
				"put ${base_prompt}, or ${agents_md} and ${skills_section}, where they belong in it"))
		}
	}
	l.Block(root.Join("AGENTS.md"), base, r.Instructions.Text())
}

// roomy says whether a system prompt of the user's has a place for instructions and skills.
func roomy(prompt string) bool {
	has := func(name string) bool { return strings.Contains(prompt, "${"+name+"}") }
	return has("base_prompt") || has("agents_md") && (has("skills_section") || has("skills"))
}

// settings places what the user has chosen in files of their own. The client writes to some of them.
func settings(l *p.Layout, r p.Request) {
	if !r.Options.Inherit.All(p.ModelSettings) {
		return
	}
	duplicate(l, r, inTerminal, "tui.toml")
	l.Expose(p.Expose{At: root.Join("themes"), Input: inThemes, Copy: true})
	l.Expose(p.Expose{At: root.Join("agents"), Input: inAgents, Copy: true})
	// Trust in a project lets it bring MCP servers, to which it could give the key of an endpoint or of another server.
	if !secret(r) {
		l.Share(root.Join("workspace-trust"), p.At(home, "workspace-trust"))
	}
}

// plugins lists the user's plugins, which stay where they are. The client runs without any when it cannot read the list.
func plugins(l *p.Layout, r p.Request) {
	in, at := r.Options.Inherit, root.Join("plugins/installed.json")
	if in.None(p.Plugins) || !r.Inputs[inInstalled].Exists {
		return
	}
	var edits []p.Edit
	for _, id := range r.Inputs[inPlugins].Names {
		if !in.Takes(p.Plugins, id) {
			edits = append(edits, p.Upsert(p.Key("plugins"), "id", p.Object{
				"id": p.S(id), "root": p.Concat{p.InputPath{Input: inPlugins}, p.S("/" + id)}, "enabled": p.Bool(false)}))
		}
	}
	l.Merge(at, p.JSON, []p.Base{p.FromInput(inInstalled)}, edits...)
	l.Check(at, p.CheckJSON, p.Key("plugins"))
}

// logins shares the user's login and those of their MCP servers. The client replaces a login by renaming, which a link
// to the file would not survive, and holds a lock beside it while it does: so both directories are the user's own. A
// refresh token is good for one use, and there is never a second copy of it.
//
// A session on an endpoint has no login of the user's: the client needs none there, and cannot use one that it has not.
func logins(l *p.Layout, r p.Request) {
	if r.Endpoint != nil {
		if !r.Options.Inherit.None(p.MCPServers) {
			l.Share(root.Join("credentials/mcp"), p.At(home, "credentials/mcp"))
		}
		return
	}
	l.Share(root.Join("credentials"), p.At(home, "credentials"))
	l.Share(root.Join("oauth"), p.At(home, "oauth"))
	duplicate(l, r, inDevice, "device_id")
	duplicate(l, r, inRegion, "region")
}

// duplicate copies a file of the user's home, if it is there.
func duplicate(l *p.Layout, r p.Request, input, path string) {
	if r.Inputs[input].Exists {
		l.Copy(root.Join(path), input)
	}
}

// shadows is where skills lie that hide one of ~/.agents/skills.
const shadows = "greenroom-left-out"

// skills places the user's skills, and ours beside them. The client looks into folders in the order of their names, and
// takes the first skill of a name, so that the user's keep theirs.
func skills(l *p.Layout, r p.Request) {
	in, dir := r.Options.Inherit, root.Join("skills")
	reserve := []string{inSharedSkills, inProjectSkills}
	if !in.None(p.Skills) {
		reserve = append(reserve, inSkills)
		if in.All(p.Skills) {
			// As a whole, for what the client finds there and nobody else does, such as names that begin with a dot.
			l.Share(dir.Join("from-home"), p.At(home, "skills"))
		} else {
			l.Expose(p.Expose{At: dir, Input: inSkills, Only: chosen(in, "")})
		}
		// A file that is a link is passed over.
		l.Expose(p.Expose{At: dir, Input: inSkillFiles, Only: chosen(in, ".md"), Copy: true})
	}
	for i, name := range leftOut(r) {
		// The first of a name counts, and the session's come before those. No model is shown this one.
		l.File(dir.Join(shadows).Join(strconv.Itoa(i)).Join("SKILL.md"), p.S("---\nname: "), p.Quote(p.JSON, p.S(name)),
			p.S("\ndescription: \"-\"\ndisable-model-invocation: true\n---\n-\n"))
	}
	if slices.ContainsFunc(r.Inputs[inSharedTrees].Names, func(name string) bool {
		return !in.Takes(p.Skills, name) && !slices.Contains(r.Inputs[inSharedSkills].Names, name)
	}) {
		l.Note(p.Warn("kimi.grouped-skills-stay",
			"kimi finds the skills below ~/.agents/skills by itself, and those in folders of it cannot be left out",
			"keep each skill directly in that directory, or in the skills directory of kimi"))
	}
	if r.Skills.Count > 0 {
		at := dir.Join("greenroom") // core gives way when a skill of the user's has this name
		// What a conversation was told of them at its beginning, it is told to its end.
		l.Skills(p.PlaceSkills{At: at, Reserve: reserve, Keep: true})
		l.Check(at, p.CheckDir)
	}
}

// leftOut are the names of the skills in ~/.agents/skills that do not come along, sorted.
func leftOut(r p.Request) []string {
	names := map[string]bool{}
	for _, input := range []string{inSharedTrees, inSharedFiles} {
		for _, item := range r.Inputs[input].Names {
			if name := strings.TrimSuffix(item, ".md"); !r.Options.Inherit.Takes(p.Skills, name) && !r.Options.Inherit.Takes(p.Skills, item) {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// chosen are the names that were chosen, with an ending, or nil for all.
func chosen(in p.Inherit, ending string) []string {
	if in.All(p.Skills) {
		return nil
	}
	var names []string
	for _, name := range in[p.Skills].Names {
		names = append(names, name, name+ending)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
