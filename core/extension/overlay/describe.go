package overlay

import (
	"fmt"
	"path"
	"strings"

	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The inputs. Copies and logins are numbered.
const (
	inHidden, inConfig, inSkills, inRoots = "hidden-by", "config", "skills", "skill-roots"
)

func inCopy(i int) string  { return fmt.Sprintf("copy-%d", i+1) }
func inLogin(i int) string { return fmt.Sprintf("login-%d", i+1) }

// source is the id of the user's own home of the agent: the key, in the letters that an id has.
func (o *Overlay) source() string {
	id := strings.NewReplacer(".", "-", "_", "-").Replace(o.agent.Key)
	return id[:min(len(id), 64)]
}

// sourced says whether the declaration says where the user's own home is.
func (o *Overlay) sourced() bool {
	h := o.prep.Home
	return h != nil && (h.SourceEnvVar != "" || h.SourceDefaultRel != "")
}

func (o *Overlay) at(path string) []p.Location { return []p.Location{p.At(o.source(), path)} }

func (o *Overlay) describe() p.Descriptor {
	d := p.Descriptor{
		Provider: o.Provider(), Version: o.agent.Version,
		Client: p.Client{Executables: o.agent.Executables, Supported: o.agent.Supported, Transport: p.ACP, TransportArgs: o.agent.Args},
		// A file in the workspace is shared by the sessions there; where another holds it, the first prompt is left.
		Instructions: []p.Channel{p.WorkspaceFile, p.FirstPrompt},
		Skills:       p.SkillChannel{Kind: p.NoSkills},
		Rewrite:      o.rewrite(),
		Inherit:      map[p.Kind]p.Exclusion{p.Skills: {How: p.ByLayout}},
	}
	if d.Rewrite == p.ClientPlugin {
		d.RewriteSupported = o.agent.Supported // other versions may have other ways to load a plugin, and to be answered by one
	}
	if len(o.mirrors()) > 0 {
		d.Skills = p.SkillChannel{Kind: p.SkillDirectory, Nested: true, Links: o.prep.Home == nil, Names: p.PlainNames}
	}
	if len(o.prep.HiddenBy) > 0 {
		in := p.Input{Name: inHidden, Kind: p.InputFile}
		for _, f := range o.prep.HiddenBy {
			in.At = append(in.At, p.AtWorkspace(f).UpToGitRoot())
		}
		d.Inputs = append(d.Inputs, in)
	}
	if in := o.roots(); len(in.At) > 0 {
		d.Inputs = append(d.Inputs, in)
	}
	if h := o.prep.Home; h != nil {
		d.Env = []string{h.EnvVar}
		if o.sourced() {
			d.Homes = []p.Home{{ID: o.source(), Env: h.SourceEnvVar, Default: h.SourceDefaultRel, WindowsNative: true}}
			d.Inputs = append(d.Inputs, o.files(h)...)
			d.OwnState = o.own(h)
		}
	}
	return d
}

// own is what the agent writes through links: logins with their locks, and what sessions share.
func (o *Overlay) own(h *runtimeprep.Home) []p.Location {
	var list []p.Location
	for _, l := range h.LoginFiles {
		list = append(list, p.At(o.source(), l.Path))
		if l.Lock != "" {
			list = append(list, p.At(o.source(), path.Join(path.Dir(l.Path), l.Lock)))
		}
	}
	for _, dir := range h.SharedDirs {
		list = append(list, p.At(o.source(), dir))
	}
	return list
}

// mirrors are the directories that the skills of a session lie in: one of the session's for each root that the agent has in
// a workspace, or without a home of the session's own, these roots.
func (o *Overlay) mirrors() []p.Place {
	var at []p.Place
	for _, root := range o.agent.Roots {
		switch {
		case root.Scope != runtimeprep.Workspace:
		case o.prep.Home == nil:
			at = append(at, p.Workspace(root.Path))
		default:
			at = append(at, p.Session(mirror).Join(root.Path))
		}
	}
	return at
}

// roots are the names of the skills that the agent finds by itself. None of ours takes one of them.
func (o *Overlay) roots() p.Input {
	in := p.Input{Name: inRoots, Kind: p.InputNames, Filter: p.FilterLinkedSkillTrees}
	for _, r := range o.agent.Roots {
		if r.Scope == runtimeprep.User {
			in.At = append(in.At, p.AtUser(r.Path))
		} else {
			in.At = append(in.At, p.AtWorkspace(r.Path))
		}
	}
	return in
}

// files are what is looked at in the user's own home.
func (o *Overlay) files(h *runtimeprep.Home) []p.Input {
	var list []p.Input
	for i, f := range h.Copies() {
		list = append(list, p.Input{Name: inCopy(i), Kind: p.InputFile, At: o.at(f), Secret: true, Inside: true})
	}
	for i, l := range h.LoginFiles {
		list = append(list, p.Input{Name: inLogin(i), Kind: p.InputFile, At: o.at(l.Path), Secret: true})
	}
	if h.Edits() {
		// It may be a link, since it is no opaque copy: what is no document of its format is refused.
		list = append(list, p.Input{Name: inConfig, Kind: p.InputFile, At: o.at(h.ConfigFile), Secret: true, Format: p.YAML,
			Carries: []p.Carry{{Kind: p.ModelSettings}, {Kind: p.Skills, Keys: []p.KeyPath{h.ExternalDirsKey}}}})
	}
	if h.UserHomeSkillDir != "" {
		in := p.Input{Name: inSkills, Kind: p.InputNames, At: o.at(h.UserHomeSkillDir), Filter: p.FilterLinkedSkillTrees}
		if h.IncludeUserHomeDir {
			in.Carries = []p.Carry{{Kind: p.Skills}}
		}
		list = append(list, in)
	}
	return list
}
