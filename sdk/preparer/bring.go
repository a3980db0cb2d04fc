package preparer

import (
	"maps"
	"slices"
	"strings"
)

// Bring places an input as far as the kind that it carries comes along, or in any case where it carries none: a file as a
// private copy, and one with a credential as a [Login]; of the children of a directory, files as private copies, because a
// client may write to them, and directories as links. A credential that carries no kind is the user's login to the client,
// and stays out of a session on an endpoint.
func (l *Layout) Bring(r Request, in Input, at Place, except ...string) {
	choice := in.choice(r)
	switch {
	case choice.Mode != All && choice.Mode != Only:
	case in.Kind == InputFile:
		switch {
		case choice.Mode == Only:
		case in.Secret && len(in.Carries) == 0 && r.Endpoint != nil:
		case in.Secret:
			l.Login(Login{At: at, Input: in.Name, JSON: in.Format == JSON})
		case in.In(r).Exists:
			l.Copy(at, in.Name)
		}
	default:
		e := Expose{At: at, Input: in.Name, Except: except, Copy: strings.HasPrefix(in.Filter, ".")}
		if choice.Mode == Only {
			e.Only = []string{}
			for _, name := range choice.Names {
				e.Only = append(e.Only, name)
				if e.Copy && !strings.HasSuffix(name, in.Filter) {
					e.Only = append(e.Only, name+in.Filter)
				}
			}
			slices.Sort(e.Only)
			e.Only = slices.Compact(e.Only)
		}
		l.Expose(e)
	}
}

// choice is how much of the kind that the input carries comes along.
func (i Input) choice(r Request) Choice {
	if len(i.Carries) == 0 {
		return Choice{Mode: All}
	}
	return r.Options.Inherit[i.Carries[0].Kind]
}

// ShareEach shares directories of a client home at the same paths below a place, where something of the kind comes along.
func (l *Layout) ShareEach(r Request, kind Kind, below Place, home string, dirs ...string) {
	if r.Options.Inherit.None(kind) {
		return
	}
	for _, dir := range dirs {
		l.Share(below.Join(dir), At(home, dir))
	}
}

// Base is what a file begins as that holds an input where all of the kind that it carries comes along, and else nothing.
// It ends with [Empty], so that the file is there in any case; nothing comes behind that.
func (i Input) Base(r Request) []Base {
	if i.choice(r).Mode == All {
		return []Base{FromInput(i.Name), Empty()}
	}
	return []Base{Empty()}
}

// Brief adds the file of instructions of a session, for a client that follows a line which leads to another file: the one to
// all about rtk comes first, then what the file begins as, the instructions, and in saver mode the policy.
func (l *Layout) Brief(r Request, at Place, base ...Base) {
	var lead []Value
	if r.RTK != nil {
		lead = []Value{r.RTK.Reference.Text()}
	}
	texts := []Value{r.Instructions.Text()}
	if r.Saver != nil {
		texts = append(texts, r.Saver.Policy.Text())
	}
	switch {
	case len(base) > 0:
		l.add(Block{At: at, Base: base, Body: texts, Lead: lead})
	case lead != nil:
		l.File(at, append(append(lead, S("\n")), texts...)...)
	default:
		l.File(at, texts...)
	}
}

// WorkerModel is the model of the worker in saver mode: the one that was asked for, or that of the endpoint, or "".
func (r Request) WorkerModel() string {
	if r.Saver != nil && r.Saver.Model == "" && r.Endpoint != nil {
		return r.Endpoint.Default
	}
	if r.Saver == nil {
		return ""
	}
	return r.Saver.Model
}

// OurSkills places the session's skills, if it has some, and has the host look that the client will find them.
func (l *Layout) OurSkills(r Request, e PlaceSkills) {
	if r.Skills.Count > 0 {
		l.Skills(e)
		l.Check(e.At, CheckDir)
	}
}

// SkillDir brings the user's skills into a directory of the session, and places ours in one below it. That is called
// greenroom, unless a skill of the user's is. Ours take no name of the user's that come along, nor of those that others
// list.
func (l *Layout) SkillDir(r Request, dir Place, theirs Input, others ...Input) {
	l.Bring(r, theirs, dir)
	l.OurSkills(r, PlaceSkills{At: dir.Join("greenroom"), Reserve: r.Reserve(theirs, others...)})
}

// Reserve are the inputs, for [PlaceSkills], of which ours must take no name: others, and theirs where some of them come
// along.
func (r Request) Reserve(theirs Input, others ...Input) []string {
	names := NamesOf(others...)
	if !r.Options.Inherit.None(Skills) {
		names = append(names, theirs.Name)
	}
	return names
}

// LeftOut are the children of an input, of which the names are learned, that do not come along.
func (i Input) LeftOut(r Request) []string {
	return r.Options.Inherit.LeftOut(i.Carries[0].Kind, "", i.In(r).Names...)
}

// LeaveOutAsking takes servers of the user's out of a table of their configuration that ask for a variable with a
// credential of the host's, the key of an endpoint or one whose name begins with serverVars: they would be sent what is for
// another. What they ask for was learned at the paths. Each that would have come along is told under the code.
func (l *Layout) LeaveOutAsking(r Request, in Input, code, table, serverVars string, paths ...KeyPath) (edits []Edit) {
	asking := map[string]bool{}
	for key, v := range in.In(r).Values {
		for _, path := range paths {
			name, ok := path.item(ParseKey(key))
			text, _ := v.(String)
			ours := text == EndpointKeyVar || serverVars != "" && strings.HasPrefix(string(text), serverVars)
			if ok && ours && r.Options.Inherit.Takes(MCPServers, name) {
				asking[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(asking)) {
		edits = append(edits, Delete(Key(table, name)))
		l.Note(Warn(code, "your mcp server "+name+" asks for a credential of the host's, and stays out of the session",
			"give it a variable of its own"))
	}
	return edits
}

// LeftIn says whether directories of skills that do not come along are listed among trees, and not among the skills that
// can be switched off one by one: what lies deeper in them has no name here.
func (i Inherit) LeftIn(trees, skills Found) bool {
	single := map[string]bool{}
	for _, name := range skills.Names {
		single[name] = true
	}
	for _, name := range trees.Names {
		if !single[name] && !i.Takes(Skills, name) {
			return true
		}
	}
	return false
}
