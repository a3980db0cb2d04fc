package launch_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// revision is a session prepared anew, with something that its client can be asked for.
func (s *scene) revision(n string) *core.Prepared {
	s.Helper()
	p := s.prepare("one")
	p.Env = append(slices.Clone(p.Env), coreEnv("FAKE_REVISION", n))
	return p
}

func coreEnv(name, value string) core.EnvVar {
	return core.EnvVar{Name: name, Op: "set", Value: value}
}

// gate admits turns as a test says, and counts them.
type gate struct {
	next  *core.Prepared
	err   error
	asked []*core.Prepared // what ran each time
}

func (g *gate) admit(_ context.Context, running *core.Prepared) (*core.Prepared, error) {
	g.asked = append(g.asked, running)
	return g.next, g.err
}

func (s *scene) gated(g *gate, first *core.Prepared) (*launch.Conn, launch.Conversation) {
	s.Helper()
	c, err := launch.Open(s.Context(), first, s.options(func(o *launch.Options) { o.Admit = g.admit; o.Policy = launch.AllowKinds("execute") }))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = c.Close() })
	talk, err := c.NewSession(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return c, talk
}

// Before each turn the host may put a session that was prepared anew in the place of the one that runs.
func TestAdmitMayReplaceWhatRuns(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		first, second := s.revision("1"), s.revision("2")
		g := &gate{}
		c, talk := s.gated(g, first)
		if got := said(s.turn(c, "env FAKE_REVISION")); got != "1" {
			t.Errorf("revision %q", got)
		}
		g.next = second
		if got := said(s.turn(c, "env FAKE_REVISION\nshow")); !strings.HasPrefix(got, "2") || !strings.Contains(got, talk.ID) {
			t.Errorf("revision %q, want 2 in the same conversation", got)
		}
		// The same again, and nothing, change nothing: the process stays.
		pid := said(s.turn(c, "pid"))
		g.next = nil
		if got := said(s.turn(c, "pid\nenv FAKE_REVISION")); pid == "" || got != pid+"2" {
			t.Errorf("process and revision %q, want %q", got, pid+"2")
		}
		g.err = errors.New("not now")
		if e := last(s.turn(c, "say x")); e.Kind != launch.Error || e.Err != g.err {
			t.Errorf("a turn that was not admitted: %+v", e)
		}
		if !slices.Equal(g.asked, []*core.Prepared{first, first, second, second, second}) {
			t.Errorf("asked %d times, about others than what ran", len(g.asked))
		}
	})
}

// Whatever takes the place of what runs does so whole, or not at all.
func TestAdmitReplacesWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		first, broken, other := s.revision("1"), s.revision("2"), s.revision("3")
		broken.Executable += "-that-is-not-there"
		other.Ref.ID = "two"
		g := &gate{}
		c, talk := s.gated(g, first)
		for name, next := range map[string]*core.Prepared{"one that cannot be started": broken, "another session": other} {
			g.next = next
			if e := last(s.turn(c, "say x")); e.Kind != launch.Error {
				t.Errorf("%s: %+v", name, e)
			}
			g.next = nil
			if got := said(s.turn(c, "env FAKE_REVISION\nshow")); !strings.HasPrefix(got, "1") || !strings.Contains(got, talk.ID) {
				t.Errorf("after %s: revision %q, want 1 in the same conversation", name, got)
			}
			if running := g.asked[len(g.asked)-1]; running != first {
				t.Errorf("after %s the host is told of another that runs", name)
			}
		}
	})
}

// Only a turn that begins is admitted: what happens in one that runs, and between turns, is not.
func TestAdmitIsForTurnsThatBegin(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		g := &gate{}
		c, talk := s.gated(g, s.revision("1"))
		if err := c.SetModel(t.Context(), "large"); err != nil {
			t.Error(err)
		}
		c.Cancel()
		if _, err := c.Resume(t.Context(), talk.ID); err != nil {
			t.Error(err)
		}
		if len(g.asked) != 0 {
			t.Errorf("between turns it was asked %d times", len(g.asked))
		}
		g.next = s.revision("2") // would end the turn that runs
		admitted := 0
		for e := range c.Prompt(t.Context(), launch.Block{Text: "say a\nask t1 execute ls\nsleep 100ms\nenv FAKE_REVISION"}) {
			if admitted == 0 {
				admitted = len(g.asked)
			}
			if e.Kind == launch.Text && e.Text == "a" {
				if second := last(s.turn(c, "say c")); !errors.Is(second.Err, core.ErrBusy) {
					t.Errorf("a second turn: %+v", second)
				}
				_ = c.SetModel(t.Context(), "small")
			}
			if e.Kind == launch.Error {
				t.Errorf("the turn failed: %v", e.Err)
			}
		}
		if admitted != 1 || len(g.asked) != 1 {
			t.Errorf("asked %d times at the beginning of the turn, %d in all, want 1", admitted, len(g.asked))
		}
	})
}
