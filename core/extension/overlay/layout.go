package overlay

import (
	"context"
	"path"

	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// mirror is where the session's skills lie, below it each root by its own name.
const mirror = "extension-skills"

// Prepare implements preparer.Preparer.
func (o *Overlay) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Endpoint != nil {
		return nil, p.Refuse("extension.no-endpoint", "an extension says of no agent how it is bound to a model endpoint", "prepare the session without one")
	}
	l := p.NewLayout()
	if r.Inputs[inHidden].Exists {
		l.FirstPrompt(r.Instructions.Text())
	} else {
		l.Block(p.Workspace(o.prep.Instructions()), []p.Base{p.Current(), p.Empty()}, r.Instructions.Text())
	}
	h := o.prep.Home
	if h == nil {
		// The agent reads its own home, and finds skills where it always looks.
		if r.Skills.Count > 0 {
			for _, dir := range o.mirrors() {
				l.Skills(p.PlaceSkills{At: dir, Reserve: []string{inRoots}})
			}
		}
		return l, nil
	}
	home := p.Session(h.DirName)
	l.Dir(home)
	l.Set(h.EnvVar, home.Value())
	enabled := o.plugins(l, r, home)
	var mirrored []p.Value
	if r.Skills.Count > 0 {
		mirrored = o.skills(l)
	}
	if o.sourced() {
		for i, f := range h.Copies() {
			l.Copy(home.Join(f), inCopy(i))
		}
		for i, f := range h.LoginFiles {
			l.Login(p.Login{At: home.Join(f.Path), Input: inLogin(i), JSON: path.Ext(f.Path) == ".json", Lock: f.Lock})
		}
		for _, dir := range h.SharedDirs {
			l.MakeShare(home.Join(dir), p.At(o.source(), dir))
		}
	}
	if h.Edits() {
		o.configure(l, r, h, mirrored, enabled)
	}
	return l, nil
}

// skills places the session's skills, and answers the paths of their directories.
func (o *Overlay) skills(l *p.Layout) []p.Value {
	var at []p.Value
	for _, dir := range o.mirrors() {
		e := p.PlaceSkills{At: dir, Copy: true, Reserve: []string{inRoots}}
		if h := o.prep.Home; h.UserHomeSkillDir != "" && o.sourced() {
			e.Reserve = append(e.Reserve, inSkills)
		}
		l.Skills(e)
		at = append(at, dir.Value())
	}
	return at
}

// configure edits the configuration file: the user's own directories of skills come first, then the session's, then the
// one in the user's home, and plugins are added behind the user's. Without a file of the user's there is one only when there
// is something to say.
func (o *Overlay) configure(l *p.Layout, r p.Request, h *runtimeprep.Home, mirrored, enabled []p.Value) {
	var edits []p.Edit
	var add []p.Value
	if key := p.KeyPath(h.ExternalDirsKey); len(key) > 0 {
		if r.Options.Inherit.None(p.Skills) {
			edits = append(edits, p.Delete(key))
		} else if o.sourced() {
			edits = append(edits, p.Rebase(key, o.source()))
		}
		edits = append(edits, p.Distinct(key))
		if h.IncludeSkillRoots {
			add = append(add, mirrored...)
		}
		if h.IncludeUserHomeDir && r.Inputs[inSkills].Exists && !r.Options.Inherit.None(p.Skills) {
			add = append(add, p.InputPath{Input: inSkills})
		}
		if len(add) > 0 {
			edits = append(edits, p.Append(key, p.ListPaths, add...))
		}
	}
	if len(enabled) > 0 {
		edits = append(edits, p.Append(h.PluginsKey, p.ListIDs, enabled...))
	}
	var base []p.Base
	if o.sourced() {
		base = append(base, p.FromInput(inConfig))
	}
	if len(add)+len(enabled) > 0 {
		base = append(base, p.Empty())
	}
	if len(base) > 0 {
		l.Merge(p.Session(h.DirName).Join(h.ConfigFile), p.YAML, base, edits...)
	}
}
