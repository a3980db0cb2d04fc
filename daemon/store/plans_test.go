package store_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/secret"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

func TestPlansAreKept(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		first := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("first"), key(canary)))
		second := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("second"), plan.Key{}))
		must[plan.Plan](t)(s.CreatePlan(ctx, "v", spec("of another workspace"), key("sk-other-key-1")))
		if first.Revision != 1 || !first.HasKey || second.HasKey || !strings.HasPrefix(first.ID, "mp-") || len(first.ID) != 19 {
			t.Errorf("%+v", first)
		}
		// What another process reads is what was written.
		all := must[[]plan.Plan](t)(at.open(t, config(t)).Plans(ctx, "w"))
		if diff := cmp.Diff([]plan.Plan{first, second}, all); diff != "" {
			t.Error(diff)
		}
		p, k, err := s.PlanWithKey(ctx, "w", first.ID)
		if err != nil || k.Reveal() != canary || !cmp.Equal(p, first) {
			t.Errorf("%v, %v", p, err)
		}
		_, err = s.Plan(ctx, "v", first.ID)
		codeIs(t, err, problem.PlanNotFound)
		if all := must[[]plan.Plan](t)(s.Plans(ctx, "none")); all == nil || len(all) != 0 {
			t.Errorf("%#v", all)
		}
		_, err = s.CreatePlan(ctx, "", spec("nowhere"), plan.Key{})
		codeIs(t, err, problem.InvalidPlan)
		official := plan.Spec{Name: "o", Protocol: "openai", Template: plan.OfficialSubscription}
		_, err = s.CreatePlan(ctx, "w", official, key(canary))
		codeIs(t, err, problem.InvalidPlan)
	})
}

func TestP01_APlanIsDisabledUnlessItSaysOtherwise(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		sp := spec("a")
		sp.Enabled = false
		p := must[plan.Plan](t)(at.open(t, config(t)).CreatePlan(t.Context(), "w", sp, key(canary)))
		if p.Status() != plan.Disabled {
			t.Error(p.Status())
		}
	})
}

func checked(p plan.Plan) plan.Detection {
	d := plan.Detection{Revision: p.Revision, Model: "m-b"}
	for _, s := range plan.Stages() {
		d.Stages = append(d.Stages, plan.Result{Stage: s, Status: plan.Passed})
	}
	return d
}

func TestP03_P04_WhatAnUpdateKeeps(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		var told changes
		c := config(t)
		c.Changed = told.add
		s := at.open(t, c)
		none, other := plan.Key{}, key("sk-other-key-1")
		for name, test := range map[string]struct {
			change          func(*plan.Spec)
			key             *plan.Key
			wantKey         string
			detected, reset bool
		}{
			"P04 renamed":         {func(s *plan.Spec) { s.Name = "renamed" }, nil, canary, true, false},
			"models":              {func(s *plan.Spec) { s.Models = s.Models[1:] }, nil, canary, true, true},
			"disabled":            {func(s *plan.Spec) { s.Enabled = false }, nil, canary, true, true},
			"P03 another key":     {func(*plan.Spec) {}, &other, other.Reveal(), false, true},
			"P03 no key":          {func(*plan.Spec) {}, &none, "", false, true},
			"another URL":         {func(s *plan.Spec) { s.BaseURL = "https://b.example" }, nil, canary, false, true},
			"another protocol":    {func(s *plan.Spec) { s.Protocol = "anthropic" }, nil, canary, false, true},
			"the same once again": {func(*plan.Spec) {}, nil, canary, true, false},
		} {
			p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("a"), key(canary)))
			if kept := must[bool](t)(s.RecordDetection(ctx, "w", p.ID, checked(p))); !kept {
				t.Errorf("%s: the check was not kept", name)
			}
			told.take()
			got := must[plan.Plan](t)(s.UpdatePlan(ctx, "w", p.ID, 1, spelt(test.change, test.key)))
			now, k, err := s.PlanWithKey(ctx, "w", p.ID)
			if err != nil || k.Reveal() != test.wantKey || got.Revision != 2 || (now.Detection != nil) != test.detected {
				t.Errorf("%s: %+v, %v", name, now, err)
			}
			if diff := cmp.Diff(got, now); diff != "" {
				t.Errorf("%s: what it gave is not what it stored: %s", name, diff)
			}
			want := []store.Change{{Kind: store.PlanChanged, Workspace: "w", ID: p.ID, Reset: test.reset}}
			if diff := cmp.Diff(want, told.take()); diff != "" {
				t.Errorf("%s: told %s", name, diff)
			}
		}
	})
}

