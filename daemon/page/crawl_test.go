package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// Every link and every form that asks for something leads to a page, and none to another site. Nowhere is the key.
func TestEveryLinkLeadsToAPage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	up := endpoint(t, canary, nil)
	p := s.plan("P & <co>", func(spec *plan.Spec) { spec.BaseURL = up.URL() })
	q := s.plan("Q", func(spec *plan.Spec) { spec.Template = plan.Relay })
	s.plan("Off", func(spec *plan.Spec) { spec.Enabled, spec.Models = false, nil })
	s.follow(s.press(s.get(in+"/plans/"+p.ID), in+"/plans/"+p.ID+"/check", nil))
	a := s.agent(agent.Spec{Name: "A 'quoted' agent", Harness: "one", Plan: p.ID, Fallbacks: []agent.Route{{Plan: q.ID, Model: "m-b"}}})
	s.agent(agent.Spec{Name: "Plain", Harness: "one"})
	info := s.sessions.add("s1", false)
	s.sessions.add("s2", true)
	if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "personal", Session: "dir/s1", Harness: "one", Plan: p.ID, Revision: 1, Model: "m-a", Agent: a.ID}); err != nil {
		t.Fatal(err)
	}
	seen, posts := map[string]bool{}, map[string]bool{}
	next := []string{"/", "/w?name=" + url.QueryEscape("team / two")}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if at, _, _ = strings.Cut(at, "#"); seen[at] {
			continue
		}
		seen[at] = true
		got := s.get(at)
		for got.status == http.StatusSeeOther {
			got = s.get(got.header.Get("Location"))
		}
		if got.status != http.StatusOK {
			t.Errorf("%s: %d", at, got.status)
		}
		for n := range all(got.root) {
			to := attr(n, "href")
			if n.Data == "form" && attr(n, "method") == "get" && attr(n, "action") != "" {
				query := url.Values{}
				for f := range all(n) {
					if name := attr(f, "name"); name != "" && (f.Data == "input" && attr(f, "type") != "radio" || f.Data == "input" && has(f, "checked")) {
						query.Set(name, attr(f, "value"))
					}
				}
				to = attr(n, "action") + "?" + query.Encode()
			} else if n.Data == "form" {
				posts[attr(n, "action")] = true
			}
			if to == "" {
				continue
			}
			if !strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "#") || strings.HasPrefix(to, "//") {
				t.Errorf("%s leads to %s", at, to)
				continue
			}
			if strings.HasPrefix(to, "/") {
				next = append(next, to)
			}
		}
	}
	for _, want := range []string{"/plans/" + p.ID + "/edit", "/agents/" + a.ID + "/delete", "/sessions/" + info.Name + "/cleanup", "/agents/new?client=none"} {
		if !seen[in+want] {
			t.Errorf("nothing leads to %s", want)
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d pages were found", len(seen))
	}
	// Nothing is chosen for what did not name it, and nothing is judged or asked behind a person's back.
	for to := range posts {
		for _, never := range []string{"current", "select", "use", "binding", "polic", "consult", "review", "switch", "default"} {
			if strings.Contains(strings.TrimPrefix(to, in), never) {
				t.Errorf("there is a form to %s", to)
			}
		}
	}
	if strings.Contains(s.said.String(), canary) {
		t.Error("P17: the key is on a page")
	}
}
