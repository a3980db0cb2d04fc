package conformance_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// driven are the clients whose transport core/launch speaks.
var driven = []client{kimi, opencode}

func eachDriven(t *testing.T, run func(*testing.T, client)) {
	t.Helper()
	for _, c := range driven {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run(t, c)
		})
	}
}

// launch opens a connection to the client of a session.
func (g *greenroom) launch(p *core.Prepared, policy launch.Policy) *launch.Conn {
	g.Helper()
	c, err := launch.Open(g.Context(), p, launch.Options{Host: g.host, Environ: g.environ, Policy: policy})
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() {
		if err := c.Close(); err != nil {
			g.Error(err)
		}
	})
	return c
}

// asks makes a client that runs commands unasked ask for them.
func asks(s *stage) {
	if s.client.name == opencode.name {
		config := opencodeConfig(s, "user_server")
		config["permission"] = map[string]any{"bash": "ask"}
		rig.Write(s, s.inHome(".config/opencode/opencode.json"), encode(s, config))
	}
}

// converse runs a turn and gives what was said, and the last event.
func (g *greenroom) converse(c *launch.Conn, prompt string) (string, launch.Event) {
	g.Helper()
	var said strings.Builder
	var last launch.Event
	for e := range c.Prompt(g.Context(), launch.Block{Text: prompt}) {
		if last = e; e.Kind == launch.Text {
			said.WriteString(e.Text)
		}
	}
	return said.String(), last
}

// A client is driven for three turns, in the last of which it is asked in a second process to go on.
func TestLaunch_ThreeTurnsAndResume(t *testing.T) {
	t.Parallel()
	eachDriven(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("answer-one"), upstream.Say("answer-two"), upstream.Say("answer-three"))
		g := s.open()
		p := g.prepare(g.session("launch", core.Desktop))
		conn := g.launch(p, nil)
		talk, err := conn.NewSession(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"answer-one", "answer-two"} {
			if said, last := g.converse(conn, "hello"); said != want || last.Reason != launch.Finished {
				t.Fatalf("the client said %q and ended with %+v, want %q", said, last, want)
			}
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		again := g.launch(g.prepare(g.session("launch", core.Desktop)), nil)
		resumed, err := again.Resume(t.Context(), talk.ID)
		if err != nil || resumed.Replaced || resumed.ID != talk.ID {
			t.Fatalf("resumed %+v, %v", resumed, err)
		}
		if said, last := g.converse(again, "and on"); said != "answer-three" || last.Reason != launch.Finished {
			t.Fatalf("the resumed client said %q and ended with %+v", said, last)
		}
		third := s.turns(3)[2]
		for _, word := range []string{"answer-one", "answer-two"} {
			if !strings.Contains(string(third.Body), word) {
				t.Errorf("the third request does not hold %s", word)
			}
		}
	})
}

// A command runs when the host allows it, and not when it denies it.
func TestLaunch_PermissionDecides(t *testing.T) {
	t.Parallel()
	eachDriven(t, func(t *testing.T, c client) {
		s := newStage(t, c)
		c.provider(s)
		asks(s)
		mark := s.marker("ran")
		s.up.Script(c.shell(mark), upstream.Say("denied"))
		g := s.open()
		answer := launch.Deny
		var asked []launch.Request
		conn := g.launch(g.prepare(g.session("permission", core.Automation)), func(_ context.Context, r launch.Request) launch.Answer {
			asked = append(asked, r)
			return answer
		})
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, last := g.converse(conn, "run it")
		if s.marked("ran") || len(asked) != 1 || last.Kind != launch.End {
			t.Fatalf("denied: ran, or was asked %d times, ended with %+v", len(asked), last)
		}
		if asked[0].Tool.Kind != "execute" || asked[0].Tool.ID == "" || !slices.Contains(asked[0].Offers, launch.AllowOnce) {
			t.Errorf("the request is %+v", asked[0].Tool)
		}
		// A client may end a turn with the denial, or tell the model and go on.
		s.up.Script(c.shell(mark), upstream.Say("allowed"))
		answer = launch.AllowOnce
		events := []launch.EventKind{}
		for e := range conn.Prompt(t.Context(), launch.Block{Text: "run it again"}) {
			if len(events) == 0 || events[len(events)-1] != e.Kind {
				events = append(events, e.Kind)
			}
		}
		if !s.marked("ran") || len(asked) != 2 {
			t.Errorf("allowed: did not run, or was asked %d times", len(asked))
		}
		for _, kind := range []launch.EventKind{launch.ToolStart, launch.PermissionRequest, launch.ToolEnd, launch.Text, launch.End} {
			if !slices.Contains(events, kind) {
				t.Errorf("no %s among %v", kind, events)
			}
		}
	})
}

// A turn is cancelled while a command runs, and the conversation goes on.
func TestLaunch_CancelInATool(t *testing.T) {
	t.Parallel()
	eachDriven(t, func(t *testing.T, c client) {
		s := newStage(t, c)
		c.provider(s)
		asks(s)
		s.up.Script(c.shell("sleep 60"), upstream.Say("after it"))
		g := s.open()
		conn := g.launch(g.prepare(g.session("cancel", core.Automation)), func(context.Context, launch.Request) launch.Answer { return launch.AllowOnce })
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		var last launch.Event
		for e := range conn.Prompt(t.Context(), launch.Block{Text: "wait"}) {
			if last = e; e.Kind == launch.PermissionRequest {
				conn.Cancel()
			}
		}
		if last.Kind != launch.End || last.Reason != launch.Cancelled {
			t.Fatalf("the turn ended with %+v", last)
		}
		if said, last := g.converse(conn, "go on"); said != "after it" || last.Reason != launch.Finished {
			t.Errorf("the next turn said %q and ended with %+v", said, last)
		}
	})
}

// The model of a conversation changes between two turns.
func TestLaunch_SwitchModel(t *testing.T) {
	t.Parallel()
	t.Run("opencode", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, opencode, upstream.Say("one"), upstream.Say("two"))
		g := s.open()
		session := g.session("model", core.Automation)
		session.Endpoint = &modelendpoint.Endpoint{
			Name: "Lab", Protocol: preparer.OpenAI, BaseURL: s.up.BaseURL(), Key: modelendpoint.NewKey("sk-plan-51c2"),
			Models: []modelendpoint.Model{{ID: "scripted-model"}, {ID: "second-model"}},
		}
		conn := g.launch(g.prepare(session), nil)
		talk, err := conn.NewSession(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.converse(conn, "hello")
		other := ""
		for _, m := range talk.Models {
			if strings.HasSuffix(m, "second-model") {
				other = m
			}
		}
		if err := conn.SetModel(t.Context(), other); err != nil {
			t.Fatalf("%v, of %v", err, talk.Models)
		}
		g.converse(conn, "hello again")
		turns := s.turns(2)
		for i, want := range []string{"scripted-model", "second-model"} {
			if !strings.Contains(string(turns[i].Body), `"model":"`+want+`"`) {
				t.Errorf("turn %d does not ask for %s", i+1, want)
			}
		}
		if err := conn.SetModel(t.Context(), "no/such-model"); !errors.Is(err, launch.ErrFault) {
			t.Errorf("a model that there is not: %v", err)
		}
	})
}
