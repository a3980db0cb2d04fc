package capability_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The use of browser and screen is there when the person allows it and the host can do it, and then whole: its policy,
// its skill and its variable come and go together.
func TestC012_C013_C014_UseOfBrowserAndScreenNeedsBoth(t *testing.T) {
	t.Parallel()
	set := texts(t)
	can := commands(t, sample.Catalog())
	for name, c := range map[string]struct {
		browser, computer bool
		commands          *command.Snapshot
		want              []string // words of the variables
	}{
		"allowed, and the host can":    {true, true, can, []string{"BROWSER", "COMPUTER"}},
		"browser alone":                {true, false, can, []string{"BROWSER"}},
		"screen alone":                 {false, true, can, []string{"COMPUTER"}},
		"neither is allowed":           {false, false, can, nil},
		"allowed, and the host cannot": {true, true, command.Empty("tutti"), nil},
	} {
		r, err := capability.Resolve(t.Context(), capability.Request{
			Texts: set, Descriptor: preparer.Descriptor{Provider: "x", Skills: preparer.SkillChannel{Kind: preparer.SkillDirectory}},
			BrowserUse: c.browser, ComputerUse: c.computer, Commands: c.commands,
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		doc, err := set.Document(r.Facts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, word := range []string{"BROWSER", "COMPUTER"} {
			pack := strings.ToLower(word)
			want := slices.Contains(c.want, word)
			variable := slices.ContainsFunc(r.Env, func(v capability.EnvVar) bool { return strings.Contains(v.Name, word) })
			section := slices.ContainsFunc(r.Sections, func(s capability.Section) bool { return strings.HasPrefix(s.Key, pack+"-use/") })
			skill := slices.ContainsFunc(r.Skills, func(s capability.Skill) bool { return strings.Contains(s.ID, pack) })
			if variable != want || section != want || skill != want {
				t.Errorf("%s: %s is there as variable %v, section %v and skill %v, want %v", name, pack, variable, section, skill, want)
			}
			if told := strings.Contains(doc.Text, pack+"-use"); told != want {
				t.Errorf("%s: %s is told of: %v", name, pack, told)
			}
		}
	}
}

// A skill says the same as the table of mentions about what can be read, and of no place of a file that cannot be had.
func TestC150_SkillsAndMentionsAgreeAboutWhatCanBeRead(t *testing.T) {
	t.Parallel()
	r := full(t, shapes()["images"])
	r.Commands = commands(t, slices.DeleteFunc(sample.Catalog(), func(c command.Command) bool { return c.ID != "agent.summary" }))
	o := tell(t, r)
	const read = "`tutti agent summary --session-id <session-id> --json`"
	if !strings.Contains(o.document, "| "+read+" |") || !strings.Contains(o.skills["greenroom/handoff"], read) || strings.Contains(o.skills["greenroom/handoff"], "no command to read") {
		t.Errorf("the hand-off says of a session:\n%s", o.skills["greenroom/handoff"])
	}
	if text := o.skills["greenroom/reference"]; !strings.Contains(text, "cannot read references") || strings.Contains(text, "Path`") {
		t.Errorf("the skill of references says:\n%s", text)
	}
}
