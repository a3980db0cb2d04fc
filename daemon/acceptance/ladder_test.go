package acceptance_test

import (
	"errors"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

func TestOnlyAPersonReachesTheTop(t *testing.T) {
	t.Parallel()
	const claimed, checked, accepted = acceptance.AgentClaimed, acceptance.AutoChecked, acceptance.UserAccepted
	on := func(s acceptance.Step, turn string) *acceptance.Acceptance {
		return &acceptance.Acceptance{Step: s, Turn: turn}
	}
	for name, c := range map[string]struct {
		old  *acceptance.Acceptance
		step acceptance.Step
		turn string
		by   acceptance.By
		want acceptance.Step // "": refused
		at   string
	}{
		"a claim":                        {nil, claimed, "1", acceptance.Program, claimed, "1"},
		"a check after it":               {on(claimed, "1"), checked, "1", acceptance.Program, checked, "1"},
		"a check of nothing":             {nil, checked, "1", acceptance.Program, "", ""},
		"a check of another turn":        {on(claimed, "1"), checked, "2", acceptance.Program, "", ""},
		"a person, at once":              {nil, accepted, "1", acceptance.Person, accepted, "1"},
		"a person, after a check":        {on(checked, "1"), accepted, "1", acceptance.Person, accepted, "1"},
		"a program":                      {on(checked, "1"), accepted, "1", acceptance.Program, "", ""},
		"a claim of what was accepted":   {on(accepted, "1"), claimed, "1", acceptance.Program, accepted, "1"},
		"a claim of what was checked":    {on(checked, "1"), claimed, "1", acceptance.Program, checked, "1"},
		"new work after it was accepted": {on(accepted, "1"), claimed, "2", acceptance.Program, claimed, "2"},
		"no turn":                        {nil, accepted, " ", acceptance.Person, "", ""},
		"a turn with a NUL":              {nil, claimed, "1\x00", acceptance.Program, "", ""},
		"a turn on two lines":            {nil, accepted, "1\n2", acceptance.Person, "", ""},
		"a turn that is no text":         {nil, accepted, "1\xff", acceptance.Person, "", ""},
		"no step":                        {nil, "done", "1", acceptance.Person, "", ""},
	} {
		got, err := acceptance.Move(c.old, c.step, c.turn, c.by, time.Unix(9, 0))
		if c.want == "" {
			if !errors.Is(err, problem.InvalidAcceptance) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || got.Step != c.want || got.Turn != c.at {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
