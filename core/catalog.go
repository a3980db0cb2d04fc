package core

import (
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// catalog lists the session's skills as they lie below a directory, for a client that does not show them to its model.
func (a *answered) catalog(dir string, named []skill.Named) (string, error) {
	list := make([]canon.Listed, 0, len(named))
	for _, s := range named {
		_, description, err := skill.FrontMatter(s.Skill.Files[skill.MainFile])
		if err != nil {
			return "", fault.Wrap(err, fault.Invalid, "render catalog", "skill:"+s.Skill.ID, "its front matter cannot be read")
		}
		list = append(list, canon.Listed{
			Name: a.kind.facts.Spell(s.Name), Description: description, Path: filepath.Join(dir, s.Name, skill.MainFile),
		})
	}
	return canon.Catalog(a.kind.facts.Product, list)
}
