package page_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

func TestAPlanFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if got := s.get(in + "/plans"); !strings.Contains(words(got.root), "There is no plan yet") || find(got.root, leads(in+"/plans/new")) == nil {
		t.Errorf("%s", words(got.root))
	}
	got := s.follow(s.press(s.get(in+"/plans/new"), in+"/plans", url.Values{
		"name": {"Work"}, "baseUrl": {"http://127.0.0.1:1/v1"}, "apiKey": {canary}, "more": {"m-a\r\n\r\n m-b \r\n"},
	}))
	if text := words(got.root); !strings.Contains(text, "The plan is saved") || !strings.Contains(text, "Not checked") || !strings.Contains(text, "stored encrypted") {
		t.Errorf("%s", text)
	}
	p := s.only()
	if !p.Enabled || !p.HasKey || len(p.Models) != 2 || p.Models[1].ID != "m-b" || p.Detection != nil || p.Template != plan.Custom {
		t.Errorf("%+v", p)
	}
	at := in + "/plans/" + p.ID

	// An edit keeps the key when none is typed, and what the form does not show of a model.
	if _, err := s.access.UpdatePlan(t.Context(), "personal", p.ID, 1, func(p plan.Plan) (store.Edit, error) {
		p.Models[0].Capabilities, p.Models[0].Pricing = []string{"vision"}, &plan.Pricing{Currency: "EUR", Input: 5}
		return store.Edit{Spec: p.Spec}, nil
	}); err != nil {
		t.Fatal(err)
	}
	edit := s.get(at + "/edit")
	if attr(find(edit.root, byID("apiKey")), "value") != "" {
		t.Error("the field of the key holds something")
	}
	s.follow(s.press(edit, at, url.Values{"name": {"Renamed"}, "model-0-context": {"128k"}, "model-0-images": {"1"}, "model-1-remove": {"1"}, "more": {"m-c"}, "defaultModel": {"m-c"}}))
	p = s.only()
	if p.Name != "Renamed" || !p.HasKey || len(p.Models) != 2 || p.Models[0].ContextTokens != 128_000 || !p.Models[0].Images || p.Models[0].Pricing == nil ||
		p.Models[0].Capabilities[0] != "vision" || p.Models[1].ID != "m-c" || p.Default != "m-c" {
		t.Errorf("%+v", p)
	}
	// The model that was the default takes that with it when it goes.
	s.follow(s.press(s.get(at+"/edit"), at, url.Values{"model-1-remove": {"1"}}))
	if p = s.only(); p.Default != "" || len(p.Models) != 1 {
		t.Errorf("%+v", p)
	}
	s.follow(s.press(s.get(at), at+"/enabled", nil))
	if p = s.only(); p.Enabled {
		t.Error("it is enabled")
	}
	got = s.follow(s.press(s.get(at), at+"/enabled", nil))
	if p = s.only(); !p.Enabled || !strings.Contains(words(got.root), "The plan is enabled") {
		t.Error("it is disabled")
	}
	s.follow(s.press(s.get(at+"/edit"), at, url.Values{"removeKey": {"1"}}))
	if p = s.only(); p.HasKey {
		t.Error("the key is there")
	}
	got = s.follow(s.press(s.get(at), at+"/duplicate", nil))
	if text := words(got.root); !strings.Contains(text, "Renamed copy") || !strings.Contains(text, "Disabled") {
		t.Errorf("P11: %s", text)
	}
	got = s.follow(s.press(s.get(at+"/delete"), at+"/delete", nil))
	if text := words(got.root); !strings.Contains(text, "The plan is deleted") || find(got.root, leads(at)) != nil {
		t.Errorf("%s", text)
	}
	if got := s.get(at); got.status != http.StatusNotFound {
		t.Errorf("%d", got.status)
	}
}

func leads(to string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == "a" && attr(n, "href") == to }
}

// only is the one plan there is.
func (s *stage) only() plan.Plan {
	s.Helper()
	all, err := s.access.Plans(s.Context(), "personal")
	if err != nil || len(all) != 1 {
		s.Fatalf("%d plans, %v", len(all), err)
	}
	return all[0]
}

