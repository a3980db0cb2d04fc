//go:build unix

package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// A process that is killed in a write leaves a store in which each write is whole or not there: what was acknowledged is
// there, every credential can be opened, none stays that nothing needs, and the next process writes on.
func TestAProcessIsKilledInEachWrite(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		s := at.open(t, config(t))
		must[plan.Plan](t)(s.CreatePlan(t.Context(), "w", spec("the one"), key(canary)))
		kills := 20
		if testing.Short() {
			kills = 6
		}
		last := map[wrote]wrote{} // by what and id
		for _, work := range workNames() {
			acknowledged := 0
			for range kills {
				w := startWriting(t, at, work)
				time.Sleep(rand.N(25 * time.Millisecond)) // when it is hit is chance; this is no waiting for anything
				for _, one := range w.kill(t) {
					if one.What != "" {
						last[wrote{What: one.What, ID: one.ID}] = one
						acknowledged++
					}
				}
				isWhole(t, at, s, work, last)
				if t.Failed() {
					t.Fatalf("killed in: %s", work)
				}
			}
			t.Logf("%s: %d writes acknowledged before the kills", work, acknowledged)
		}
		p := must[[]plan.Plan](t)(s.Plans(t.Context(), "w"))[0]
		must[plan.Plan](t)(s.EnablePlan(t.Context(), "w", p.ID, p.Revision, true))
	})
}

func isWhole(t *testing.T, at place, s *store.Store, work string, last map[wrote]wrote) {
	t.Helper()
	ctx := t.Context()
	for _, one := range last {
		var revision int64
		var err error
		switch one.What {
		case "plan":
			var p plan.Plan
			p, _, err = s.PlanWithKey(ctx, "w", one.ID)
			revision = p.Revision
		case "agent":
			a, failed := s.Agent(ctx, "w", one.ID)
			revision, err = a.Revision, failed
		case "session":
			snap, failed := s.Session(ctx, "w", one.ID)
			revision, err = snap.Generation, failed
		}
		notFound := errors.Is(err, problem.PlanNotFound) || errors.Is(err, problem.AgentNotFound) || errors.Is(err, problem.SessionNotFound)
		switch {
		case one.Gone && !notFound:
			t.Errorf("%s %s is there, and was gone: %v", one.What, one.ID, err)
		case !one.Gone && notFound && (strings.HasPrefix(work, "delete ") || work == "end session"):
			// The write that was hit was its deletion, and came through.
			delete(last, wrote{What: one.What, ID: one.ID})
		case !one.Gone && (err != nil || revision < one.Revision):
			t.Errorf("%s %s: revision %d, acknowledged was %d: %v", one.What, one.ID, revision, one.Revision, err)
		}
	}
	all, err := s.Plans(ctx, "w")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.KeyUnreadable || !p.HasKey {
			t.Errorf("the credential of revision %d of a plan is lost", p.Revision)
		}
	}
	if _, err := s.Agents(ctx, "w"); err != nil {
		t.Error(err)
	}
	for query, what := range map[string]string{
		`SELECT COUNT(*) FROM plans p WHERE NOT EXISTS (SELECT 1 FROM plan_revisions r WHERE r.workspace = p.workspace AND r.plan = p.id AND r.revision = p.revision)`:                                                                                                                           "plans without their current revision",
		`SELECT COUNT(*) FROM plan_revisions r JOIN plans p ON p.workspace = r.workspace AND p.id = r.plan WHERE r.revision > p.revision`:                                                                                                                                                        "revisions ahead of their plan",
		`SELECT COUNT(*) FROM plan_revisions r JOIN plans p ON p.workspace = r.workspace AND p.id = r.plan WHERE r.revision <> p.revision AND r.key_sealed <> '' AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.workspace = r.workspace AND s.plan = r.plan AND s.plan_revision = r.revision)`: "credentials that nothing needs",
		`SELECT COUNT(*) FROM agents a WHERE NOT EXISTS (SELECT 1 FROM agent_plans p WHERE p.workspace = a.workspace AND p.agent = a.id)`:                                                                                                                                                        "agents whose plans are not held",
	} {
		var n int
		if err := at.db(t).QueryRowContext(ctx, query).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d %s, %v", n, what, err)
		}
	}
	if at.engine == "SQLite" {
		var said string
		if err := at.db(t).QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&said); err != nil || said != "ok" {
			t.Errorf("%s, %v", said, err)
		}
	}
}

// Two processes edit one plan, each from what it read: of two that began at the same revision one wins, the other is told,
// and no acknowledged edit is lost.
func TestP05_TwoProcessesEditOnePlan(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		s := at.open(t, config(t))
		p := must[plan.Plan](t)(s.CreatePlan(t.Context(), "w", spec("the one"), key(canary)))
		version := must[string](t)(s.Engine(t.Context()))
		both := []*writing{startWriting(t, at, "update plan"), startWriting(t, at, "update plan")}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := must[plan.Plan](t)(s.Plan(ctx, "w", p.ID)).Revision
		for must[plan.Plan](t)(s.Plan(ctx, "w", p.ID)).Revision < begun+300 {
			time.Sleep(5 * time.Millisecond)
		}
		won, lost := map[int64]int{}, 0
		var winners [2]int
		for i, w := range both {
			for _, one := range w.kill(t) {
				switch {
				case one.Lost:
					lost++
				case one.Revision > 0:
					won[one.Revision]++
					winners[i]++
				}
			}
		}
		now := must[plan.Plan](t)(s.Plan(t.Context(), "w", p.ID))
		missing := 0
		for revision := int64(2); revision <= now.Revision; revision++ {
			if won[revision] > 1 {
				t.Errorf("revision %d was acknowledged to both", revision)
			}
			if won[revision] == 0 {
				missing++
			}
		}
		for revision := range won {
			if revision > now.Revision {
				t.Errorf("revision %d was acknowledged and is lost", revision)
			}
		}
		if missing > 2 { // each may have been killed before it could say so
			t.Errorf("%d revisions are nobody's", missing)
		}
		if winners[0] == 0 || winners[1] == 0 || lost == 0 {
			t.Errorf("they did not meet: %v won, %d lost", winners, lost)
		}
		t.Logf("%s: %v edits won, %d were told that another came first", version, winners, lost)
	})
}
