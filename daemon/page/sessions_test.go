package page_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

func TestASessionIsSeenStoppedAndCleanedUp(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if text := words(s.get(in + "/sessions").root); !strings.Contains(text, "There is no session") {
		t.Errorf("%s", text)
	}
	info := s.sessions.add("running", true, core.Node{Place: "session:home/config.toml", Kind: "file", Size: 12, Why: "settings"}, core.Node{Place: "session:home", Kind: "dir"},
		core.Node{Place: "session:home/skills/tdd", Kind: "link", Target: "/store/tdd"}, core.Node{Place: "workspace:AGENTS.md", Kind: "block"})
	s.sessions.add("waiting", false)
	at := in + "/sessions/" + info.Name
	if text := words(s.get(in + "/sessions").root); !strings.Contains(text, "▶ Running") || !strings.Contains(text, "○ Ready") {
		t.Errorf("%s", text)
	}
	got := s.get(at)
	text := words(got.root)
	for _, want := range []string{"config.toml file 12 B settings", "tdd link → /store/tdd", "AGENTS.md block", "ONE_HOME ••••••••", "SECRET_TOKEN ••••••••", "skills; without memories", "A client runs in it."} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in %s", want, text)
		}
	}
	nested := find(got.root, func(n *html.Node) bool {
		return n.Data == "ul" && n.Parent.Data == "li" && strings.Contains(words(n), "config.toml")
	})
	if nested == nil {
		t.Error("the tree is flat")
	}
	// Its client runs, so the way to clean up is to stop it first.
	ask := s.get(at + "/cleanup")
	if find(ask.root, isForm(at+"/cleanup")) != nil || !strings.Contains(words(ask.root), "Its client runs") {
		t.Errorf("%s", words(ask.root))
	}
	if got := s.submit(at+"/cleanup", url.Values{"csrf": {s.word()}}); got.status != http.StatusConflict || !strings.Contains(words(got.root), "Stop the client first.") {
		t.Errorf("%d %s", got.status, words(got.root))
	}
	got = s.follow(s.press(ask, at+"/stop", nil))
	if len(s.sessions.stopped) != 1 || s.sessions.stopped[0] != info.Ref || !strings.Contains(words(got.root), "The client has stopped") {
		t.Errorf("%v %s", s.sessions.stopped, words(got.root))
	}
	at = in + "/sessions/" + manifest.Name("dir", "waiting")
	got = s.follow(s.press(s.get(at+"/cleanup"), at+"/cleanup", url.Values{"keep": {"transcripts"}}))
	if len(s.sessions.cleaned) != 1 || s.sessions.cleaned[0] != "waiting" || s.sessions.keep != core.KeepTranscripts || !strings.Contains(words(got.root), "The session is gone") {
		t.Errorf("%v %s", s.sessions.cleaned, words(got.root))
	}
	s.sessions.report.Kept = []manifest.Kept{{Place: "workspace:AGENTS.md", Reason: "it was changed"}}
	if got := s.press(s.get(at+"/cleanup"), at+"/cleanup", nil); got.status != http.StatusOK || !strings.Contains(words(got.root), "workspace:AGENTS.md it was changed") {
		t.Errorf("%d %s", got.status, words(got.root))
	}
	if got := s.get(in + "/sessions/none"); got.status != http.StatusNotFound {
		t.Errorf("%d", got.status)
	}
}

// A session that a check began is nobody's work, and is not shown as if it were. One of a like name is.
func TestASessionOfACheckIsShownAsOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.sessions.add("check-mine", false)
	check := s.sessions.add("check-0011223344556677", true)
	s.sessions.all[1].Ref.Workspace = "plan-check"
	if text := words(s.get(in + "/sessions").root); strings.Count(text, "A check of a subscription") != 1 || strings.Count(text, "/project") != 1 {
		t.Errorf("%s", text)
	}
	if text := words(s.get(in + "/sessions/" + check.Name).root); !strings.Contains(text, "A check of a subscription began it.") {
		t.Errorf("%s", text)
	}
	if text := words(s.get(in + "/sessions/" + manifest.Name("dir", "check-mine")).root); strings.Contains(text, "A check of") {
		t.Errorf("%s", text)
	}
}

// A session of an agent on its client's own login is bound to no plan, and says so.
func TestASessionOnItsOwnLoginNamesNoPlan(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	here := s.sessions.add("own", false)
	for _, session := range []string{"dir/own", "dir/elsewhere"} {
		if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "personal", Session: session, Harness: "one", Agent: "workspace-agent:x"}); err != nil {
			t.Fatal(err)
		}
	}
	text := words(s.get(in + "/sessions").root)
	if !strings.Contains(text, "dir/elsewhere one its own login, since") || strings.Contains(text, " of ,") {
		t.Errorf("%s", text)
	}
	if got := s.get(in + "/sessions/" + here.Name); got.status != http.StatusOK || strings.Contains(words(got.root), "Of the same plan") {
		t.Errorf("%d %s", got.status, words(got.root))
	}
}