func TestWhatIsWrongStandsNextToItsField(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, c := range map[string]struct {
		typed url.Values
		field string
		want  string
	}{
		"no name":     {url.Values{"name": {" "}}, "name", "The name is blank."},
		"P02 default": {url.Values{"defaultModel": {"m-z"}}, "defaultModel", "The default model is none of the models"},
		"user name":   {url.Values{"baseUrl": {"https://u:" + canary + "@a.example"}}, "baseUrl", "The base URL holds a user name"},
		"no scheme":   {url.Values{"baseUrl": {"a.example/v1"}}, "baseUrl", "give it as in https://"},
		"protocol":    {url.Values{"protocol": {"smtp"}}, "protocol", "The protocol is neither"},
		"kind":        {url.Values{"templateKind": {"smtp"}}, "templateKind", "The kind is none"},
		"key":         {url.Values{"apiKey": {canary + " two words"}}, "apiKey", "copy the key again"},
		"login":       {url.Values{"templateKind": {"official_subscription"}}, "apiKey", "none of an official subscription"},
		"login, URL":  {url.Values{"templateKind": {"official_subscription"}, "baseUrl": {"https://a.example"}, "apiKey": {""}}, "baseUrl", "none of an official subscription"},
		"many models": {url.Values{"more": {manyModels(plan.MaxModels + 1)}}, "models", "are more than"},
	} {
		typed := url.Values{"name": {"Typed name"}, "apiKey": {canary}, "more": {"m-a"}}
		for field, value := range c.typed {
			typed[field] = value
		}
		got := s.press(s.get(in+"/plans/new"), in+"/plans", typed)
		message := find(got.root, byID(c.field+"-error"))
		if got.status != http.StatusBadRequest || message == nil || !strings.Contains(strings.ToLower(words(message)), strings.ToLower(c.want)) {
			t.Errorf("%s: %d %s", name, got.status, words(got.root))
			continue
		}
		if f := find(got.root, byID(c.field)); f.Data != "fieldset" && (attr(f, "aria-invalid") != "true" || !strings.Contains(attr(f, "aria-describedby"), c.field+"-error")) {
			t.Errorf("%s: the field is %+v", name, f.Attr)
		}
		if alert := find(got.root, func(n *html.Node) bool { return attr(n, "role") == "alert" }); alert == nil || find(alert, leads("#"+c.field)) == nil {
			t.Errorf("%s: nothing leads to the field", name)
		}
		if name != "no name" && attr(find(got.root, byID("name")), "value") != "Typed name" {
			t.Errorf("%s: what was typed is gone", name)
		}
	}
	if all, err := s.access.Plans(t.Context(), "personal"); err != nil || len(all) != 0 {
		t.Errorf("%d plans, %v", len(all), err)
	}
}

// Whoever has the page and not the key cannot have it sent to an endpoint of their own.
func TestAKeyStaysWithTheAddressThatItWasEnteredFor(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.plan("P", func(spec *plan.Spec) { spec.BaseURL = "https://api.example.com/v1" })
	at := in + "/plans/" + p.ID
	for _, moved := range []url.Values{
		{"baseUrl": {"https://evil.example/v1"}}, {"baseUrl": {"http://api.example.com/v1"}}, {"baseUrl": {"https://api.example.com:8443/v1"}}, {"baseUrl": {""}},
		{"baseUrl": {"https://api.example.com.evil.example"}}, {"baseUrl": {""}, "protocol": {"anthropic"}},
	} {
		got := s.press(s.get(at+"/edit"), at, moved)
		if message := find(got.root, byID("apiKey-error")); got.status != http.StatusBadRequest || message == nil || !strings.Contains(words(message), "was entered for another address") {
			t.Errorf("%v: %d %s", moved, got.status, words(got.root))
		}
	}
	if now := s.only(); now.Revision != 1 {
		t.Errorf("%+v", now)
	}
	for _, fine := range []url.Values{
		{"baseUrl": {"https://api.example.com/openai/v1"}}, {"baseUrl": {"https://other.example"}, "apiKey": {canary}}, {"baseUrl": {"https://third.example"}, "removeKey": {"1"}},
		{"baseUrl": {"https://fourth.example"}},
	} {
		if got := s.press(s.get(at+"/edit"), at, fine); got.status != http.StatusSeeOther {
			t.Errorf("%v: %d %s", fine, got.status, words(got.root))
		}
	}
}

func manyModels(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "m-%d\n", i)
	}
	return text.String()
}

func TestP05_TwoEditsOfOnePlan(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.plan("P", nil)
	at := in + "/plans/" + p.ID
	mine, theirs := s.get(at+"/edit"), s.get(at+"/edit")
	s.follow(s.press(theirs, at, url.Values{"name": {"Theirs"}}))
	got := s.press(mine, at, url.Values{"name": {"Mine"}})
	if got.status != http.StatusPreconditionFailed || !strings.Contains(words(got.root), "Somebody else changed it") || attr(find(got.root, byID("name")), "value") != "Mine" {
		t.Fatalf("%d %s", got.status, words(got.root))
	}
	if s.only().Name != "Theirs" {
		t.Error("the first edit is lost")
	}
	s.follow(s.press(got, at, nil))
	if s.only().Name != "Mine" {
		t.Error("saving once more does not")
	}
	for _, action := range []string{"/enabled", "/delete"} {
		form := s.fill(s.get(at+map[string]string{"/delete": "/delete"}[action]), at+action, url.Values{"revision": {"1"}})
		if got := s.submit(at+action, form); got.status != http.StatusPreconditionFailed {
			t.Errorf("%s: %d", action, got.status)
		}
		form.Set("revision", "-1")
		if got := s.submit(at+action, form); got.status != http.StatusBadRequest {
			t.Errorf("%s of any revision: %d", action, got.status)
		}
	}
	if s.only().Name != "Mine" {
		t.Error("it is gone")
	}
}