func TestP05_OfConcurrentEditsOneWins(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		a, b := at.open(t, config(t)), at.open(t, config(t))
		p := must[plan.Plan](t)(a.CreatePlan(ctx, "w", spec("a"), key(canary)))
		const rounds, writers = 5, 6
		for round := range int64(rounds) {
			var wait sync.WaitGroup
			errs := make([]error, writers)
			for i := range errs {
				s := []*store.Store{a, b}[i%2]
				wait.Go(func() {
					_, errs[i] = s.UpdatePlan(ctx, "w", p.ID, round+1, spelt(func(s *plan.Spec) { s.Name = strings.Repeat("x", i+1) }, nil))
				})
			}
			wait.Wait()
			won := 0
			for _, err := range errs {
				if err == nil {
					won++
				} else {
					codeIs(t, err, problem.PlanConflict)
				}
			}
			if now := must[plan.Plan](t)(a.Plan(ctx, "w", p.ID)); won != 1 || now.Revision != round+2 {
				t.Fatalf("%d won, revision %d", won, now.Revision)
			}
		}
		// Edits that say so are made whatever came before, and none is lost.
		var wait sync.WaitGroup
		for i := range writers {
			s := []*store.Store{a, b}[i%2]
			wait.Go(func() {
				_, err := s.UpdatePlan(ctx, "w", p.ID, store.AnyRevision, spelt(func(s *plan.Spec) { s.Models = append(s.Models, plan.Model{ID: strings.Repeat("n", i+1)}) }, nil))
				if err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if now := must[plan.Plan](t)(a.Plan(ctx, "w", p.ID)); len(now.Models) != 2+writers || now.Revision != rounds+1+writers {
			t.Errorf("%d models, revision %d", len(now.Models), now.Revision)
		}
	})
}

func TestRevisionsStayAsTheyAre(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("a"), key(canary)))
		must[plan.Plan](t)(s.UpdatePlan(ctx, "w", p.ID, 1, spelt(func(s *plan.Spec) { s.Name, s.Models = "b", nil; s.Default = "" }, nil)))
		old, k, err := s.PlanAt(ctx, "w", p.ID, 1)
		if err != nil || !k.IsZero() {
			t.Errorf("the credential of an old revision is still there: %v", err)
		}
		old.HasKey = true
		if diff := cmp.Diff(p, old); diff != "" {
			t.Error(diff)
		}
		if _, k, err := s.PlanAt(ctx, "w", p.ID, 2); err != nil || k.Reveal() != canary {
			t.Error(err)
		}
		_, _, err = s.PlanAt(ctx, "w", p.ID, 3)
		codeIs(t, err, problem.PlanNotFound)
	})
}

func TestP11_ACopyIsDisabledAndHasTheKey(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("a"), key(canary)))
		must[bool](t)(s.RecordDetection(ctx, "w", p.ID, checked(p)))
		q := must[plan.Plan](t)(s.DuplicatePlan(ctx, "w", p.ID, ""))
		got, k, err := s.PlanWithKey(ctx, "w", q.ID)
		if err != nil || k.Reveal() != canary || got.Name != "a copy" || got.Enabled || got.Revision != 1 || got.Detection != nil || q.ID == p.ID {
			t.Errorf("%+v, %v", got, err)
		}
		long := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec(strings.Repeat("ü", plan.MaxName)), key(canary)))
		if q = must[plan.Plan](t)(s.DuplicatePlan(ctx, "w", long.ID, "")); !strings.HasSuffix(q.Name, "ü copy") {
			t.Error(q.Name)
		}
		_, err = s.DuplicatePlan(ctx, "w", "mp-none", "")
		codeIs(t, err, problem.PlanNotFound)
	})
}

