package capability

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Request is what is resolved.
type Request struct {
	Profile    DeploymentProfile
	Identity   Identity // completes that of the profile
	Texts      *canon.Set
	Descriptor preparer.Descriptor
	// Context goes to sources of skills, and nowhere else.
	Context     SkillContext
	General     bool
	BrowserUse  bool
	ComputerUse bool
	RTK         bool // the session's commands run through rtk
	// Commands is the snapshot of this preparation. Nil: none.
	Commands   *command.Snapshot
	Connectors *connector.Context
	Agent      canon.Agent
	Sources    []SkillSource
	Extra      []SkillSpec // of the session
	SkipSkills bool
	// Memo remembers what sessions come to. It may be nil.
	Memo *Memo
}

// Resolved is everything that a session is told and gets, before names are given to skills. With a Memo it is shared, and
// nothing of it may be changed.
type Resolved struct {
	// Facts render the documents and the canonical skills.
	Facts canon.Facts
	// Skills are all of them, in order: those of packs, of sources, and of the session.
	Skills   []Skill
	Sections []Section
	Env      []EnvVar
	// Digest is the same for equal results only.
	Digest string
}

// Skill is a skill and who brings it.
type Skill struct {
	skill.Skill
	Source string
}

// Section is a section of the documents and who brings it.
type Section struct {
	Key      string // "<pack>/<key>"
	Pack     string
	Anchor   Anchor
	Delivery Delivery
}

// EnvVar is a variable and the pack that sets it.
type EnvVar struct{ Name, Value, Pack string }

// Resolve resolves a session: what is returned is whole, and an error names what is wrong with what.
func Resolve(ctx context.Context, r Request) (*Resolved, error) {
	r.Profile = r.Profile.Complete()
	host, err := r.Profile.HostFacts.Complete()
	if err != nil {
		return nil, err
	}
	id := r.Profile.Identity.Or(r.Identity).Or(DefaultIdentity())
	if r.Commands == nil {
		r.Commands = command.Empty(id.CLI)
	}
	if r.Connectors != nil {
		if err := r.Connectors.Check(); err != nil {
			return nil, err
		}
	}
	res := &resolution{request: r, owners: map[string]string{}, names: map[string]bool{}}
	res.view = View{
		Workspace: r.Context.WorkspaceID, SkillNames: r.Descriptor.Skills.Names, NativeImages: r.Descriptor.NativeImages,
		General: r.General, BrowserUse: r.BrowserUse, ComputerUse: r.ComputerUse, HostFacts: host,
		Commands: r.Commands, Connectors: r.Connectors, EnvPrefix: id.EnvPrefix, Texts: r.Texts,
	}
	packs := r.Profile.Packs
	if r.RTK {
		packs = append(slices.Clip(packs), shortOutput())
	}
	for _, p := range packs {
		if err := res.pack(ctx, p); err != nil {
			return nil, err
		}
	}
	if err := res.others(ctx); err != nil {
		return nil, err
	}
	if r.SkipSkills || r.Descriptor.Skills.Kind == preparer.NoSkills {
		res.canonical, res.skills = nil, nil
	}
	out := &Resolved{Sections: res.order(), Env: res.env, Facts: canon.Facts{
		Product: id.Product, CLI: id.CLI, EnvPrefix: id.EnvPrefix, Title: r.Profile.Title, Intro: r.Profile.Intro,
		SkillNames: r.Descriptor.Skills.Names, NativeImages: r.Descriptor.NativeImages, Sandboxed: r.Descriptor.Sandboxed, General: r.General, Host: host,
		Commands: r.Commands, Connectors: r.Connectors, Agent: r.Agent, Skills: append([]string{}, res.canonical...),
	}}
	for _, s := range res.sections {
		out.Facts.Policy = append(out.Facts.Policy, s.Policy)
	}
	for _, s := range res.skills {
		if s.Files != nil {
			out.Facts.Others = append(out.Facts.Others, canon.Other{ID: s.ID, Name: s.Name})
		}
	}
	out.Skills = res.skills
	out.Digest = out.digest()
	if known := r.Memo.get(out.Digest); known != nil {
		return known, nil
	}
	// What is remembered must not change with what belongs to the caller.
	out.Facts.Connectors, out.Facts.Agent = out.Facts.Connectors.Clone(), out.Facts.Agent.Clone()
	if out.Skills, err = res.all(r.Texts, out.Facts); err != nil {
		return nil, err
	}
	r.Memo.put(out)
	return out, nil
}

// resolution is one under way.
type resolution struct {
	request   Request
	view      View
	names     map[string]bool   // of packs
	owners    map[string]string // of variables, in capitals
	sections  []orderedSection
	canonical []string
	skills    []Skill // without files: a canonical one
	env       []EnvVar
}

