package launch_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/launch"
)

// modes are how the protocols call that by which the agent goes about permissions, and what it begins with.
var modes = map[string]launch.Change{
	"acp":         {What: launch.OptionChange, Name: "mode", Was: "default", Is: "drifted"},
	"app-server":  {What: launch.OptionChange, Name: "approvalPolicy", Was: "on-request", Is: "drifted"},
	"stream-json": {What: launch.OptionChange, Name: "permission_mode", Was: "default", Is: "drifted"},
}

func eachProtocol(t *testing.T, run func(t *testing.T, name string, scene newSceneFunc)) {
	t.Helper()
	for name, p := range protocols {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, name, p.scene)
		})
	}
}

func changes(events []launch.Event) (list []launch.Change) {
	for _, e := range events {
		if e.Kind == launch.Changed {
			list = append(list, e.Changes...)
		}
	}
	return list
}

// What a client comes back with otherwise is set again, whether the host has chosen it or the client had it by itself, and
// a turn that goes on as before tells nothing.
func TestReconnectedClientIsSetUpAsItWas(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, name string, scene newSceneFunc) {
		for _, chosen := range []string{"", "plan"} {
			s := scene(t, "--drift", "option")
			c, _ := s.open()
			want := modes[name].Was
			if chosen != "" {
				if want = chosen; c.Set(t.Context(), modes[name].Name, chosen) != nil {
					t.Fatal("it cannot be set")
				}
			}
			s.turn(c, "say on")
			s.turn(c, "die now")
			events := s.turn(c, "option "+modes[name].Name)
			if got := said(events); got != want && !(name == "acp" && got == "" && want == "default") {
				t.Errorf("the agent has %q, want %q", got, want)
			}
			if list := changes(events); list != nil {
				t.Errorf("told of %+v", list)
			}
		}
	})
}

// One that cannot be set up as it was runs no turn, now or later, until the host takes it as it is.
func TestReconnectedClientThatCannotBeSetUp(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, name string, scene newSceneFunc) {
		s := scene(t, "--drift", "stuck")
		c, talk := s.open()
		s.turn(c, "say on")
		s.turn(c, "die now")
		for range 2 {
			want := launch.ErrChanged
			if name == "app-server" { // which is told with the turn, and refuses it
				want = launch.ErrFault
			}
			if events := s.turn(c, "say x"); !errors.Is(last(events).Err, want) || said(events) != "" {
				t.Errorf("a turn of a client that is another: %+v", events)
			}
		}
		if now, err := c.Resume(t.Context(), talk.ID); err != nil || now.ID != talk.ID {
			t.Fatal(now, err)
		}
		if got := said(s.turn(c, "say on")); got != "on" {
			t.Errorf("taken as it is, it says %q", got)
		}
	})
}

// One that is what it was, says otherwise, and takes nothing that it is already, is made what it says first.
func TestReconnectedClientThatSaysOtherwise(t *testing.T) {
	t.Parallel()
	s := newScene(t, "--drift", "lies")
	c, _ := s.open()
	if err := c.Set(t.Context(), "mode", "plan"); err != nil {
		t.Fatal(err)
	}
	s.turn(c, "die now")
	if events := s.turn(c, "option mode"); said(events) != "plan" || changes(events) != nil {
		t.Errorf("%+v", events)
	}
}

// One that takes what it is told, and does otherwise, is told of in the turn, once.
func TestReconnectedClientThatStaysAnother(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, name string, scene newSceneFunc) {
		s := scene(t, "--drift", "deaf")
		c, _ := s.open()
		s.turn(c, "say on")
		s.turn(c, "die now")
		events := s.turn(c, "say here")
		if name == "acp" { // which answers what holds, before there is a turn
			if !errors.Is(last(events).Err, launch.ErrChanged) {
				t.Errorf("%+v", events)
			}
			return
		}
		if diff := cmp.Diff([]launch.Change{modes[name]}, changes(events)); diff != "" || said(events) != "here" {
			t.Errorf("said %q, changes (-want +got):\n%s", said(events), diff)
		}
		if list := changes(s.turn(c, "say on")); list != nil {
			t.Errorf("told again of %+v", list)
		}
	})
}

// Tools and servers cannot be set, so that they are other ones is told.
func TestReconnectedClientWithOtherTools(t *testing.T) {
	t.Parallel()
	servers := []launch.Change{{What: launch.ServerChange, Name: "extra", Was: "connected"}, {What: launch.ServerChange, Name: "user", Was: "connected", Is: "failed"}}
	for name, c := range map[string]struct {
		scene newSceneFunc
		drift string
		want  []launch.Change
	}{
		"tools": {newStream, "tools", []launch.Change{
			{What: launch.ToolChange, Name: "Bash", Was: "present"}, {What: launch.ToolChange, Name: "PowerShell", Is: "present"}}},
		"servers stream-json": {newStream, "servers", servers},
		"servers app-server": {newApp, "servers", []launch.Change{
			{What: launch.ServerChange, Name: "extra", Was: "ready"}, {What: launch.ServerChange, Name: "user", Was: "ready", Is: "failed"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := c.scene(t, "--drift", c.drift)
			conn, _ := s.open()
			s.turn(conn, "say on")
			s.turn(conn, "die now")
			events := s.turn(conn, "say here")
			got := changes(events)
			slices.SortFunc(got, func(a, b launch.Change) int { return len(a.Was+a.Is) - len(b.Was+b.Is) })
			want := slices.Clone(c.want)
			slices.SortFunc(want, func(a, b launch.Change) int { return len(a.Was+a.Is) - len(b.Was+b.Is) })
			if diff := cmp.Diff(want, got); diff != "" || last(events).Reason != launch.Finished {
				t.Errorf("ended with %+v, changes (-want +got):\n%s", last(events), diff)
			}
			if list := changes(s.turn(conn, "say on")); list != nil {
				t.Errorf("told again of %+v", list)
			}
		})
	}
}

// A session that takes the place of what runs says itself what it is, but for what the host has chosen.
func TestAdmittedSessionSaysItsOwnModel(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, name string, scene newSceneFunc) {
		s := scene(t)
		first, second := s.prepare("one"), s.prepare("one")
		second.Env = append(slices.Clone(second.Env), coreEnv("LAUNCHTEST_MODELS", "other large"))
		for chosen, want := range map[string]string{"": "other", "large": "large"} {
			g := &gate{}
			c, _ := s.gated(g, first)
			if chosen != "" {
				if err := c.SetModel(t.Context(), chosen); err != nil {
					t.Fatal(err)
				}
			}
			s.turn(c, "say on")
			g.next = second
			events := s.turn(c, "option model")
			if got := said(events); got != want && !(name == "acp" && chosen == "" && got == "") || last(events).Kind != launch.End {
				t.Errorf("chosen %q: the agent answers with %q, want %q: %+v", chosen, got, want, last(events))
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
