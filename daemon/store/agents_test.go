package store_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

func TestAgentsAreKept(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("p"), key(canary)))
		a := must[agent.Agent](t)(s.CreateAgent(ctx, "w", harness, agent.Spec{Name: "A", Harness: "h", Plan: p.ID, Model: "m-a", Skills: []string{"s"}}))
		b := must[agent.Agent](t)(s.CreateAgent(ctx, "w", harness, agent.Spec{Name: "B", Harness: "h"}))
		if diff := cmp.Diff([]agent.Agent{a, b}, must[[]agent.Agent](t)(at.open(t, config(t)).Agents(ctx, "w"))); diff != "" {
			t.Error(diff)
		}
		next := a.Spec
		next.Model, next.OnPlanUnavailable = "m-b", agent.Fail
		a2 := must[agent.Agent](t)(s.UpdateAgent(ctx, "w", a.ID, 1, harness, next))
		if got := must[agent.Agent](t)(s.Agent(ctx, "w", a.ID)); got.Revision != 2 || got.Model != "m-b" || !cmp.Equal(got, a2) {
			t.Error(cmp.Diff(a2, got))
		}
		_, err := s.UpdateAgent(ctx, "w", a.ID, 1, harness, next)
		codeIs(t, err, problem.AgentConflict)
		codeIs(t, s.DeleteAgent(ctx, "w", a.ID, 1), problem.AgentConflict)
		if err := s.DeleteAgent(ctx, "w", a.ID, 2); err != nil {
			t.Error(err)
		}
		_, err = s.Agent(ctx, "w", a.ID)
		codeIs(t, err, problem.AgentNotFound)
		_, err = s.CreateAgent(ctx, "w", harness, agent.Spec{Name: "C", Harness: "h", Plan: "mp-none"})
		codeIs(t, err, problem.NoDependency)
		must[plan.Plan](t)(s.EnablePlan(ctx, "w", p.ID, store.AnyRevision, false))
		_, err = s.CreateAgent(ctx, "w", harness, agent.Spec{Name: "C", Harness: "h", Plan: p.ID})
		codeIs(t, err, problem.AgentPlanWrong)
	})
}

func TestP10_APlanThatIsUsedStays(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("p"), key(canary)))
		q := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("q"), key(canary)))
		a := must[agent.Agent](t)(s.CreateAgent(ctx, "w", harness, agent.Spec{
			Name: "A", Harness: "h", Plan: p.ID, Fallbacks: []agent.Route{{Plan: q.ID}, {Plan: q.ID, Model: "m-a"}, {Plan: p.ID, Model: "m-a"}},
		}))
		must[store.Snapshot](t)(s.BindSession(ctx, 0, store.Snapshot{Workspace: "w", Session: "s1", Plan: q.ID, Revision: 1}))
		want := []plan.Reference{{Kind: plan.RefAgent, ID: a.ID, Name: "A", Role: "fallback"}, {Kind: plan.RefSession, ID: "s1", Role: "default"}}
		if diff := cmp.Diff(want, must[[]plan.Reference](t)(s.References(ctx, "w", q.ID))); diff != "" {
			t.Error(diff)
		}
		err := s.DeletePlan(ctx, "w", q.ID, 1)
		codeIs(t, err, problem.PlanReferenced)
		if r, ok := errors.AsType[*store.Referenced](err); !ok || !cmp.Equal(r.References, want) {
			t.Errorf("%v", err)
		}
		if refs := must[[]plan.Reference](t)(s.References(ctx, "w", p.ID)); len(refs) != 2 || refs[0].Role != "default" || refs[1].Role != "fallback" {
			t.Errorf("each role once: %+v", refs)
		}
		codeIs(t, s.DeletePlan(ctx, "w", p.ID, 7), problem.PlanConflict)
		if err := s.DeleteAgent(ctx, "w", a.ID, 1); err != nil {
			t.Fatal(err)
		}
		// A session alone does not keep it.
		if err := s.DeletePlan(ctx, "w", q.ID, 1); err != nil {
			t.Error(err)
		}
		_, err = s.References(ctx, "w", q.ID)
		codeIs(t, err, problem.PlanNotFound)
		codeIs(t, s.DeletePlan(ctx, "w", q.ID, 1), problem.PlanNotFound)
	})
}

