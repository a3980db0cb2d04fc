package conformance_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// What changes of connectors is told in the turn in which it does, once, also by a host that was started again.
func TestC364_C366_LaunchTellsOfConnectors(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		g := driven(t, c, upstream.Say("one"), upstream.Say("two"), upstream.Say("three"))
		session := g.session("connectors", core.Desktop)
		session.Connectors = &connector.Context{EnabledConnectors: []string{"crm"}, Hints: []connector.Hint{{Key: "crm"}, {Key: "mail"}}}
		conn := g.launch(g.prepare(session), nil)
		talk, err := conn.NewSession(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		say := func(conn *launch.Conn, text, connector string) {
			t.Helper()
			events := slices.Collect(conn.Prompt(t.Context(), launch.Block{Connector: connector}, launch.Block{Text: text}))
			if end := events[len(events)-1]; end.Reason != launch.Finished {
				t.Fatalf("the turn ended with %+v %v", end, end.Err)
			}
		}
		say(conn, "first-prompt", "crm")
		say(conn, "second-prompt", "mail")
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		again := g.launch(g.prepare(session), nil)
		if talk, err = again.Resume(t.Context(), talk.ID); err != nil || talk.Replaced {
			t.Fatal(talk, err)
		}
		say(again, "third-prompt", "mail")
		const notice = "Connector(s) enabled: mail."
		turns := g.turns(3)
		for i, times := range []int{0, 1, 1} {
			g.counts(g.text(turns[i]), map[string]int{notice: times})
		}
		if text := g.text(turns[1]); strings.Index(text, notice) > strings.Index(text, "second-prompt") {
			t.Error("the notice does not stand in front of what the person says")
		}
	})
}

// What a person says while a turn runs reaches the model in that turn.
func TestLaunch_GuidesATurn(t *testing.T) {
	t.Parallel()
	t.Run("codex", func(t *testing.T) {
		t.Parallel()
		g := driven(t, codex)
		g.up.Script(codex.risky(g.marker("begun")+"; sleep 3"), upstream.Say("as you say"))
		conn := g.launch(g.prepare(g.session("guided", core.Desktop)), allowOnce)
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.whenMarked("begun", func() {
			if err := conn.Guide(t.Context(), launch.Block{Connector: "crm"}, launch.Block{Text: "guidance-51c2"}); err != nil {
				t.Error(err)
			}
		})
		g.answers(conn, "wait", "calling a toolas you say")
		g.counts(g.text(g.turns(2)[1]), map[string]int{"guidance-51c2": 1, "Connector(s)": 0})
	})
}

// A question of the agent's holds nothing up: a person answers it, or the agent is told that nobody does.
func TestLaunch_QuestionsOfTheAgent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		said := map[bool]int{} // how often the model reads what was chosen, which also stands in the question
		for _, answered := range []bool{true, false} {
			g := driven(t, c)
			question := c.question()
			g.up.Script(question, upstream.Say("after it"))
			conn, err := launch.Open(t.Context(), g.prepare(g.session("asked", core.Desktop)), launch.Options{Host: g.host, Environ: g.environ,
				Ask: func(_ context.Context, q launch.Question) (launch.Reply, bool) {
					if len(q.Fields) != 1 || len(q.Fields[0].Options) != 2 {
						t.Errorf("the question is %+v", q)
						return nil, false
					}
					return launch.Reply{q.Fields[0].ID: q.Fields[0].Options[1:]}, answered
				}})
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.NewSession(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var asked *launch.Event
			var last launch.Event
			for e := range conn.Prompt(ctx, launch.Block{Text: "ask me"}) {
				if last = e; e.Kind == launch.Asked {
					asked = &e
				}
			}
			if last.Reason != launch.Finished || ctx.Err() != nil {
				t.Fatalf("the turn ended with %+v %v", last, last.Err)
			}
			second := g.text(g.turns(2)[1])
			if refused := refuses[c.name]; refused != "" {
				if !strings.Contains(second, refused) { // some repeat it in the call that they took it for
					t.Errorf("the model does not read %q in %s", refused, tail(second))
				}
				if asked != nil {
					t.Errorf("asked %+v", asked)
				}
				continue
			}
			if asked == nil || asked.Answered != answered {
				t.Fatalf("the host is told %+v", asked)
			}
			if said[answered] = strings.Count(second, "blue-51c2"); !answered && said[true] != said[false]+1 {
				t.Errorf("the model reads the answer %d times, and %d where there is none", said[true], said[false])
			}
		}
	})
}

// refuses is what clients say that refuse to ask where a host drives them, as far as is known.
var refuses = map[string]string{
	"codex":    "request_user_input is unavailable in Default mode",
	"opencode": "unavailable tool 'question'",
}

// question is an answer that asks the person for one of two colours.
func (c client) question() upstream.Step {
	options := []any{map[string]any{"label": "red-51c2", "description": "warm"}, map[string]any{"label": "blue-51c2", "description": "cold"}}
	question := map[string]any{"question": "Which colour?", "header": "Colour", "options": options}
	name := "AskUserQuestion"
	switch c.name {
	case codex.name:
		name, question["id"] = "request_user_input", "colour"
	case opencode.name:
		name = "question"
	case claude.name:
		question["multiSelect"] = false
	}
	return upstream.Use(name, map[string]any{"questions": []any{question}})
}
