package conformance_test

import (
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

// setting is an option that a client takes, and by what a request to the model shows that it holds.
type setting struct{ option, value, shown string }

var optionsOf = map[string][]setting{
	"codex":    {{"effort", "low", `"effort":"low"`}},
	"claude":   {{"effort", "low", `"effort":"low"`}, {"permission_mode", "plan", "Plan mode is active"}},
	"kimi":     {{"mode", "plan", "Plan mode is active"}},
	"opencode": {{"mode", "plan", "Plan mode ACTIVE"}},
}

// afterKill kills the client between two turns, and runs the next one. Whether the end of the client is seen before that
// begins, or ends it, is the system's affair.
func (g *greenroom) afterKill(conn *launch.Conn, prompt string) []launch.Event {
	g.Helper()
	rig.KillChildren(g, g.first)
	for {
		events := slices.Collect(conn.Prompt(g.Context(), launch.Block{Text: prompt}))
		if !errors.Is(events[len(events)-1].Err, launch.ErrEnded) {
			return events
		}
	}
}

// What was set in a conversation holds in the process that comes after one that was killed, and the client says so.
func TestLaunch_SetUpAsItWas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		g := driven(t, c, upstream.Say("one"), upstream.Say("two"), upstream.Say("three"))
		conn := g.launch(g.prepare(g.session("again", core.Desktop)), nil)
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.answers(conn, "hello", "one")
		for _, s := range optionsOf[c.name] {
			if err := conn.Set(t.Context(), s.option, s.value); err != nil {
				t.Fatal(err)
			}
		}
		g.answers(conn, "hello again", "two")
		var said strings.Builder
		for _, e := range g.afterKill(conn, "and again") {
			switch said.WriteString(e.Text); e.Kind {
			case launch.Changed, launch.Replaced, launch.Error:
				t.Errorf("the client has come back otherwise: %+v %v", e, e.Err)
			}
		}
		if said.String() != "three" {
			t.Errorf("the client said %q", said.String())
		}
		turns := g.turns(3)
		for _, s := range optionsOf[c.name] {
			// Of what the client tells the model once, the conversation holds it.
			for i, want := range []bool{false, true, true} {
				if strings.Contains(string(turns[i].Body), s.shown) != want {
					t.Errorf("turn %d shows %s: %v", i+1, s.value, !want)
				}
			}
		}
	})
}

// A server of MCP that does not answer any more when the client comes back is told of, where the client tells of its own.
func TestLaunch_OtherServersAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []client{codex, claude} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, tools := driven(t, c, slices.Repeat([]upstream.Step{upstream.Say("on")}, 40)...), serveTools(t)
			session := g.session("servers", core.Desktop)
			session.Servers = tools.servers(false)[:1]
			conn := g.launch(g.prepare(session), nil)
			if _, err := conn.NewSession(t.Context()); err != nil {
				t.Fatal(err)
			}
			// A client may begin turns before it has connected its servers, and says how they do when it knows.
			connected := func() bool {
				turns := g.up.Turns()
				return len(turns) > 0 && strings.Contains(string(turns[len(turns)-1].Body), serverTool)
			}
			for range 15 {
				if g.answers(conn, "hello", "on"); connected() {
					break
				}
				time.Sleep(200 * time.Millisecond)
			}
			tools.Close()
			var changes []launch.Change
			for events := g.afterKill(conn, "hello again"); ; events = slices.Collect(conn.Prompt(t.Context(), launch.Block{Text: "and on"})) {
				for _, e := range events {
					changes = append(changes, e.Changes...)
				}
				if len(changes) > 0 || len(g.up.Turns()) > 35 {
					break
				}
				time.Sleep(200 * time.Millisecond)
			}
			if !slices.ContainsFunc(changes, func(c launch.Change) bool {
				return c.What == launch.ServerChange && c.Name == "crm" && c.Was != c.Is && c.Is != ""
			}) {
				t.Errorf("told of %+v", changes)
			}
		})
	}
}
