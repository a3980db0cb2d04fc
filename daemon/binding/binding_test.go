package binding_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestP13_H43_ANewKeyIsUsedFromTheNextTurnOn(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	p := s.plan()
	x := s.begin(request(p))
	first := s.host.last()
	if e := first.Endpoint; e.Protocol != preparer.Responses || e.Key.Reveal() == firstKey || len(e.Key.Reveal()) != 43 {
		t.Errorf("the client is told %+v", e)
	}
	if next, err := x.Admit(t.Context(), x.Prepared()); next != nil || err != nil {
		t.Errorf("nothing has changed, and it gives %v, %v", next, err)
	}
	if s.ask(first, "m-a") != 200 || s.sent() != firstKey {
		t.Error("the first turn has not the first key")
	}
	s.edit(p, secondKey, nil)
	if s.ask(first, "m-a") != 200 || s.sent() != firstKey {
		t.Error("the running turn lost its key")
	}
	next, err := x.Admit(t.Context(), x.Prepared())
	if err != nil || next == nil || next != x.Prepared() || len(s.host.prepared) != 2 {
		t.Fatalf("%v, %v", next, err)
	}
	if s.ask(first, "m-a") != 401 {
		t.Error("the old token is still good")
	}
	if s.ask(s.host.last(), "m-a") != 200 || s.sent() != secondKey {
		t.Error("the second turn has not the second key")
	}
	if snap := x.Snapshot(); snap.Revision != 2 || snap.Generation != 2 || snap.Model != "m-a" {
		t.Errorf("%+v", snap)
	}
	if _, k, err := s.access.PlanAt(t.Context(), "w", p.ID, 1); err != nil || !k.IsZero() {
		t.Error("the key that no session has is kept")
	}
	if strings.Contains(s.log.String(), "canary") {
		t.Error(s.log.String())
	}
}

func TestP13_WhatNobodyNoticesRestartsNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	p := s.plan()
	x := s.begin(request(p))
	s.edit(p, "", func(s *plan.Spec) { s.Name = "renamed" })
	if next, err := x.Admit(t.Context(), x.Prepared()); next != nil || err != nil || len(s.host.prepared) != 1 {
		t.Errorf("%v, %v", next, err)
	}
	if snap := x.Snapshot(); snap.Revision != 2 || s.ask(s.host.last(), "m-a") != 200 {
		t.Errorf("%+v", snap)
	}
}

func TestP13_AFailureLeavesTheOldBinding(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is full")
	for name, c := range map[string]struct {
		do   func(s *scene, x store.Snapshot)
		want error
	}{
		"prepare": {func(s *scene, _ store.Snapshot) { s.host.fail = broken }, broken},
		"compare and set": {func(s *scene, snap store.Snapshot) {
			s.host.during = func() {
				if _, err := s.access.BindSession(s.Context(), snap.Generation, snap); err != nil {
					s.Error(err)
				}
			}
		}, problem.SessionConflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, throughGateway)
			p := s.plan()
			x := s.begin(request(p))
			first, before := s.host.last(), x.Prepared()
			s.edit(p, secondKey, nil)
			c.do(s, x.Snapshot())
			next, err := x.Admit(t.Context(), before)
			if next != nil || !errors.Is(err, c.want) {
				t.Fatalf("%v, %v", next, err)
			}
			if e, ok := errors.AsType[*problem.Error](err); !ok || e.Code != problem.SwapFailed || !e.Retryable || !strings.Contains(e.Hint, "again") {
				t.Errorf("it is not said that it can be tried again: %+v", err)
			}
			if x.Prepared() != before || x.Snapshot().Revision != 1 || s.ask(first, "m-a") != 200 || s.sent() != firstKey {
				t.Error("the old binding is not as it was")
			}
			// What is on the disk is the old one's again.
			if got := s.host.last().Endpoint; got.Key != first.Endpoint.Key {
				t.Error("the session was left prepared for a token that is no good")
			}
			// No turn begins on what is known to be old: the next one tries again, as often as it takes.
			s.host.fail = broken
			if next, err := x.Admit(t.Context(), before); next != nil || !errors.Is(err, broken) {
				t.Fatalf("once more: %v, %v", next, err)
			}
			next, err = x.Admit(t.Context(), before)
			if err != nil || next != x.Prepared() || next == before || s.ask(s.host.last(), "m-a") != 200 || s.sent() != secondKey || s.ask(first, "m-a") != 401 {
				t.Fatalf("the next turn: %v, %v", next, err)
			}
			if snap, err := s.access.Session(t.Context(), "w", "dir/s1"); err != nil || snap.Revision != 2 || snap.Generation != x.Snapshot().Generation {
				t.Errorf("%+v, %v", snap, err)
			}
		})
	}
}

