package store_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// What nothing can be stored under is not there, in whichever database, and is no failure of it.
func TestIdsOfNothingAreNotFound(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		for _, odd := range []string{"\x00", "a\x00b", "\xff", "a\nb"} {
			for _, of := range [][2]string{{"w", odd}, {odd, "x"}} {
				_, err := s.Plan(ctx, of[0], of[1])
				codeIs(t, err, problem.PlanNotFound)
				_, _, err = s.PlanWithKey(ctx, of[0], of[1])
				codeIs(t, err, problem.PlanNotFound)
				_, err = s.Agent(ctx, of[0], of[1])
				codeIs(t, err, problem.AgentNotFound)
				_, err = s.Session(ctx, of[0], of[1])
				codeIs(t, err, problem.SessionNotFound)
				_, err = s.Acceptance(ctx, of[0], of[1])
				codeIs(t, err, problem.SessionNotFound)
				_, err = s.References(ctx, of[0], of[1])
				codeIs(t, err, problem.PlanNotFound)
				codeIs(t, s.DeletePlan(ctx, of[0], of[1], 1), problem.PlanNotFound)
				codeIs(t, s.DeleteAgent(ctx, of[0], of[1], 1), problem.AgentNotFound)
			}
			if all, err := s.Plans(ctx, odd); err != nil || len(all) != 0 {
				t.Errorf("%q: %d, %v", odd, len(all), err)
			}
		}
	})
}
