package conformance_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
)

// The cases about what comes along and what stays out would prove nothing if the user's set-up had no effect to begin
// with, so it is shown first without Greenroom.
func TestPlainClientUsesWhatTheUserSetUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, c.shell("echo ran"), upstream.Say("done"))
		s.play(s.plain(c.turn("first-prompt")...))
		turns := s.turns(2)
		want := map[string]int{
			userInstructions: 1, userSkill: 1, projectInstructions: 1, projectSkill: 1, "first-prompt": 1,
		}
		if c.sharedSkills {
			want[sharedSkill] = 1
		}
		if c.memories {
			want[userMemory] = 1
		}
		s.counts(s.text(turns[0]), want)
		if results, err := turns[1].ToolResults(); err != nil || len(results) != 1 || !strings.Contains(results[0], "ran") {
			t.Errorf("the command gave %q, %v", results, err)
		}
		for _, program := range []string{"user-hook", "user-server"} {
			if !s.marked(program) {
				t.Errorf("%s did not run", program)
			}
		}
	})
}

// What a snapshot may leave out must not hide everything: a plain run does change the home.
func TestPlainClientChangesItsHome(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("done"))
		before, err := rig.Take(s.home)
		if err != nil {
			t.Fatal(err)
		}
		s.play(s.plain(c.turn("hello")...))
		after, err := rig.Take(s.home)
		if err != nil {
			t.Fatal(err)
		}
		if len(before.Changes(after)) == 0 {
			t.Error("nothing changed")
		}
	})
}