type orderedSection struct {
	canon.Policy
	pack  string
	order int
}

func refuse(pack, detail string) *fault.Error {
	return fault.New(fault.Profile, "resolve capabilities", "pack "+fmt.Sprintf("%.80q", pack), detail).
		WithHint("the host's deployment profile is at fault")
}

func (r *resolution) pack(ctx context.Context, p CapabilityPack) error {
	switch {
	case strings.TrimSpace(p.Name) == "" || p.Resolve == nil:
		return refuse(p.Name, "it has no name, or nothing that resolves it")
	case !isName(p.Name):
		return refuse(p.Name, "its name is too long, or holds what is not printed")
	case r.names[p.Name]:
		return refuse(p.Name, "two packs of the profile have this name")
	}
	r.names[p.Name] = true
	c, err := p.Resolve(ctx, r.view)
	if err != nil {
		if ctx.Err() != nil {
			return fault.Wrap(err, fault.Deadline, "resolve capabilities", "pack "+p.Name, "the time was up, or the caller gave up")
		}
		return fault.Wrap(err, fault.Profile, "resolve capabilities", "pack "+p.Name, "it failed").WithHint("what the pack says is the cause of this error, and no part of its text")
	}
	if !c.Enabled {
		return nil
	}
	for _, id := range c.Canonical {
		r.canonical = append(r.canonical, id)
		r.skills = append(r.skills, Skill{skill.Skill{ID: id}, "pack:" + p.Name})
	}
	if err := r.add(c.Skills, "pack:"+p.Name); err != nil {
		return err
	}
	for i, s := range c.PolicySections {
		if err := r.section(p.Name, i, s); err != nil {
			return err
		}
	}
	return r.environment(p.Name, c.EnvOverlay)
}

// isName says whether a name can stand in a message and in what people are shown.
func isName(name string) bool {
	return len(name) <= 128 && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (r *resolution) section(pack string, i int, s PolicySection) error {
	if s.Key == "" {
		s.Key = fmt.Sprintf("section-%d", i)
	}
	key := pack + "/" + s.Key
	switch {
	case !isName(s.Key):
		return refuse(pack, fmt.Sprintf("the key %.80q of a section is too long, or holds what is not printed", s.Key))
	case !slices.Contains(canon.Anchors(), s.Anchor):
		return refuse(pack, fmt.Sprintf("section %.80q has the unknown anchor %.40q", s.Key, s.Anchor))
	case !slices.Contains([]Delivery{Everywhere, ProviderRuntime, SkillBundle}, s.Delivery):
		return refuse(pack, fmt.Sprintf("section %.80q has the unknown delivery %.40q", s.Key, s.Delivery))
	case slices.ContainsFunc(r.sections, func(o orderedSection) bool { return o.Key == key }):
		return refuse(pack, fmt.Sprintf("two sections have the key %.80q", s.Key))
	case strings.TrimSpace(s.Body) == "":
		return nil
	}
	r.sections = append(r.sections, orderedSection{canon.Policy{Anchor: s.Anchor, Key: key, Delivery: s.Delivery, Body: s.Body}, pack, s.Order})
	return nil
}

// order sorts the sections by anchor, order and key.
func (r *resolution) order() []Section {
	slices.SortStableFunc(r.sections, func(a, b orderedSection) int {
		if d := slices.Index(canon.Anchors(), a.Anchor) - slices.Index(canon.Anchors(), b.Anchor); d != 0 {
			return d
		}
		if a.order != b.order {
			if a.order < b.order {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Key, b.Key)
	})
	var list []Section
	for _, s := range r.sections {
		list = append(list, Section{Key: s.Key, Pack: s.pack, Anchor: s.Anchor, Delivery: s.Delivery})
	}
	return list
}

// digest tells results apart by everything that sessions get of them. Canonical skills follow from the facts, and need not
// be rendered yet.
func (o *Resolved) digest() string {
	h := sha256.New()
	add := func(data []byte) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(data)))
		h.Write(size[:])
		h.Write(data)
	}
	add(o.Facts.Key())
	for _, s := range o.Sections {
		add([]byte(s.Pack))
	}
	for _, e := range o.Env {
		add([]byte(e.Name + "=" + e.Value))
		add([]byte(e.Pack))
	}
	for _, s := range o.Skills {
		if s.Files == nil {
			add([]byte(s.Source + "\x00" + s.ID))
			continue
		}
		add([]byte(s.Source + "\x00" + s.ID + "\x00" + s.Name))
		for _, name := range slices.Sorted(maps.Keys(s.Files)) {
			add([]byte(name))
			add(s.Files[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func clone(s skill.Skill) skill.Skill {
	s.Files = maps.Clone(s.Files)
	for name, data := range s.Files {
		s.Files[name] = bytes.Clone(data)
	}
	return s
}
