package page_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/api"
)

// Whatever is sent to whatever address of the page, nothing fails on our side, and no answer holds the key.
func TestWhateverIsSentIsAnswered(t *testing.T) {
	t.Parallel()
	// The clock runs fast, so that the limit of requests is none here.
	var ticks atomic.Int64
	begun := time.Now()
	s := newStageAt(t, func() time.Time { return begun.Add(time.Duration(ticks.Add(1)) * 100 * time.Millisecond) })
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	p, q := s.plan("P", nil), s.plan("Q", nil)
	a := s.agent(agent.Spec{Name: "A", Harness: "one", Plan: p.ID, Fallbacks: []agent.Route{{Plan: q.ID}}})
	info := s.sessions.add("s1", true)
	word := s.word()
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	value := func() string {
		return pick("", "x", "1", "2", "-1", "true", "false", p.ID, q.ID, p.ID+" m-a", p.ID+" m-z", "mp-none", "one", "none", "openai", "anthropic", "relay", "native", "fail", "128k",
			"https://a.example", "http://127.0.0.1:1", "://", "\x00", "\xff\xfe", "a\r\nb", strings.Repeat("y", 3000), "☂", "<b>", "../..", "%2e%2e")
	}
	fields := []string{
		"name", "protocol", "templateKind", "baseUrl", "apiKey", "more", "defaultModel", "enabled", "revision", "removeKey", "model-0-id", "model-0-name", "model-0-context", "model-0-remove",
		"model-1-id", "model", "harnessAgentTargetId", "modelPlanId", "fallback-1", "fallback-2", "onPlanUnavailable", "instructions", "explicit", "skills", "tools", "callConditions", "description", "keep", "token", "next",
	}
	kinds := map[string]int{}
	for range 1500 {
		to := pick("/plans", "/plans/new", "/plans/ID", "/plans/ID/edit", "/plans/ID/enabled", "/plans/ID/duplicate", "/plans/ID/models", "/plans/ID/delete", "/agents", "/agents/new", "/agents/AGENT",
			"/agents/AGENT/edit", "/agents/AGENT/delete", "/sessions", "/sessions/NAME", "/sessions/NAME/stop", "/sessions/NAME/cleanup", "/handoff", "/nothing", "")
		if r.IntN(4) > 0 {
			to = strings.NewReplacer("ID", pick(p.ID, q.ID), "AGENT", a.ID, "NAME", info.Name).Replace(to)
		} else {
			odd := url.PathEscape(pick("mp-none", "\x00", "\xff", "a\nb", strings.Repeat("n", 500), "..", "a/b"))
			to = strings.NewReplacer("ID", odd, "AGENT", odd, "NAME", odd).Replace(to)
		}
		to = "/w/" + url.PathEscape(pick("personal", "personal", "personal", "personal", "team", "\x00", strings.Repeat("w", 2000), "a b/c")) + to
		form := url.Values{"csrf": {word}}
		for range r.IntN(12) {
			form.Set(fields[r.IntN(len(fields))], value())
		}
		if strings.HasSuffix(to, "/delete") && r.IntN(10) > 0 {
			form.Set("revision", "99") // or soon there would be nothing left
		}
		if form.Has("apiKey") {
			form.Set("apiKey", canary)
		}
		var got shown
		if r.IntN(2) == 0 {
			form.Del("csrf")
			form.Del("apiKey") // no form puts it into an address
			got = s.send(s.request(http.MethodGet, to+"?"+form.Encode()+"&q="+url.QueryEscape(value())+"&page="+url.QueryEscape(value())+"&client="+url.QueryEscape(value())+"&session="+url.QueryEscape(value()), nil))
		} else {
			got = s.send(s.request(http.MethodPost, to, form))
		}
		if got.status >= 500 {
			t.Errorf("%s with %v: %d %s", to, form, got.status, words(got.root))
		}
		kinds[fmt.Sprint(got.status)]++
		if strings.Contains(got.text, canary) {
			t.Errorf("P17: the key is on %s", to)
		}
	}
	if len(kinds) < 6 || kinds["404"] > 1000 {
		t.Errorf("only these answers were seen: %v", kinds)
	}
}

// An address with what no id can have leads nowhere, and asks the store for nothing.
func TestIdsOfNothingAreNotFound(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, odd := range []string{"%00", "%ff", "a%0ab"} {
		for _, to := range []string{"/w/" + odd + "/plans", "/w/" + odd + "/agents/new", in + "/plans/" + odd, in + "/agents/" + odd + "/edit", in + "/sessions/" + odd} {
			if got := s.get(to); got.status != http.StatusNotFound || !strings.Contains(words(got.root), "Not found") {
				t.Errorf("%s: %d %s", to, got.status, words(got.root))
			}
		}
	}
}

// Programs that listen to changes hear of the checks that a person begins on the page.
func TestProgramsHearOfChecksOfThePage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	programs := httptest.NewServer(api.New(api.Config{Access: s.access, Token: token, Events: s.events, Now: time.Now}))
	t.Cleanup(programs.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, programs.URL+"/v1/workspaces/personal/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := programs.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	heard := bufio.NewScanner(resp.Body)
	heard.Scan() // it listens
	p := s.plan("P", nil)
	at := in + "/plans/" + p.ID
	s.follow(s.press(s.get(at), at+"/check", nil))
	told := map[string]int{}
	for name := ""; heard.Scan() && name != "model_plan_detection_changed"; {
		if event, ok := strings.CutPrefix(heard.Text(), "event: "); ok {
			name = event
		}
		if strings.Contains(heard.Text(), `"planId":"`+p.ID+`"`) {
			told[name]++
		}
		if strings.Contains(heard.Text(), canary) {
			t.Error("P17: an event holds the key")
		}
	}
	// What could not be asked, as nothing answers, did not begin.
	if told["model_plan_detection_stage"] != 4 || told["model_plan_detection_began"] != 1 {
		t.Errorf("%v", told)
	}
}
