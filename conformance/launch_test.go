package conformance_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

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

// driven is a stage on which a client asks before it runs a command.
func driven(t *testing.T, c client, steps ...upstream.Step) *greenroom {
	t.Helper()
	s := newStage(t, c, steps...)
	switch c.name {
	case codex.name:
		rig.Write(s, s.inHome(".codex/config.toml"), "approval_policy = \"on-request\"\nsandbox_mode = \"workspace-write\"\n"+codexConfig(s))
	case opencode.name:
		config := opencodeConfig(s, "user_server")
		config["permission"] = map[string]any{"bash": "ask"}
		rig.Write(s, s.inHome(".config/opencode/opencode.json"), encode(s, config))
	}
	return s.open()
}

// risky is an answer that runs a command which the client asks for.
func (c client) risky(command string) upstream.Step {
	if c.name == codex.name {
		return upstream.Use("exec_command", map[string]any{"cmd": command, "yield_time_ms": 30000,
			"sandbox_permissions": "require_escalated", "justification": "a case needs it"})
	}
	return c.shell(command)
}

func allowOnce(context.Context, launch.Request) launch.Answer { return launch.AllowOnce }

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

// answers runs a turn, which has to be answered with a text.
func (g *greenroom) answers(c *launch.Conn, prompt, want string) {
	g.Helper()
	if said, last := g.converse(c, prompt); said != want || last.Reason != launch.Finished {
		g.Fatalf("the client said %q and ended with %+v %v, want %q", said, last, last.Err, want)
	}
}

// whenMarked calls f when a program that marks has run.
func (g *greenroom) whenMarked(name string, f func()) {
	ctx, cancel := context.WithTimeout(g.Context(), patience)
	g.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil && !g.marked(name) {
			time.Sleep(20 * time.Millisecond)
		}
		f()
	}()
}

// A client is driven for three turns, in the last of which it is asked in a second process to go on.
func TestLaunch_ThreeTurnsAndResume(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		g := driven(t, c, upstream.Say("answer-one"), upstream.Say("answer-two"), upstream.Say("answer-three"))
		session := g.session("launch", core.Desktop)
		conn := g.launch(g.prepare(session), nil)
		talk, err := conn.NewSession(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.answers(conn, "hello", "answer-one")
		g.answers(conn, "hello again", "answer-two")
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		again := g.launch(g.prepare(session), nil)
		resumed, err := again.Resume(t.Context(), talk.ID)
		if err != nil || resumed.Replaced || resumed.ID != talk.ID {
			t.Fatalf("resumed %+v, %v", resumed, err)
		}
		g.answers(again, "and on", "answer-three")
		third := g.turns(3)[2]
		for _, word := range []string{"answer-one", "answer-two"} {
			if !strings.Contains(string(third.Body), word) {
				t.Errorf("the third request does not hold %s", word)
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		g.cleanup(session)
		g.nothingLeft()
	})
}

// H68: a conversation that cannot be loaded is replaced by a new one, which says so.
func TestH68_LaunchConversationThatIsGone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		g := driven(t, c, upstream.Say("answer-one"))
		conn := g.launch(g.prepare(g.session("gone", core.Desktop)), nil)
		const id = "6f1f3f5e-51c2-4c51-a51c-51c251c251c2"
		talk, err := conn.Resume(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if !talk.Replaced || talk.Reason == "" || talk.ID == id || talk.ID == "" {
			t.Errorf("the conversation is %+v", talk)
		}
		g.answers(conn, "hello", "answer-one")
	})
}

// A command runs when the host allows it, and not when it denies it.
func TestLaunch_PermissionDecides(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		g := driven(t, c)
		mark := g.marker("ran")
		g.up.Script(c.risky(mark), upstream.Say("denied"))
		answer := launch.Deny
		var asked []launch.Request
		conn := g.launch(g.prepare(g.session("permission", core.Desktop)), func(_ context.Context, r launch.Request) launch.Answer {
			asked = append(asked, r)
			return answer
		})
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, last := g.converse(conn, "run it")
		if g.marked("ran") || len(asked) != 1 || last.Kind != launch.End {
			t.Fatalf("denied: ran, or was asked %d times, ended with %+v %v", len(asked), last, last.Err)
		}
		if asked[0].Tool.Kind != "execute" || asked[0].Tool.ID == "" || !strings.Contains(asked[0].Tool.Title, mark) || !slices.Contains(asked[0].Offers, launch.AllowOnce) {
			t.Errorf("the request is %+v", asked[0].Tool)
		}
		// A client may end a turn with the denial, or tell the model and go on.
		g.up.Script(c.risky(mark), upstream.Say("allowed"))
		answer = launch.AllowOnce
		events := []launch.EventKind{}
		for e := range conn.Prompt(t.Context(), launch.Block{Text: "run it again"}) {
			if len(events) == 0 || events[len(events)-1] != e.Kind {
				events = append(events, e.Kind)
			}
		}
		if !g.marked("ran") || len(asked) != 2 {
			t.Errorf("allowed: did not run, or was asked %d times", len(asked))
		}
		for _, kind := range []launch.EventKind{launch.ToolStart, launch.PermissionRequest, launch.ToolEnd, launch.Text, launch.End} {
			if !slices.Contains(events, kind) {
				t.Errorf("no %s among %v", kind, events)
			}
		}
	})
}

