package page_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// theAgent is the one agent there is.
func (s *stage) theAgent() agent.Agent {
	s.Helper()
	all, err := s.access.Agents(s.Context(), "personal")
	if err != nil || len(all) != 1 {
		s.Fatalf("%d agents, %v", len(all), err)
	}
	return all[0]
}

func TestAnAgentFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p, q := s.plan("P", nil), s.plan("Q", nil)
	s.plan("Off", func(spec *plan.Spec) { spec.Enabled = false })
	s.plan("Other protocol", func(spec *plan.Spec) { spec.Protocol = preparer.Anthropic })
	got := s.get(in + "/agents/new")
	if text := words(got.root); !strings.Contains(text, "Which client is it?") || find(got.root, func(n *html.Node) bool { return attr(n, "value") == "one" }) == nil {
		t.Errorf("%s", text)
	}
	form := s.get(in + "/agents/new?client=one")
	for _, never := range []string{"Off", "Other protocol"} {
		if find(form.root, func(n *html.Node) bool { return n.Data == "optgroup" && attr(n, "label") == never }) != nil {
			t.Errorf("%s is offered", never)
		}
	}
	got = s.follow(s.press(form, in+"/agents", url.Values{
		"name": {"Reviewer"}, "modelPlanId": {p.ID + " m-b"}, "fallback-1": {q.ID}, "onPlanUnavailable": {"fail"},
		"instructions": {"Look first.\r\nThen say."}, "explicit": {"true"}, "skills": {"tdd\r\n"}, "tools": {"Read"},
	}))
	a := s.theAgent()
	if a.Harness != "one" || a.Plan != p.ID || a.Model != "m-b" || len(a.Fallbacks) != 1 || a.Fallbacks[0].Plan != q.ID || a.OnPlanUnavailable != agent.Fail ||
		a.Instructions != "Look first.\nThen say." || len(a.Skills) != 1 || a.Skills[0] != "tdd" || len(a.Tools) != 1 {
		t.Errorf("%+v", a)
	}
	at := in + "/agents/" + a.ID
	if text := words(got.root); !strings.Contains(text, "The agent is saved") || !strings.Contains(text, "greenroom run one --agent Reviewer") {
		t.Errorf("%s", text)
	}
	// The default model is another one, and nothing else changes.
	s.follow(s.press(s.get(at+"/edit"), at, url.Values{"modelPlanId": {p.ID}}))
	if b := s.theAgent(); b.Model != "" || b.Plan != p.ID || b.Instructions != a.Instructions || len(b.Fallbacks) != 1 || b.Revision != 2 || len(b.Skills) != 1 {
		t.Errorf("%+v", b)
	}
	// What cannot be used now is still there to be seen, and is said.
	if _, err := s.access.EnablePlan(t.Context(), "personal", p.ID, store.AnyRevision, false); err != nil {
		t.Fatal(err)
	}
	if text := words(s.get(at).root); !strings.Contains(text, "Its plan is not used now. The plan is disabled. Sessions get Q instead.") {
		t.Errorf("%s", text)
	}
	if text := words(s.get(in + "/agents").root); !strings.Contains(text, "Plan not usable") {
		t.Errorf("%s", text)
	}
	got = s.press(s.get(at+"/edit"), at, url.Values{"name": {"New name"}})
	if message := find(got.root, byID("modelPlanId-error")); got.status != http.StatusBadRequest || message == nil || !strings.Contains(words(message), "the plan is disabled") {
		t.Errorf("%d %s", got.status, words(got.root))
	}
	if f := find(got.root, byID("modelPlanId")); find(f, func(n *html.Node) bool { return has(n, "selected") && attr(n, "value") == p.ID }) == nil {
		t.Error("what was chosen is gone")
	}
	if _, err := s.access.EnablePlan(t.Context(), "personal", q.ID, store.AnyRevision, false); err != nil {
		t.Fatal(err)
	}
	if text := words(s.get(at).root); !strings.Contains(text, "A session of it would be refused now") {
		t.Errorf("%s", text)
	}
	old := s.fill(s.get(at+"/delete"), at+"/delete", url.Values{"revision": {"1"}})
	if got := s.submit(at+"/delete", old); got.status != http.StatusPreconditionFailed {
		t.Errorf("%d", got.status)
	}
	got = s.follow(s.press(s.get(at+"/delete"), at+"/delete", nil))
	if text := words(got.root); !strings.Contains(text, "The agent is deleted") || !strings.Contains(text, "There is no agent yet") {
		t.Errorf("%s", text)
	}
}