// A host whose client could not be started on what it was given is told again what to start, and not left with a token that
// is good no more.
func TestP13_AClientThatCouldNotBeExchangedIsExchangedForTheNextTurn(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	p := s.plan()
	x := s.begin(request(p))
	before := x.Prepared()
	s.edit(p, secondKey, nil)
	moved, err := x.Admit(t.Context(), before)
	if err != nil || moved == nil || moved == before {
		t.Fatalf("%v, %v", moved, err)
	}
	if next, err := x.Admit(t.Context(), before); next != moved || err != nil || len(s.host.prepared) != 2 {
		t.Errorf("what runs is still the one from before: %v, %v", next, err)
	}
	if next, err := x.Admit(t.Context(), moved); next != nil || err != nil {
		t.Errorf("%v, %v", next, err)
	}
}

// A session that was kept, with what the client wrote in it, is not taken away because it could not be bound again.
func TestASessionThatWasThereIsNotTakenAwayWithAFailure(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	r := request(s.plan())
	if err := s.begin(r).End(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.host.during = func() {
		if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "w", Session: "dir/s1"}); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.binder.Begin(t.Context(), r); !errors.Is(err, problem.SessionConflict) {
		t.Errorf("%v", err)
	}
	if s.host.cleaned != 0 {
		t.Error("it was taken away")
	}
}

// That the endpoint refuses the key is known of the route that the session has now.
func TestRefusedKeyIsKnown(t *testing.T) {
	t.Parallel()
	s := newScene(t, direct)
	if x := s.begin(request(s.plan())); x.Refused() != 0 {
		t.Error("nobody stands between client and endpoint, and a refusal is known")
	}
	s = newScene(t, throughGateway)
	p := s.plan()
	x := s.begin(request(p))
	s.up.Script(gatewaytest.Status(http.StatusUnauthorized, `{"error":{"message":"who"}}`))
	if before := x.Refused(); s.ask(s.host.last(), "m-a") == http.StatusOK || before != 0 || x.Refused() == 0 {
		t.Errorf("before %d, then %d", before, x.Refused())
	}
	s.edit(p, secondKey, func(*plan.Spec) {})
	if _, err := x.Admit(t.Context(), x.Prepared()); err != nil || x.Refused() != 0 {
		t.Errorf("with another key: %d, %v", x.Refused(), err)
	}
}

func TestP13_PlansThatGoBetweenTurns(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	p := s.plan()
	x := s.begin(request(p))
	first := s.host.last()
	s.edit(p, secondKey, func(s *plan.Spec) { s.Enabled = false })
	if next, err := x.Admit(t.Context(), x.Prepared()); next != nil || err != nil || s.ask(first, "m-a") != 200 || s.sent() != firstKey {
		t.Errorf("disabled: %v, %v", next, err)
	}
	// In another process it is refused, and so is a new one.
	if _, err := s.binder.Begin(t.Context(), request(p)); !errors.Is(err, problem.AccessRevoked) {
		t.Errorf("begun again: %v", err)
	}
	r := request(p)
	r.Session.ID = "s2"
	if _, err := s.binder.Begin(t.Context(), r); !errors.Is(err, problem.PlanUnusable) {
		t.Errorf("a new one: %v", err)
	}
	s.edit(p, "", func(s *plan.Spec) { s.Enabled, s.Protocol = true, preparer.Anthropic })
	if _, err := x.Admit(t.Context(), x.Prepared()); !errors.Is(err, problem.PlanUnusable) {
		t.Errorf("another protocol: %v", err)
	}
	if err := s.access.DeletePlan(t.Context(), "w", p.ID, store.AnyRevision); err != nil {
		t.Fatal(err)
	}
	if s.ask(first, "m-a") != 200 {
		t.Error("the running turn was cut")
	}
	if _, err := x.Admit(t.Context(), x.Prepared()); !errors.Is(err, problem.AccessRevoked) {
		t.Errorf("deleted: %v", err)
	}
	if got := s.ask(first, "m-a"); got != 401 {
		t.Errorf("the key of a plan that is deleted can be used after its last turn: %d", got)
	}
	if err := x.End(t.Context()); err != nil {
		t.Error(err)
	}
}