func TestP12_AnUnreadableKeyHidesNoOtherPlan(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		a := at.open(t, config(t))
		lost := must[plan.Plan](t)(a.CreatePlan(ctx, "w", spec("lost"), key(canary)))
		c := config(t)
		c.Ring = ring(t, "b")
		b := at.open(t, c)
		fine := must[plan.Plan](t)(b.CreatePlan(ctx, "w", spec("fine"), key("sk-other-key-1")))
		all := must[[]plan.Plan](t)(b.Plans(ctx, "w"))
		if len(all) != 2 || !all[0].KeyUnreadable || !all[0].HasKey || all[1].KeyUnreadable {
			t.Errorf("%+v", all)
		}
		_, _, err := b.PlanWithKey(ctx, "w", lost.ID)
		codeIs(t, err, problem.Unreadable)
		// It cannot be changed and lose its key unsaid; with a new key it is well again.
		_, err = b.UpdatePlan(ctx, "w", lost.ID, 1, spelt(func(s *plan.Spec) { s.Name = "x" }, nil))
		codeIs(t, err, problem.Unreadable)
		again := key("sk-entered-again")
		if p := must[plan.Plan](t)(b.UpdatePlan(ctx, "w", lost.ID, 1, spelt(func(*plan.Spec) {}, &again))); p.KeyUnreadable {
			t.Error("still unreadable")
		}
		if _, k, err := b.PlanWithKey(ctx, "w", fine.ID); err != nil || k.Reveal() != "sk-other-key-1" {
			t.Error(err)
		}
	})
}

func TestARotationSealsEverythingAnew(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		p := must[plan.Plan](t)(at.open(t, config(t)).CreatePlan(ctx, "w", spec("a"), key(canary)))
		c := config(t)
		c.Ring = ring(t, "b", "a")
		if done, lost, err := at.open(t, c).Reseal(ctx); done != 1 || lost != 0 || err != nil {
			t.Errorf("%d, %d, %v", done, lost, err)
		}
		c.Ring = ring(t, "b")
		if _, k, err := at.open(t, c).PlanWithKey(ctx, "w", p.ID); err != nil || k.Reveal() != canary {
			t.Error(err)
		}
		if done, lost, err := at.open(t, config(t)).Reseal(ctx); done != 0 || lost != 1 || err != nil {
			t.Errorf("with the old key alone: %d, %d, %v", done, lost, err)
		}
	})
}

func TestACheckOfWhatIsNoMoreIsNotKept(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("a"), key(canary)))
		must[plan.Plan](t)(s.UpdatePlan(ctx, "w", p.ID, 1, spelt(func(s *plan.Spec) { s.Name = "b" }, nil)))
		if kept := must[bool](t)(s.RecordDetection(ctx, "w", p.ID, checked(p))); kept {
			t.Error("a check of revision 1 was kept for revision 2")
		}
		if kept := must[bool](t)(s.RecordDetection(ctx, "w", "mp-none", checked(p))); kept {
			t.Error("a check of no plan was kept")
		}
		p = must[plan.Plan](t)(s.Plan(ctx, "w", p.ID))
		for range 2 {
			must[bool](t)(s.RecordDetection(ctx, "w", p.ID, checked(p)))
		}
		if now := must[plan.Plan](t)(s.Plan(ctx, "w", p.ID)); now.Revision != 2 || now.Status() != plan.Ready {
			t.Errorf("%+v", now)
		}
	})
}

func TestP17_NoKeyIsInTheFiles(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		s := at.open(t, config(t))
		p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec("visible-name"), key(canary)))
		must[plan.Plan](t)(s.UpdatePlan(ctx, "w", p.ID, 1, spelt(func(s *plan.Spec) { s.Name = "visible-second" }, nil)))
		must[plan.Plan](t)(s.DuplicatePlan(ctx, "w", p.ID, ""))
		all := at.bytes(t)
		if !strings.Contains(all, "visible-second") {
			t.Error("the test does not see what is stored")
		}
		for _, form := range []string{canary, "c2stY2FuYXJ5LTVjMmU4ZDdmMW", "sk-canary"} {
			if strings.Contains(all, form) {
				t.Errorf("%q is in the files", form)
			}
		}
		if err := s.DeletePlan(ctx, "w", p.ID, 2); err != nil {
			t.Fatal(err)
		}
		if _, err := must[*secret.Ring](t)(config(t).Ring()).Open("v1.x.y", secret.Place{}); err == nil {
			t.Error("nonsense opens")
		}
	})
}