func TestWhatIsWrongWithAnAgentStandsNextToItsField(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.plan("P", nil)
	for name, c := range map[string]struct {
		client string
		typed  url.Values
		field  string
	}{
		"no name":          {"one", url.Values{"name": {""}}, "name"},
		"no such model":    {"one", url.Values{"modelPlanId": {p.ID + " m-z"}}, "modelPlanId"},
		"no such plan":     {"one", url.Values{"modelPlanId": {"mp-none"}}, "modelPlanId"},
		"takes no plan":    {"none", url.Values{"modelPlanId": {p.ID}}, "modelPlanId"},
		"other protocol":   {"other", url.Values{"modelPlanId": {p.ID}}, "modelPlanId"},
		"itself":           {"one", url.Values{"modelPlanId": {p.ID}, "fallback-1": {p.ID}}, "modelFallbacks"},
		"long text":        {"one", url.Values{"instructions": {strings.Repeat("x", agent.MaxInstructions+1)}}, "instructions"},
		"no such client":   {"gone", nil, "harnessAgentTargetId"},
		"skill of a novel": {"one", url.Values{"explicit": {"true"}, "skills": {strings.Repeat("x", 300)}}, "skills"},
	} {
		typed := url.Values{"name": {"A"}}
		for field, value := range c.typed {
			typed[field] = value
		}
		got := s.press(s.get(in+"/agents/new?client="+c.client), in+"/agents", typed)
		if got.status != http.StatusBadRequest || find(got.root, byID(c.field+"-error")) == nil || find(got.root, byID(c.field)) == nil {
			t.Errorf("%s: %d %s", name, got.status, words(got.root))
		}
	}
	if all, err := s.access.Agents(t.Context(), "personal"); err != nil || len(all) != 0 {
		t.Errorf("%d agents, %v", len(all), err)
	}
}

// A model of another plan is for a new session, for which there is a draft.
func TestAModelOfAnotherPlanIsForANewSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p, q := s.plan("P", nil), s.plan("Q plan", nil)
	s.follow(s.press(s.get(in+"/agents/new?client=one"), in+"/agents", url.Values{"name": {"A"}, "modelPlanId": {p.ID}, "fallback-1": {q.ID}}))
	a := s.theAgent()
	got := s.get(in + "/agents/" + a.ID)
	button := find(got.root, func(n *html.Node) bool { return attr(n, "aria-label") == "Draft a hand-off to m-b of Q plan" })
	if button == nil || find(got.root, func(n *html.Node) bool {
		return strings.HasPrefix(attr(n, "aria-label"), "Draft a hand-off to m-b of P")
	}) != nil {
		t.Fatalf("%s", words(got.root))
	}
	info := s.sessions.add("s1", true)
	if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "personal", Session: "dir/s1", Harness: "one", Plan: p.ID, Revision: 1, Model: "m-a", Agent: a.ID}); err != nil {
		t.Fatal(err)
	}
	got = s.get(in + "/sessions/" + info.Name)
	choose := find(got.root, byID("model"))
	if text := words(got.root); choose == nil || !strings.Contains(text, "from the next request on, chosen in the client: m-a, m-b") || !strings.Contains(text, "m-a of P") {
		t.Fatalf("%s", text)
	}
	if find(choose, func(n *html.Node) bool { return strings.HasPrefix(attr(n, "value"), p.ID) }) != nil {
		t.Error("models of its own plan are among those of a new session")
	}
	revision := s.snapshot("dir/s1")
	got = s.get(in + "/handoff?" + url.Values{"session": {info.Name}, "agent": {a.ID}, "model": {q.ID + " m-b"}}.Encode())
	text := words(got.root)
	if command := attr(find(got.root, byID("command")), "value"); command != "greenroom run one --cwd /project --plan "+q.ID+" --model m-b" {
		t.Errorf("%s", command)
	}
	if draft := inner(find(got.root, byID("draft"))); !strings.Contains(draft, "session s1, on m-a of P") {
		t.Errorf("%s", draft)
	}
	if !strings.Contains(text, "new_session") || !strings.Contains(text, "will apply in a new session") {
		t.Errorf("%s", text)
	}
	if now := s.snapshot("dir/s1"); now != revision {
		t.Errorf("the draft changed the session: %+v", now)
	}
	for query, status := range map[string]int{
		"client=one&model=" + q.ID + "+m-z": http.StatusConflict, "client=one&model=mp-none": http.StatusNotFound, "": http.StatusBadRequest,
		"client=other&model=" + q.ID: http.StatusConflict, "agent=none": http.StatusNotFound, "session=none": http.StatusNotFound, "client=one": http.StatusOK,
	} {
		if got := s.get(in + "/handoff?" + query); got.status != status {
			t.Errorf("%s: %d", query, got.status)
		}
	}
}

func (s *stage) snapshot(session string) store.Snapshot {
	s.Helper()
	snap, err := s.access.Session(s.Context(), "personal", session)
	if err != nil {
		s.Fatal(err)
	}
	return snap
}

// What a plan is used by is listed as far as a person reads, however many agents there are.
func TestAThousandAgentsOfOnePlan(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.plan("P", func(*plan.Spec) {})
	for i := range 1000 {
		s.agent(agent.Spec{Name: "Agent " + strconv.Itoa(i), Harness: "one", Plan: p.ID})
	}
	for _, at := range []string{"/plans/" + p.ID, "/plans/" + p.ID + "/delete", "/agents"} {
		got := s.get(in + at)
		if len(got.text) > 128<<10 {
			t.Errorf("%s has %d bytes", at, len(got.text))
		}
		if at != "/agents" && !strings.Contains(words(got.root), "and 950 more") {
			t.Errorf("%s does not say how many there are: %s", at, words(got.root))
		}
	}
}