func TestADamagedSessionHidesNoOtherAndCanBeCleanedUp(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	info := s.sessions.add("bad", false)
	s.sessions.add("good", false)
	s.sessions.damaged = map[string]bool{info.Name: true}
	if text := words(s.get(in + "/sessions").root); !strings.Contains(text, "good") || !strings.Contains(text, "Damaged") {
		t.Errorf("%s", text)
	}
	at := in + "/sessions/" + info.Name
	if text := words(s.get(at).root); !strings.Contains(text, "Its record cannot be read") {
		t.Errorf("%s", text)
	}
	s.follow(s.press(s.get(at+"/cleanup"), at+"/cleanup", nil))
	if len(s.sessions.cleaned) != 1 || s.sessions.cleaned[0] != info.Name {
		t.Errorf("%v", s.sessions.cleaned)
	}
}

func TestSessionsOfOtherMachinesAreToldOf(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.plan("Shared", nil)
	if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "personal", Session: "there/s9", Harness: "one", Plan: p.ID, Revision: 1, Model: "m-a"}); err != nil {
		t.Fatal(err)
	}
	if text := words(s.get(in + "/sessions").root); !strings.Contains(text, "there/s9 one m-a of Shared") {
		t.Errorf("%s", text)
	}
}

// Only a person accepts work, and the turn that they saw.
func TestAPersonAcceptsTheTurnThatTheyLookAt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.plan("P", nil)
	info := s.sessions.add("s1", false)
	at := in + "/sessions/" + info.Name
	if got := s.submit(at+"/accept", url.Values{"csrf": {s.word()}, "turn": {"t1"}}); got.status != http.StatusBadRequest {
		t.Errorf("on no plan: %d", got.status)
	}
	if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "personal", Session: "dir/s1", Harness: "one", Plan: p.ID, Revision: 1}); err != nil {
		t.Fatal(err)
	}
	if got := s.get(at); find(got.root, isForm(at+"/accept")) != nil {
		t.Error("nothing was claimed, and can be accepted")
	}
	claim := func(turn string) shown {
		if _, err := s.access.Accept(t.Context(), "personal", "dir/s1", acceptance.AgentClaimed, turn, acceptance.Program); err != nil {
			t.Fatal(err)
		}
		return s.get(at)
	}
	seen := claim("t1")
	if text := words(seen.root); !strings.Contains(text, "Turn t1 The agent says that it is done. Nobody has looked at it.") {
		t.Errorf("%s", text)
	}
	got := s.follow(s.press(seen, at+"/accept", nil))
	if text := words(got.root); !strings.Contains(text, "A person accepted it.") || find(got.root, isForm(at+"/accept")) != nil {
		t.Errorf("%s", text)
	}
	if text := words(claim("t2").root); !strings.Contains(text, "Turn t2 The agent says that it is done.") {
		t.Errorf("%s", text)
	}
	if got := s.press(s.get(at), at+"/accept", url.Values{"turn": {" "}}); got.status != http.StatusBadRequest {
		t.Errorf("no turn: %d", got.status)
	}
	// What was claimed, and what was accepted, stays when the host of the session has ended.
	if err := s.access.EndSession(t.Context(), "personal", "dir/s1"); err != nil {
		t.Fatal(err)
	}
	got = s.follow(s.press(s.get(at), at+"/accept", nil))
	if text := words(got.root); !strings.Contains(text, "Turn t2 A person accepted it.") {
		t.Errorf("%s", text)
	}
	if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "personal", Session: "dir/s1", Harness: "one", Plan: p.ID, Revision: 1}); err != nil {
		t.Fatal(err)
	}
	if text := words(s.get(at).root); !strings.Contains(text, "Turn t2 A person accepted it.") {
		t.Errorf("%s", text)
	}
	// Cleaned up it uses the plan no more, whether its host said so or not.
	s.follow(s.press(s.get(at+"/cleanup"), at+"/cleanup", nil))
	if refs, err := s.access.References(t.Context(), "personal", p.ID); err != nil || len(refs) != 0 {
		t.Errorf("%+v, %v", refs, err)
	}
	if a, err := s.access.Acceptance(t.Context(), "personal", "dir/s1"); !errors.Is(err, problem.SessionNotFound) {
		t.Errorf("%+v, %v", a, err)
	}
}