// What a host says of its turns is kept as long as the session is, whoever drives it.
func TestATurnThatIsDoneIsClaimed(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	r := request(s.plan())
	stands := func() *acceptance.Acceptance {
		t.Helper()
		a, err := s.access.Acceptance(t.Context(), "w", "dir/s1")
		if err != nil && !errors.Is(err, problem.SessionNotFound) {
			t.Fatal(err)
		}
		return a
	}
	x := s.begin(r)
	if a := stands(); a != nil {
		t.Errorf("before a turn: %+v", a)
	}
	if err := x.Claim(t.Context(), "turn-1"); err != nil {
		t.Fatal(err)
	}
	if a := stands(); a == nil || a.Step != acceptance.AgentClaimed || a.Turn != "turn-1" {
		t.Errorf("%+v", a)
	}
	if _, err := s.access.Accept(t.Context(), "w", "dir/s1", acceptance.UserAccepted, "turn-1", acceptance.Person); err != nil {
		t.Fatal(err)
	}
	if err := x.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if x = s.begin(r); stands() == nil || stands().Step != acceptance.UserAccepted {
		t.Errorf("begun again: %+v", stands())
	}
	s.host.prepared = nil // it was cleaned up
	if err := x.End(t.Context()); err != nil || stands() != nil {
		t.Errorf("%+v, %v", stands(), err)
	}
	if err := x.Claim(t.Context(), "turn-2"); !errors.Is(err, problem.SessionNotFound) {
		t.Errorf("of a session that is gone: %v", err)
	}
}

func TestTheModelOfASessionFollowsThePlan(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	p := s.plan()
	r := request(p)
	r.Model = "tutti-model-plan/m-b"
	x := s.begin(r)
	if e := s.host.last().Endpoint; e.Default != "m-b" {
		t.Errorf("begins with %q", e.Default)
	}
	s.edit(p, "", func(s *plan.Spec) { s.Models = s.Models[:1] })
	if next, err := x.Admit(t.Context(), x.Prepared()); next == nil || err != nil || s.host.last().Endpoint.Default != "m-a" || x.Snapshot().Model != "m-a" {
		t.Errorf("%v, %v", next, err)
	}
	if !strings.Contains(s.log.String(), "the model of a session") {
		t.Error("it is not said")
	}
	r.Session.ID, r.Model = "s2", "m-z"
	if _, err := s.binder.Begin(t.Context(), r); !errors.Is(err, problem.PlanUnusable) {
		t.Errorf("H41: %v", err)
	}
}

// A model that a client spells with the name of the provider is the plan's again wherever it comes back: as what a session
// begins with, as what it is bound to, and after a swap. What it is switched to is the business of package launch.
func TestP14_AModelGoesToAPrefixedClientAndBack(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"m-a", "vendor/m-b", "m:free"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, preparer.Model{Protocol: preparer.OpenAI, Addressing: preparer.ProviderPrefixed})
			p := s.plan()
			s.edit(p, "", func(s *plan.Spec) { s.Models = []plan.Model{{ID: "m-first"}, {ID: id}} })
			value := modelendpoint.Address(preparer.ProviderPrefixed, id)
			if value != "tutti-model-plan/"+id || modelendpoint.Address(preparer.ProviderPrefixed, value) != value || modelendpoint.Plain(value) != id {
				t.Errorf("it is spelt %q", value)
			}
			r := request(p)
			r.Model = value
			x := s.begin(r)
			if got := s.host.last().Endpoint.Default; got != id || x.Snapshot().Model != id {
				t.Errorf("it begins with %q, and is bound to %q", got, x.Snapshot().Model)
			}
			s.edit(p, secondKey, nil)
			if next, err := x.Admit(t.Context(), x.Prepared()); next == nil || err != nil || s.host.last().Endpoint.Default != id {
				t.Errorf("after a swap: %v, %v", s.host.last().Endpoint.Default, err)
			}
		})
	}
}

