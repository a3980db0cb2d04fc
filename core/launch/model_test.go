package launch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// onEndpoint prepares a session of the agent on an endpoint with models.
func (s *scene) onEndpoint(models ...string) *core.Prepared {
	s.Helper()
	e := &modelendpoint.Endpoint{Name: "Plan 51c2", Protocol: preparer.OpenAI, BaseURL: "http://127.0.0.1:1/v1", Key: modelendpoint.NewKey("sk-canary-51c2")}
	for _, id := range models {
		e.Models = append(e.Models, modelendpoint.Model{ID: id})
	}
	p, err := s.host.Prepare(s.Context(), core.Session{Workspace: "w", ID: "one", Provider: launchtest.Provider, Cwd: s.cwd, Endpoint: e})
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// refuses wants a model to be refused for the endpoint's sake, in words that help.
func (s *scene) refuses(c *launch.Conn, model string) {
	s.Helper()
	err := c.SetModel(s.Context(), model)
	e, ok := errors.AsType[*core.Error](err)
	if !ok || !errors.Is(err, core.ErrInvalid) || !strings.Contains(e.Error(), `"`+model+`"`) || !strings.Contains(e.Error(), `"Plan 51c2"`) ||
		!strings.Contains(e.Hint, "small") || !strings.Contains(e.Hint, "large") {
		s.Errorf("%q is answered with %v, %+v", model, err, e)
	}
}

// The agent would take the name: that it answers on with the old model shows that it was never told.
func TestH41_AModelThatTheEndpointDoesNotHaveIsRefused(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		p := s.onEndpoint("small", "large")
		p.Env = append(slices.Clone(p.Env), coreEnv("LAUNCHTEST_MODELS", "small large not-a-model"))
		c, talk := s.gated(&gate{}, p)
		if !slices.Equal(talk.Models, []string{"small", "large"}) {
			t.Errorf("the conversation offers %q", talk.Models)
		}
		s.refuses(c, "not-a-model")
		s.refuses(c, "")
		if got := said(s.turn(c, "option model")); got != "small" && got != "" {
			t.Errorf("the turn is with %q", got)
		}
		if err := c.SetModel(t.Context(), "large"); err != nil {
			t.Fatal(err)
		}
		s.refuses(c, "tutti-model-plan/not-a-model")
		if got := said(s.turn(c, "option model")); got != "large" {
			t.Errorf("after a refused switch the turn is with %q", got)
		}
		s.turn(c, "die now")
		if got := said(s.turn(c, "option model")); got != "large" {
			t.Errorf("the client that was started again has %q", got)
		}
	})
}

// However a host spells a model of the endpoint, the client hears it in its own spelling.
func TestH41_P14_AModelIsSpeltAsTheClientTakesIt(t *testing.T) {
	t.Parallel()
	for _, transport := range []preparer.Transport{preparer.ACP, preparer.CodexAppServer, preparer.ClaudeStreamJSON} {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			s := sceneOf(t, launchtest.Adapter{Transport: transport, Prefixed: true})
			p := s.onEndpoint("small", "vendor/large")
			p.Env = append(slices.Clone(p.Env), coreEnv("LAUNCHTEST_MODELS", "tutti-model-plan/small tutti-model-plan/vendor/large"))
			c, talk := s.gated(&gate{}, p)
			if want := []string{"tutti-model-plan/small", "tutti-model-plan/vendor/large"}; !slices.Equal(talk.Models, want) {
				t.Errorf("the conversation offers %q", talk.Models)
			}
			for _, model := range []string{"vendor/large", "tutti-model-plan/vendor/large"} {
				if err := errors.Join(c.SetModel(t.Context(), "small"), c.SetModel(t.Context(), model)); err != nil {
					t.Fatal(err)
				}
				if got := said(s.turn(c, "option model")); got != "tutti-model-plan/vendor/large" {
					t.Errorf("%s: the agent has %q", model, got)
				}
			}
			s.refuses(c, "large")
		})
	}
}

// A client may refuse what nobody could know of: at once, or with the turn that it is told with, which fails.
func TestH41_AModelThatTheClientRefusesLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, name string, scene newSceneFunc) {
		for _, chosen := range []string{"", "large"} {
			s := scene(t)
			c, _ := s.open()
			if chosen != "" {
				if err := c.SetModel(t.Context(), chosen); err != nil {
					t.Fatal(err)
				}
				s.turn(c, "say on")
			}
			err := c.SetModel(t.Context(), "no-such-model")
			if name == "app-server" {
				if err != nil {
					t.Fatal(err)
				}
				err = last(s.turn(c, "say never")).Err
				if e, ok := errors.AsType[*core.Error](err); !ok || !strings.Contains(e.Hint, "the one before") {
					t.Errorf("the turn says %+v", e)
				}
			}
			if !errors.Is(err, launch.ErrFault) {
				t.Errorf("a model that there is not: %v", err)
			}
			want := "small"
			if chosen != "" {
				want = chosen
			}
			for _, prompt := range []string{"option model", "die now", "option model"} {
				if got := said(s.turn(c, prompt)); prompt != "die now" && got != want && !(got == "" && want == "small") {
					t.Errorf("the next turns are with %q, want %q", got, want)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// A session that takes the place of what runs may be on an endpoint that has lost the model which was chosen: its own begins.
func TestH41_AChosenModelThatTheEndpointHasLost(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, name string, scene newSceneFunc) {
		s := scene(t)
		g := &gate{}
		c, _ := s.gated(g, s.onEndpoint("small", "large"))
		if err := c.SetModel(t.Context(), "large"); err != nil {
			t.Fatal(err)
		}
		s.turn(c, "say on")
		g.next = s.onEndpoint("small", "tiny")
		g.next.Env = append(slices.Clone(g.next.Env), coreEnv("LAUNCHTEST_MODELS", "small large"))
		for range 2 {
			events := s.turn(c, "option model")
			if got := said(events); got != "small" && got != "" || last(events).Kind != launch.End {
				t.Errorf("the agent answers with %q: %+v", got, last(events))
			}
		}
	})
}