// H71, H72: a turn is cancelled while a command runs, in time, and is reported so; the conversation goes on.
func TestH71_H72_LaunchCancelInATool(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		g := driven(t, c)
		g.up.Script(c.risky(g.marker("begun")+"; sleep 300"), upstream.Say("after it"))
		conn := g.launch(g.prepare(g.session("cancel", core.Desktop)), allowOnce)
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.whenMarked("begun", conn.Cancel)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		events := slices.Collect(conn.Prompt(ctx, launch.Block{Text: "wait"}))
		if last := events[len(events)-1]; last.Kind != launch.End || last.Reason != launch.Cancelled || ctx.Err() != nil {
			t.Fatalf("the turn ended with %+v %v", last, last.Err)
		}
		g.answers(conn, "go on", "after it")
		g.counts(g.text(g.turns(2)[1]), map[string]int{"after it": 0})
	})
}

// A client that is killed in a turn ends the turn with an error that says so, and is started again for the next one, with
// the same conversation.
func TestLaunch_KilledInATurn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		g := driven(t, c)
		g.up.Script(upstream.Say("answer-one"), c.risky(g.marker("begun")+"; sleep 300"), upstream.Say("after it"))
		conn := g.launch(g.prepare(g.session("killed", core.Desktop)), allowOnce)
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.answers(conn, "hello", "answer-one")
		g.whenMarked("begun", func() { rig.KillChildren(t, g.first) })
		if _, last := g.converse(conn, "wait"); !errors.Is(last.Err, launch.ErrEnded) {
			t.Fatalf("the turn ended with %+v %v", last, last.Err)
		}
		g.answers(conn, "go on", "after it")
		turns := g.turns(3)
		if !strings.Contains(string(turns[len(turns)-1].Body), "answer-one") {
			t.Error("the conversation was not gone on with")
		}
	})
}

// The model of a conversation changes between two turns, and is kept by a client that was started again.
func TestLaunch_SwitchModel(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		g := driven(t, c)
		g.secondModel()
		g.up.Script(upstream.Say("one"), upstream.Say("two"), c.risky(g.marker("begun")+"; sleep 300"), upstream.Say("three"))
		conn := g.launch(g.prepare(g.session("model", core.Desktop)), allowOnce)
		talk, err := conn.NewSession(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.answers(conn, "hello", "one")
		other := "second-model"
		for _, m := range talk.Models {
			if strings.HasSuffix(m, "/second-model") {
				other = m
			}
		}
		if err := conn.SetModel(t.Context(), other); err != nil {
			t.Fatalf("%v, of %v", err, talk.Models)
		}
		g.answers(conn, "hello again", "two")
		g.whenMarked("begun", func() { rig.KillChildren(t, g.first) })
		if _, last := g.converse(conn, "wait"); !errors.Is(last.Err, launch.ErrEnded) {
			t.Fatalf("the turn ended with %+v %v", last, last.Err)
		}
		g.answers(conn, "and again", "three")
		turns := g.turns(4)
		for i, want := range []bool{false, true, true, true} {
			if strings.Contains(string(turns[i].Body), `"model":"second-model"`) != want {
				t.Errorf("turn %d asks for the second model: %v", i+1, !want)
			}
		}
		t.Run("H41", func(t *testing.T) {
			t.Parallel()
			driven(t, c).switchOnEndpoint()
		})
	})
}

// switchOnEndpoint: on a model endpoint the client hears of no model that is not among the endpoint's, and goes on with the one
// that it has.
func (g *greenroom) switchOnEndpoint() {
	g.Helper()
	g.up.Script(upstream.Say("one"), upstream.Say("two"), upstream.Say("three"))
	conn := g.launch(g.prepare(g.onPlan("endpoint")), nil)
	if _, err := conn.NewSession(g.Context()); err != nil {
		g.Fatal(err)
	}
	g.answers(conn, "hello", "one")
	err := conn.SetModel(g.Context(), "not-a-model")
	if e, ok := errors.AsType[*core.Error](err); !ok || !errors.Is(err, core.ErrInvalid) || !strings.Contains(e.Error(), "Plan 51c2") || !strings.Contains(e.Hint, "plan/small") {
		g.Errorf("a model that the endpoint does not have: %v", err)
	}
	g.answers(conn, "hello again", "two")
	if err := conn.SetModel(g.Context(), "plan/small"); err != nil {
		g.Fatal(err)
	}
	g.answers(conn, "and again", "three")
	for i, model := range []string{"plan-large", "plan-large", "plan/small"} {
		if turn := g.turns(3)[i]; !strings.Contains(string(turn.Body), `"model":"`+model+`"`) {
			g.Errorf("turn %d does not ask %s", i+1, model)
		}
	}
}

// secondModel gives the user another model, where the client knows but those of its file.
func (g *greenroom) secondModel() {
	switch g.client.name {
	case kimi.name:
		rig.Write(g, g.inHome(".kimi-code/config.toml"), kimiConfig(g.stage)+`
[models."lab/second-model"]
provider = "lab"
model = "second-model"
max_context_size = 131072
capabilities = ["tool_use"]
`)
	case opencode.name:
		config := opencodeConfig(g.stage, "user_server")
		lab := config["provider"].(map[string]any)["lab"].(map[string]any)
		lab["models"] = map[string]any{"scripted-model": map[string]any{}, "second-model": map[string]any{}}
		rig.Write(g, g.inHome(".config/opencode/opencode.json"), encode(g, config))
	}
}
