package input

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// children lists what a directory holds, as the filter says. What is left out for a reason that its owner would not
// expect is reported.
func (it *Item) children(index int, at located, taken map[string]bool, s *Snapshot) error {
	dir, label := at.path, at.label
	list, err := fsroot.ListInput(dir)
	if err != nil {
		s.Rejected = append(s.Rejected, Rejected{label, "cannot be listed"})
		return nil
	}
	for _, c := range list {
		if strings.HasPrefix(c.Name, ".") || taken[c.Name] {
			continue
		}
		if !utf8.ValidString(c.Name) {
			s.Rejected = append(s.Rejected, Rejected{label + "/" + strings.ToValidUTF8(c.Name, "?"), "its name is not UTF-8"})
			continue
		}
		child := Child{Name: c.Name, Path: filepath.Join(dir, c.Name), Dir: label, index: index}
		if reason := it.reject(&child, c.Kind, s.memo); reason != "" {
			if reason != silent {
				s.Rejected = append(s.Rejected, Rejected{label + "/" + c.Name, reason})
			}
			continue
		}
		taken[c.Name] = true
		it.Names = append(it.Names, child)
	}
	return nil
}

// silent is the reason of a child that simply is of another sort.
const silent = "-"

func (it *Item) reject(c *Child, kind fsroot.InputKind, memo *Memo) string {
	switch it.Input.Filter {
	case preparer.FilterDirs:
		if kind != fsroot.InputDir {
			return silent
		}
		return ""
	case preparer.FilterSkills:
		return rejectSkill(c, kind, false, memo)
	case preparer.FilterSkillTrees, preparer.FilterLinkedSkillTrees:
		linked := it.Input.Filter == preparer.FilterLinkedSkillTrees
		reason := rejectSkill(c, kind, linked, memo)
		if reason == noSkill && holdsSkill(c.Path, treeDepth, linked, memo) {
			return ""
		}
		return reason
	}
	if !strings.HasSuffix(c.Name, it.Input.Filter) {
		return silent
	}
	if kind != fsroot.InputFile {
		return kind.String()
	}
	return ""
}

// noSkill is the reason of a directory that is no skill itself.
const noSkill = "has no SKILL.md"

// How deep, and how widely, a directory is searched for skills.
const (
	treeDepth = 4
	treeWidth = 256
)

// holdsSkill says whether a skill lies somewhere below a directory. Links are not followed here, so that a loop ends
// nothing but the search.
func holdsSkill(dir string, depth int, linked bool, memo *Memo) bool {
	list, err := fsroot.ListInput(dir)
	if err != nil || len(list) > treeWidth {
		return false
	}
	for _, c := range list {
		if c.Kind != fsroot.InputDir || c.Link || strings.HasPrefix(c.Name, ".") {
			continue
		}
		child := Child{Path: filepath.Join(dir, c.Name)}
		if rejectSkill(&child, c.Kind, linked, memo) == "" || depth > 1 && holdsSkill(child.Path, depth-1, linked, memo) {
			return true
		}
	}
	return false
}

// rejectSkill says why a child of a skills directory is no skill, or "" when it is one. Clients follow a link to a
// directory; a SKILL.md that is a link itself is ignored by some, so it counts only where that is said.
func rejectSkill(c *Child, kind fsroot.InputKind, linked bool, memo *Memo) string {
	switch kind {
	case fsroot.InputDir:
	case fsroot.InputFile:
		return silent
	default:
		return kind.String()
	}
	file := filepath.Join(c.Path, "SKILL.md")
	in, err := fsroot.StatInput(file)
	switch {
	case err != nil:
		return noSkill
	case in.Link && !linked:
		return "its SKILL.md is a link"
	case in.Kind != fsroot.InputFile:
		return "its SKILL.md is no file"
	}
	data, err := in.Read(file, 1<<20)
	if err != nil {
		return "its SKILL.md cannot be read"
	}
	if c.Title, err = memo.title(data); err != nil {
		return "its SKILL.md has no front matter with a name"
	}
	return ""
}

// Changed says whether something that was looked at is not what it was.
func (s *Snapshot) Changed() bool {
	for _, it := range s.Items {
		for _, st := range it.seen {
			if !fsroot.Unchanged(st.path, st.info) {
				return true
			}
		}
	}
	return false
}
