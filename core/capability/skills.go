package capability

import (
	"context"
	"fmt"
	"slices"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// others adds the skills of the host's sources and of the session.
func (r *resolution) others(ctx context.Context) error {
	if r.request.SkipSkills {
		return nil
	}
	for i, source := range r.request.Sources {
		list, err := source.Skills(ctx, r.request.Context)
		if err != nil {
			if ctx.Err() != nil {
				return fault.Wrap(err, fault.Deadline, "resolve skills", "source", "the time was up, or the caller gave up")
			}
			return fault.Wrap(err, fault.Profile, "resolve skills", fmt.Sprintf("source %d", i), "it failed").
				WithHint("what the source says is the cause of this error, and no part of its text")
		}
		if err := r.add(list, "host"); err != nil {
			return err
		}
	}
	return r.add(r.request.Extra, "session")
}

// add adds the skills that are for the session's provider. Those for others are not even looked at.
func (r *resolution) add(list []SkillSpec, source string) error {
	for _, s := range list {
		if len(s.Providers) > 0 && !slices.Contains(s.Providers, r.request.Context.Provider) {
			continue
		}
		if s.Source == "" {
			s.Source = source
		}
		if s.ID == "" && s.Name != "" {
			s.ID = "tutti/" + s.Name
		}
		one := clone(s.Skill)
		if err := one.Check(); err != nil {
			return err
		}
		r.skills = append(r.skills, Skill{one, s.Source})
	}
	return nil
}

// all puts the rendered canonical skills into their places, and refuses an id that stands twice.
func (r *resolution) all(texts *canon.Set, f canon.Facts) ([]Skill, error) {
	seen := make(map[string]bool, len(r.skills))
	for _, s := range r.skills {
		if seen[s.ID] {
			return nil, fault.New(fault.Invalid, "resolve skills", "skill:"+s.ID, "two skills have this id")
		}
		seen[s.ID] = true
	}
	rendered, err := texts.Skills(f)
	if err != nil {
		return nil, err
	}
	list := make([]Skill, 0, len(r.skills))
	for _, s := range r.skills {
		if s.Files == nil {
			i := slices.IndexFunc(rendered, func(have skill.Skill) bool { return have.ID == s.ID })
			s.Skill = rendered[i]
		}
		list = append(list, s)
	}
	return list, nil
}