func TestP10_WhatUsesAPlanIsShownBeforeItIsDeleted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p, q := s.plan("P", nil), s.plan("Q", nil)
	at := in + "/plans/" + q.ID
	before := s.get(at + "/delete")
	a := s.agent(agent.Spec{Name: "User of it", Harness: "one", Plan: p.ID, Fallbacks: []agent.Route{{Plan: q.ID}}})
	got := s.get(at + "/delete")
	if text := words(got.root); !strings.Contains(text, "User of it as a stand-in") || find(got.root, leads(in+"/agents/"+a.ID)) == nil || find(got.root, isForm(at+"/delete")) != nil {
		t.Errorf("%s", text)
	}
	if got := s.press(before, at+"/delete", nil); got.status != http.StatusConflict || !strings.Contains(words(got.root), "User of it") {
		t.Errorf("%d %s", got.status, words(got.root))
	}
	if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "personal", Session: "dir/s1", Harness: "one", Plan: q.ID, Revision: 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.access.DeleteAgent(t.Context(), "personal", a.ID, store.AnyRevision); err != nil {
		t.Fatal(err)
	}
	// A session is told of, and keeps nothing from being deleted.
	got = s.get(at + "/delete")
	if text := words(got.root); !strings.Contains(text, "Session s1") || !strings.Contains(text, "end with the turn that runs") {
		t.Errorf("%s", text)
	}
	s.follow(s.press(got, at+"/delete", nil))
}

func isForm(action string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == "form" && attr(n, "action") == action }
}

func TestP12_AKeyThatCannotBeReadIsEnteredAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.plan("P", nil)
	s.plan("Q", nil)
	s.loseKeys()
	got := s.get(in + "/plans")
	if text := words(got.root); strings.Count(text, "key cannot be read") != 2 {
		t.Errorf("%s", text)
	}
	at := in + "/plans/" + p.ID
	got = s.press(s.get(at+"/edit"), at, url.Values{"name": {"X"}})
	if got.status != http.StatusBadRequest || find(got.root, byID("apiKey-error")) == nil {
		t.Errorf("%d %s", got.status, words(got.root))
	}
	s.follow(s.press(got, at, url.Values{"apiKey": {"sk-fresh-key"}}))
	if p, err := s.access.Plan(t.Context(), "personal", p.ID); err != nil || p.KeyUnreadable || p.Name != "X" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestAThousandPlansAreFoundAndPaged(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range 1000 {
		s.plan("Plan "+strconv.Itoa(i), func(spec *plan.Spec) { spec.Enabled = i%10 != 0 })
	}
	seen := map[string]bool{}
	at, pages := in+"/plans", 0
	for at != "" {
		got := s.get(at)
		if len(got.text) > 128<<10 {
			t.Errorf("%s has %d bytes", at, len(got.text))
		}
		for n := range all(got.root) {
			if attr(n, "class") == "go" {
				seen[attr(n, "href")] = true
			}
		}
		at = ""
		if next := find(got.root, func(n *html.Node) bool { return attr(n, "rel") == "next" }); next != nil {
			at = attr(next, "href")
		}
		if pages++; pages > 100 {
			t.Fatal("the pages do not end")
		}
	}
	if len(seen) != 1000 || pages != 20 {
		t.Errorf("%d plans on %d pages", len(seen), pages)
	}
	for query, want := range map[string]string{"?q=plan+77": "11 of 1000 plans", "?status=disabled": "100 of 1000 plans", "?q=nothing+so": "No plan is like that", "?page=999": "951 to 1000 of 1000", "?page=-1&q=127.0": "1 to 50 of 1000"} {
		if got := s.get(in + "/plans" + query); !strings.Contains(words(got.root), want) {
			t.Errorf("%s: %s", query, words(got.root)[:300])
		}
	}
	// A plan is still chosen for an agent from one list.
	got := s.get(in + "/agents/new?client=one")
	options := 0
	for n := range all(find(got.root, byID("modelPlanId"))) {
		if n.Data == "option" {
			options++
		}
	}
	if options != 1+900*3 {
		t.Errorf("%d models to choose from", options)
	}
}
