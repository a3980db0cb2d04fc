package input

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Some clients read a SKILL.md through a link, and some pass over it. The filter says which sort the client is of.
func TestH05_LinkedSkillsCountWhereTheClientReadsThem(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"user/.tool/skills/plain/SKILL.md": "---\nname: plain\ndescription: d\n---\n", "user/elsewhere.md": "---\nname: linked\ndescription: d\n---\n",
		"user/.tool/skills/folder/x": "",
	})
	skills := filepath.Join(dir, "user/.tool/skills")
	for name, target := range map[string]string{"linked": "../../../elsewhere.md", "folder/deep": "../../../../elsewhere.md", "dangling": "nowhere"} {
		err := errors.Join(os.MkdirAll(filepath.Join(skills, name), 0o755), os.Symlink(target, filepath.Join(skills, name, "SKILL.md")))
		if err != nil {
			t.Skip("no links here:", err)
		}
	}
	for filter, want := range map[string][]string{
		preparer.FilterSkillTrees: {"plain"}, preparer.FilterLinkedSkillTrees: {"folder", "linked", "plain"},
	} {
		s := take(t, dir, preparer.Input{Name: "skills", Kind: preparer.InputNames, Filter: filter, Learn: preparer.LearnValues,
			At: []preparer.Location{preparer.At("tool", "skills")}})
		if got := s.Found()["skills"].Names; !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", filter, got, want)
		}
	}
}
