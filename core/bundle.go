package core

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// BundleRequest asks for the skills and the prompt of a session that a host places itself. Its Session needs a workspace
// and a provider; id and working directory may be blank.
type BundleRequest struct {
	Session Session
	// AgentTarget is the host's name of the agent. It is handed back, and nothing else.
	AgentTarget string
}

// SkillBundle is what an agent is told, without any file of a session.
type SkillBundle struct {
	SchemaVersion           int           `json:"schemaVersion"`
	AgentTargetID           string        `json:"agentTargetId"`
	Provider                string        `json:"provider"`
	AgentSessionID          string        `json:"agentSessionId"`
	CLICommand              string        `json:"cliCommand"`
	RecommendedSystemPrompt BundlePrompt  `json:"recommendedSystemPrompt"`
	Skills                  []BundleSkill `json:"skills"`
}

// BundlePrompt is the prompt that goes with a bundle.
type BundlePrompt struct {
	Format  string `json:"format"`
	Content string `json:"content"`
}

// BundleSkill is one skill of a bundle. Its content is that of SKILL.md, which is not among the files again.
type BundleSkill struct {
	SkillID          string       `json:"skillId"`
	Slug             string       `json:"slug"`
	DeliveryMode     string       `json:"deliveryMode"`
	MaterializedPath string       `json:"materializedPath"` // below the directory of skills
	Content          string       `json:"content"`
	Files            []BundleFile `json:"files"` // sorted by path
}

// BundleFile is a further file of a skill.
type BundleFile struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// The schema of a bundle, and how its skills are meant to be placed.
const (
	bundleSchema = 2
	materialized = "materialized-files"
	markdown     = "text/markdown"
)

// RenderSkillBundle renders what Prepare would tell the agent and place, through the same resolution, and touches no
// disk. A session that was prepared keeps its stored projection and the names of its skills here too; for any other one, no
// name is taken by a skill of the user's.
func (h *Host) RenderSkillBundle(ctx context.Context, r BundleRequest) (*SkillBundle, error) {
	s := r.Session.clean()
	for what, id := range map[string]string{"workspace": s.Workspace, "agent target": r.AgentTarget, "provider": s.Provider} {
		if err := checkID(what, id); err != nil {
			return nil, err
		}
	}
	if err := s.Detail.check(); err != nil {
		return nil, err
	}
	end, err := h.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	defer cancel()
	if err := s.extended(); err != nil {
		return nil, err
	}
	desc, _, err := h.answers(s).Descriptor(ctx)
	if err != nil {
		return nil, err
	}
	stored, prior, err := h.before(s)
	if err != nil {
		return nil, err
	}
	projection, err := projectionOf(s, stored)
	if err != nil {
		return nil, err
	}
	if stored != nil && !stored.Equal(projection) {
		return nil, otherProjection(manifest.Name(s.Workspace, s.ID))
	}
	content, err := h.content(ctx, s, desc, projection)
	if err != nil {
		return nil, inTime(ctx, err)
	}
	// Two skills of one name would be one directory: they are told apart as Prepare does it.
	list := make([]skill.Skill, len(content.Skills))
	for i, one := range content.Skills {
		list[i] = one.Skill
	}
	facts := content.Facts
	if facts.Names, err = skill.Resolve(list, nil, desc.Skills.MaxName, prior); err != nil {
		return nil, err
	}
	prompt, err := h.cfg.Content.Bundle(facts)
	if err != nil {
		return nil, err
	}
	b := &SkillBundle{
		SchemaVersion: bundleSchema, AgentTargetID: r.AgentTarget, Provider: s.Provider, AgentSessionID: s.ID, CLICommand: facts.CLI,
		RecommendedSystemPrompt: BundlePrompt{Format: markdown, Content: prompt.Text}, Skills: []BundleSkill{},
	}
	for _, one := range list {
		renamed, err := skill.Named{Name: facts.Names[one.ID], Skill: one}.Renamed()
		if err != nil {
			return nil, err
		}
		made, err := bundled(renamed)
		if err != nil {
			return nil, err
		}
		b.Skills = append(b.Skills, made)
	}
	return b, nil
}

// bundled is a skill as JSON carries it, which takes text only.
func bundled(s skill.Skill) (BundleSkill, error) {
	b := BundleSkill{
		SkillID: s.ID, Slug: s.Name, DeliveryMode: materialized, MaterializedPath: s.Name + "/" + skill.MainFile,
		Content: string(s.Files[skill.MainFile]), Files: []BundleFile{},
	}
	for name, data := range s.Files {
		if !utf8.Valid(data) {
			return b, fault.New(fault.Invalid, "render bundle", "skill:"+s.ID, "a file of it is not UTF-8, and a bundle is text")
		}
		if name != skill.MainFile {
			b.Files = append(b.Files, BundleFile{Path: name, Content: string(data)})
		}
	}
	slices.SortFunc(b.Files, func(a, c BundleFile) int { return strings.Compare(a.Path, c.Path) })
	return b, nil
}

// before is the projection that a session was first prepared with and the names that its skills have, or nil for one that
// never was.
func (h *Host) before(s Session) (*command.Projection, map[string]string, error) {
	if s.ID == "" {
		return nil, nil, nil
	}
	m, err := h.store.Load(manifest.Name(s.Workspace, s.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return &m.Commands, m.Names, nil
}
