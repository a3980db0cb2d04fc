package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func spec() plan.Spec {
	return plan.Spec{
		Name: "Relay", Protocol: preparer.OpenAI, BaseURL: "https://relay.example/v1", Enabled: true,
		Models: []plan.Model{{ID: "m-a"}, {ID: "m-b"}}, Default: "m-b",
	}
}

func TestSpecsAreBroughtIntoOneForm(t *testing.T) {
	t.Parallel()
	price := &plan.Pricing{Currency: "USD", Input: 1, Output: 2}
	got, err := plan.Spec{
		Name: "  Relay ", Protocol: preparer.OpenAI, BaseURL: " https://relay.example/v1/ ", Default: " tutti-model-plan/m-a ",
		Models: []plan.Model{{ID: " m-a ", Capabilities: []string{" vision ", "", "vision"}, Pricing: price}, {ID: "m-a", Name: "again"}, {ID: " "}, {ID: "m-b", Name: "B"}},
	}.Clean()
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Spec{
		Name: "Relay", Template: plan.Custom, Protocol: preparer.OpenAI, BaseURL: "https://relay.example/v1/", Default: "m-a",
		Models: []plan.Model{{ID: "m-a", Name: "m-a", Capabilities: []string{"vision"}, Pricing: price}, {ID: "m-b", Name: "B"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again, err := got.Clean(); err != nil || !cmp.Equal(again, got) {
		t.Errorf("a second time: %v", cmp.Diff(got, again))
	}
}

func TestP02_WhatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	const typed = "typed-by-mistake"
	many := make([]plan.Model, plan.MaxModels+1)
	for field, changes := range map[string]map[string]func(*plan.Spec){
		"name": {
			"blank": func(s *plan.Spec) { s.Name = " " }, "long": func(s *plan.Spec) { s.Name = strings.Repeat("x", plan.MaxName+1) },
			"two lines": func(s *plan.Spec) { s.Name = "a\nb" },
		},
		"protocol":     {"none": func(s *plan.Spec) { s.Protocol = "" }, "another": func(s *plan.Spec) { s.Protocol = preparer.Responses }},
		"templateKind": {"another": func(s *plan.Spec) { s.Template = "gold" }},
		"baseUrl": {
			"of a subscription": func(s *plan.Spec) { s.Template = plan.OfficialSubscription },
			"control":           func(s *plan.Spec) { s.BaseURL = "https://a.example/\x00" },
		},
		"models": {
			"many": func(s *plan.Spec) { s.Models = many }, "control": func(s *plan.Spec) { s.Models = []plan.Model{{ID: "a\tb"}} },
			"context": func(s *plan.Spec) { s.Models[0].ContextTokens = -1 }, "price": func(s *plan.Spec) { s.Models[0].Pricing = &plan.Pricing{Input: -1} },
		},
		"defaultModel": {"not listed": func(s *plan.Spec) { s.Default = "m-c" }},
	} {
		for name, change := range changes {
			s := spec()
			change(&s)
			_, err := s.Clean()
			e, ok := errors.AsType[*problem.Error](err)
			if !ok || e.Code != problem.InvalidPlan || e.Field != field {
				t.Errorf("%s %s: %v", field, name, err)
			}
		}
	}
	s := spec()
	s.BaseURL = "https://user:" + typed + "@relay.example/v1"
	if _, err := s.Clean(); err == nil || strings.Contains(fmt.Sprintf("%+v", err), typed) {
		t.Errorf("%v", err)
	}
}

// The rows of the table of base URLs that are about what a plan may hold and where a session goes.
func TestH34_BaseURLs(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/plan-endpoint-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Protocol, Base, Error string
		EnvBase                   string `json:"claude_env_base"`
		Messages                  string `json:"messages_url"`
		Chat                      string `json:"chat_url"`
		Header                    string
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 12 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		s := spec()
		s.Protocol, s.BaseURL = preparer.Protocol(r.Protocol), r.Base
		clean, err := s.Clean()
		if r.Error != "" {
			if why := modelendpoint.URLError(""); !errors.As(err, &why) || string(why) != r.Error {
				t.Errorf("%s: %v, want %s", r.ID, err, r.Error)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		got := clean.Base() + "/chat/completions"
		want := r.Chat
		if s.Protocol == preparer.Anthropic {
			got, want = clean.Base()+"/v1/messages", r.Messages
			wants := map[preparer.Auth]string{preparer.APIKey: "x-api-key", preparer.Bearer: "authorization"}
			if auth := modelendpoint.AuthFor(s.Protocol, clean.Base()); wants[auth] != r.Header {
				t.Errorf("%s: the key goes as %s", r.ID, wants[auth])
			}
			if r.EnvBase != "" && clean.Base() != r.EnvBase {
				t.Errorf("%s: %s, want %s", r.ID, clean.Base(), r.EnvBase)
			}
		}
		if !strings.EqualFold(got, want) {
			t.Errorf("%s: %s, want %s", r.ID, got, want)
		}
	}
}

func TestH37_KeysAreTrimmedOnce(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"sk-test", "sk-test\n", " \tsk-test\r\n", "\uFEFFsk-test"} {
		if key, err := plan.CleanKey(typed); err != nil || key.Reveal() != "sk-test" {
			t.Errorf("%q: %v", typed, err)
		}
	}
	if key, err := plan.CleanKey(" \n"); err != nil || !key.IsZero() {
		t.Errorf("blank: %v", err)
	}
	for _, typed := range []string{"sk-te\nst", "sk-te st", "sk-tést", "sk\x00", strings.Repeat("k", plan.MaxKey+1)} {
		if _, err := plan.CleanKey(typed); !errors.Is(err, problem.InvalidPlan) || strings.Contains(fmt.Sprintf("%+v", err), typed) {
			t.Errorf("%q: %v", typed, err)
		}
	}
}

func TestAnEndpointIsMadeOfAPlan(t *testing.T) {
	t.Parallel()
	key := modelendpoint.NewKey("sk-1")
	p := plan.Plan{Spec: spec()}
	e, err := p.Endpoint(key, "")
	if err != nil || e.Default != "m-b" || e.BaseURL != "https://relay.example/v1" || e.Key != key || len(e.Models) != 2 || e.Unusable != "" {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err = p.Endpoint(key, "tutti-model-plan/m-a"); err != nil || e.Default != "m-a" {
		t.Errorf("%+v, %v", e, err)
	}
	p.BaseURL = ""
	if e, err = p.Endpoint(key, ""); err != nil || e.BaseURL != "https://api.openai.com/v1" {
		t.Errorf("without a base URL: %+v, %v", e, err)
	}
	p.BaseURL = "http://127.0.0.1:11434"
	if e, err = p.Endpoint(plan.Key{}, ""); err != nil || e.Key.IsZero() {
		t.Errorf("without a key, here: %+v, %v", e, err)
	}
	for name, change := range map[string]func(*plan.Plan){
		"no key":       func(p *plan.Plan) { p.BaseURL = "https://relay.example" },
		"no models":    func(p *plan.Plan) { p.Models = nil },
		"subscription": func(p *plan.Plan) { p.Template = plan.OfficialSubscription },
		"unreadable":   func(p *plan.Plan) { p.KeyUnreadable = true },
	} {
		q := p
		change(&q)
		if _, err := q.Endpoint(plan.Key{}, ""); !errors.Is(err, problem.PlanUnusable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestH41_AModelThatIsNotServedIsRefused(t *testing.T) {
	t.Parallel()
	_, err := plan.Plan{Spec: spec()}.Endpoint(modelendpoint.NewKey("sk-1"), "not-a-model")
	e, ok := errors.AsType[*problem.Error](err)
	if !ok || e.Code != problem.PlanUnusable || !strings.Contains(e.Hint, "m-a, m-b") {
		t.Errorf("%+v", err)
	}
}

func TestP15_TheFingerprintIsWhatARunningClientWouldNotice(t *testing.T) {
	t.Parallel()
	key := modelendpoint.NewKey("sk-1")
	p := plan.Plan{ID: "mp-1", Revision: 1, Spec: spec()}
	before := p.Fingerprint(key)
	for name, change := range map[string]func(*plan.Plan){
		"renamed": func(p *plan.Plan) { p.Name = "other" }, "next revision": func(p *plan.Plan) { p.Revision = 9 },
		"checked": func(p *plan.Plan) { p.Detection = &plan.Detection{Model: "m-a"} }, "template": func(p *plan.Plan) { p.Template = plan.Relay },
		"slash": func(p *plan.Plan) { p.BaseURL += "/" },
	} {
		q := p
		change(&q)
		if q.Fingerprint(key) != before {
			t.Errorf("%s: another fingerprint", name)
		}
	}
	for name, change := range map[string]func(*plan.Plan){
		"protocol": func(p *plan.Plan) { p.Protocol = preparer.Anthropic }, "URL": func(p *plan.Plan) { p.BaseURL = "https://b.example" },
		"models": func(p *plan.Plan) { p.Models = p.Models[:1]; p.Default = "" }, "default": func(p *plan.Plan) { p.Default = "m-a" },
		"plan": func(p *plan.Plan) { p.ID = "mp-2" },
	} {
		q := p
		change(&q)
		if q.Fingerprint(key) == before {
			t.Errorf("%s: the same fingerprint", name)
		}
	}
	if p.Fingerprint(modelendpoint.NewKey("sk-2")) == before {
		t.Error("key: the same fingerprint")
	}
}

func TestH36_OnlyACheckThatShowedSomethingMakesAPlanReady(t *testing.T) {
	t.Parallel()
	stages := func(outcomes ...plan.Outcome) *plan.Detection {
		d := &plan.Detection{}
		for i, o := range outcomes {
			d.Stages = append(d.Stages, plan.Result{Stage: plan.Stages()[i], Status: o})
		}
		return d
	}
	const p, f, s = plan.Passed, plan.Failed, plan.Skipped
	for name, c := range map[string]struct {
		d    *plan.Detection
		want plan.Status
	}{
		"never": {nil, plan.Undetected}, "empty": {stages(), plan.Undetected}, "all": {stages(p, p, p, p), plan.Ready},
		"no catalogue": {stages(p, p, s, p), plan.Ready}, "no inference": {stages(p, p, s, s), plan.DetectionFailed},
		"all skipped": {stages(s, s, s, s), plan.DetectionFailed}, "three": {stages(p, p, p), plan.DetectionFailed},
		"failed": {stages(p, p, f, p), plan.DetectionFailed},
	} {
		if got := (plan.Plan{Spec: plan.Spec{Enabled: true}, Detection: c.d}).Status(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if got := (plan.Plan{Detection: c.d}).Status(); got != plan.Disabled {
			t.Errorf("%s, disabled: %s", name, got)
		}
	}
	if plan.CodingPlan.Billing() != plan.Subscription || plan.Relay.Billing() != plan.Metered {
		t.Error("billing")
	}
}