func TestNoAgentIsLeftWithoutItsPlan(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		a, b := at.open(t, config(t)), at.open(t, config(t))
		for range 8 {
			p := must[plan.Plan](t)(a.CreatePlan(ctx, "w", spec("p"), key(canary)))
			var wait sync.WaitGroup
			var created, deleted error
			wait.Go(func() { _, created = a.CreateAgent(ctx, "w", harness, agent.Spec{Name: "A", Harness: "h", Plan: p.ID}) })
			wait.Go(func() { deleted = b.DeletePlan(ctx, "w", p.ID, 1) })
			wait.Wait()
			switch {
			case created == nil:
				codeIs(t, deleted, problem.PlanReferenced)
			case deleted == nil:
				codeIs(t, created, problem.NoDependency)
			default:
				t.Errorf("neither: %v, %v", created, deleted)
			}
		}
	})
}

func TestKeysOfRevisionsThatASessionIsBoundToStay(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("p"), key(canary)))
		snap := must[store.Snapshot](t)(s.BindSession(ctx, 0, store.Snapshot{Workspace: "w", Session: "s1", Plan: p.ID, Revision: 1, Model: "m-a"}))
		other := key("sk-second-key")
		must[plan.Plan](t)(s.UpdatePlan(ctx, "w", p.ID, 1, spelt(func(*plan.Spec) {}, &other)))
		keyAt := func(revision int64) string {
			_, k, err := s.PlanAt(ctx, "w", p.ID, revision)
			if err != nil {
				t.Error(err)
			}
			return k.Reveal()
		}
		if keyAt(1) != canary || keyAt(2) != other.Reveal() {
			t.Error("the key of a session that runs is gone")
		}
		snap.Revision = 2
		next := must[store.Snapshot](t)(s.BindSession(ctx, snap.Generation, snap))
		if keyAt(1) != "" || keyAt(2) != other.Reveal() || next.Generation != 2 {
			t.Errorf("the key that no session needs is still there, generation %d", next.Generation)
		}
		if got := must[store.Snapshot](t)(s.Session(ctx, "w", "s1")); !cmp.Equal(got, next) {
			t.Error(cmp.Diff(next, got))
		}
		for _, from := range []int64{0, 1, 3} {
			_, err := s.BindSession(ctx, from, snap)
			codeIs(t, err, problem.SessionConflict)
		}
		third := key("sk-third-key")
		must[plan.Plan](t)(s.UpdatePlan(ctx, "w", p.ID, 2, spelt(func(*plan.Spec) {}, &third)))
		for range 2 {
			if err := s.EndSession(ctx, "w", "s1"); err != nil {
				t.Error(err)
			}
		}
		if keyAt(2) != "" || keyAt(3) != third.Reveal() {
			t.Error("the key of a session that ended is still there")
		}
	})
}

func TestAcceptanceIsKeptWithItsTurn(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		_, err := s.Acceptance(ctx, "w", "s1")
		codeIs(t, err, problem.SessionNotFound)
		must[store.Snapshot](t)(s.BindSession(ctx, 0, store.Snapshot{Workspace: "w", Session: "s1"}))
		if a := must[*acceptance.Acceptance](t)(s.Acceptance(ctx, "w", "s1")); a != nil {
			t.Errorf("%+v", a)
		}
		must[acceptance.Acceptance](t)(s.Accept(ctx, "w", "s1", acceptance.UserAccepted, "t1", acceptance.Person))
		must[acceptance.Acceptance](t)(s.Accept(ctx, "w", "s1", acceptance.AgentClaimed, "t2", acceptance.Program))
		_, err = s.Accept(ctx, "w", "s1", acceptance.UserAccepted, "t2", acceptance.Program)
		codeIs(t, err, problem.InvalidAcceptance)
		is := func(turn string, step acceptance.Step) {
			t.Helper()
			if a := must[*acceptance.Acceptance](t)(s.Acceptance(ctx, "w", "s1")); a == nil || a.Step != step || a.Turn != turn {
				t.Errorf("%+v", a)
			}
		}
		is("t2", acceptance.AgentClaimed)
		must[acceptance.Acceptance](t)(s.Accept(ctx, "w", "s1", acceptance.UserAccepted, "t2", acceptance.Person))
		// What was accepted stays when its host ends, and can still be accepted then; it goes with the session itself.
		if err := s.EndSession(ctx, "w", "s1"); err != nil {
			t.Error(err)
		}
		is("t2", acceptance.UserAccepted)
		must[acceptance.Acceptance](t)(s.Accept(ctx, "w", "s1", acceptance.UserAccepted, "t3", acceptance.Person))
		is("t3", acceptance.UserAccepted)
		if err := s.EndSessionAnywhere(ctx, "s1"); err != nil {
			t.Error(err)
		}
		_, err = s.Acceptance(ctx, "w", "s1")
		codeIs(t, err, problem.SessionNotFound)
		_, err = s.Accept(ctx, "w", "s1", acceptance.UserAccepted, "t3", acceptance.Person)
		codeIs(t, err, problem.SessionNotFound)
	})
}