func TestTokensDieWithWhatTheyWereFor(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	p := s.plan()
	x := s.begin(request(p))
	first := s.host.last()
	// Resumed: the new one takes the place of the old one.
	y := s.begin(request(p))
	if s.ask(first, "m-a") != 401 || s.ask(s.host.last(), "m-a") != 200 {
		t.Error("the token of a session that was resumed is still good")
	}
	if _, err := x.Admit(t.Context(), x.Prepared()); err != nil {
		t.Errorf("nothing changed for the old one: %v", err)
	}
	for range 2 {
		if err := y.End(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if s.ask(s.host.last(), "m-a") != 401 {
		t.Error("the token of a session that ended is still good")
	}
	if _, err := y.Admit(t.Context(), y.Prepared()); !errors.Is(err, problem.AccessRevoked) {
		t.Errorf("a turn of a session that ended: %v", err)
	}
	// One that could not be begun leaves none, and no files.
	r := request(p)
	r.Session.ID = "s2"
	s.host.during = func() {
		if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "w", Session: "dir/s2"}); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.binder.Begin(t.Context(), r); !errors.Is(err, problem.SessionConflict) {
		t.Errorf("%v", err)
	}
	if s.ask(s.host.last(), "m-a") != 401 || s.host.cleaned != 1 {
		t.Errorf("a session that was not begun has a token, or files; %d clean-ups", s.host.cleaned)
	}
}

func TestClientsThatNeedNoGatewayGetTheKeyOrAShield(t *testing.T) {
	t.Parallel()
	s := newScene(t, direct)
	p := s.plan()
	x := s.begin(request(p))
	if e := s.host.last().Endpoint; e.Key.Reveal() != firstKey || e.BaseURL != s.up.URL()+"/v1" {
		t.Errorf("%+v", e)
	}
	s.edit(p, secondKey, nil)
	if next, err := x.Admit(t.Context(), x.Prepared()); next == nil || err != nil || s.host.last().Endpoint.Key.Reveal() != secondKey {
		t.Errorf("%v, %v", next, err)
	}
	r := request(p)
	r.Session.ID, r.Shield = "s2", true
	s.begin(r)
	if e := s.host.last().Endpoint; len(e.Key.Reveal()) != 43 || e.Protocol != preparer.OpenAI || e.BaseURL == s.up.URL()+"/v1" {
		t.Errorf("%+v", e)
	}
}

func TestAnAgentsSessionIsWhatTheAgentSays(t *testing.T) {
	t.Parallel()
	s := newScene(t, throughGateway)
	p, q := s.plan(), s.plan()
	h := agent.Harness{ID: "h", Enabled: true, Available: true, Model: throughGateway}
	a, err := s.access.CreateAgent(t.Context(), "w", h, agent.Spec{
		Name: "A", Harness: "h", Plan: p.ID, Model: "m-b", Fallbacks: []agent.Route{{Plan: q.ID}}, Instructions: "Be kind.", Skills: []string{"s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := request(plan.Plan{})
	r.Agent = a.ID
	x := s.begin(r)
	if got := s.host.last(); got.Agent.Instructions != "Be kind." || got.Agent.Name != "A" || got.Endpoint.Default != "m-b" || x.Snapshot().Agent != a.ID {
		t.Errorf("%+v", got)
	}
	s.edit(p, "", func(s *plan.Spec) { s.Enabled = false })
	r.Session.ID = "s2"
	if x = s.begin(r); x.Snapshot().Plan != q.ID || !errors.Is(x.NotUsed(), problem.PlanUnusable) {
		t.Errorf("the fallback: %+v, %v", x.Snapshot(), x.NotUsed())
	}
	s.edit(q, "", func(s *plan.Spec) { s.Enabled = false })
	r.Session.ID = "s3"
	if x = s.begin(r); x.Snapshot().Plan != "" || !noneBut(s.host.last().Endpoint, modelendpoint.Disabled) || x.NotUsed() == nil || !strings.Contains(s.log.String(), "a model plan is not used") {
		t.Errorf("the client's own login: %+v", x.Snapshot())
	}
	r.Session.Provider = "other"
	if _, err := s.binder.Begin(t.Context(), r); !errors.Is(err, problem.InvalidAgent) {
		t.Errorf("of another client: %v", err)
	}
	r = request(p)
	r.Session.ID, r.Otherwise = "s4", modelendpoint.Native
	if x = s.begin(r); x.NotUsed() == nil || !noneBut(s.host.last().Endpoint, modelendpoint.Disabled) {
		t.Error("a plan that was named, or else the own login")
	}
}

// noneBut says whether core is told of an endpoint that is none, and why, so that it says so in the session.
func noneBut(e *modelendpoint.Endpoint, why modelendpoint.Unusable) bool {
	return e != nil && e.Unusable == why && e.Otherwise == modelendpoint.Native && e.BaseURL == ""
}
