package launch_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestStartFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags []string
		want  core.Code
	}{
		"no answer":            {[]string{"--hang", "initialize"}, launch.ErrHandshake},
		"an error":             {[]string{"--refuse", "initialize"}, launch.ErrHandshake},
		"another shape":        {[]string{"--garble", "initialize"}, launch.ErrHandshake},
		"another version":      {[]string{"--version-number", "7"}, launch.ErrHandshake},
		"no conversation":      {[]string{"--refuse", "session/new"}, launch.ErrHandshake},
		"a hanging one":        {[]string{"--hang", "session/new"}, launch.ErrHandshake},
		"one of another shape": {[]string{"--garble", "session/new"}, launch.ErrHandshake},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, c.flags...)
			p := s.prepare("one")
			conn, err := launch.Open(t.Context(), p, s.options(func(o *launch.Options) { o.StartTimeout = 3 * time.Second }))
			if err == nil {
				_, err = conn.NewSession(t.Context())
				defer conn.Close()
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "fakeagent") {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
	t.Run("nothing holds the session after it", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, "--refuse", "initialize")
		p := s.prepare("one")
		if _, err := launch.Open(t.Context(), p, s.options()); err == nil {
			t.Fatal("it started")
		}
		if _, err := s.host.Cleanup(t.Context(), p.Ref, core.CleanupOptions{}); err != nil {
			t.Error(err)
		}
	})
}

func TestH68_Resume(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags    []string
		replaced bool
	}{
		"resumed":               {nil, false},
		"loaded, told again":    {[]string{"--replay"}, false},
		"one that is gone":      {[]string{"--forget"}, true},
		"a client that can not": {[]string{"--no-resume"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, c.flags...)
			conn, err := launch.Open(t.Context(), s.prepare("one"), s.options())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			talk, err := conn.Resume(t.Context(), "s-before")
			if err != nil {
				t.Fatal(err)
			}
			if talk.Replaced != c.replaced || (talk.ID == "s-before") == c.replaced || (talk.Reason != "") != c.replaced {
				t.Errorf("conversation %+v", talk)
			}
			// What was said before is no event of this turn.
			if got := said(s.turn(conn, "say now")); got != "now" {
				t.Errorf("the turn said %q", got)
			}
		})
	}
}

func TestLoginAndCredentialAreToldApart(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	c, _ := s.open()
	e := last(s.turn(c, "fail -32000 Authentication required: 401"))
	if !errors.Is(e.Err, launch.ErrLogin) {
		t.Errorf("without an endpoint: %v", e.Err)
	}
	if e := last(s.turn(c, "fail -32603 upstream is down")); !errors.Is(e.Err, launch.ErrFault) || !strings.Contains(e.Err.Error(), "upstream is down") {
		t.Errorf("another error: %v", e.Err)
	}
}

// What the host knows of its endpoint counts, whatever the client makes of it, and only for the turn in which it was seen.
func TestRefusedCredentialIsSeenByTheHost(t *testing.T) {
	t.Parallel()
	each(t, "refused", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		var refused atomic.Uint64
		on := func(host bool) *launch.Conn {
			p, err := s.host.Prepare(t.Context(), core.Session{
				Workspace: "w", ID: strconv.FormatBool(host), Provider: launchtest.Provider, Cwd: s.cwd, Endpoint: &modelendpoint.Endpoint{
					Name: "p", Protocol: preparer.OpenAI, BaseURL: "http://127.0.0.1:1/v1", Key: modelendpoint.NewKey("sk-canary-51c2"),
					Models: []modelendpoint.Model{{ID: "m"}},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			c, err := launch.Open(t.Context(), p, s.options(func(o *launch.Options) {
				if host {
					o.Refused = refused.Load
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			if _, err := c.NewSession(t.Context()); err != nil {
				t.Fatal(err)
			}
			return c
		}
		ends := func(c *launch.Conn, prompt string, want core.Code) error {
			t.Helper()
			e := last(s.turn(c, prompt))
			if core.CodeOf(e.Err) != want {
				t.Errorf("%s: ended with %+v %v, want %s", prompt, e, e.Err, want)
			}
			return e.Err
		}
		c := on(true)
		// The endpoint has its say while the turn runs.
		seen := func(prompt string, want core.Code) error {
			t.Helper()
			time.AfterFunc(100*time.Millisecond, func() { refused.Add(1) })
			return ends(c, "sleep 500ms\n"+prompt, want)
		}
		if err := seen("fail -32603 it said sk-canary-51c2", launch.ErrCredential); err == nil || strings.Contains(err.Error(), "sk-canary-51c2") {
			t.Errorf("the error is %v", err)
		}
		ends(c, "fail -32603 upstream is down", launch.ErrFault) // it was refused before
		seen("die", launch.ErrCredential)
		ends(c, "die", launch.ErrEnded)
		seen("say hello", "") // it helped itself
		refused.Store(0)
		ends(c, "fail -32603 upstream is down", launch.ErrFault)
		c = on(false)
		var fault *core.Error
		if err := ends(c, "fail -32603 something", launch.ErrFault); !errors.As(err, &fault) || !strings.Contains(fault.Hint, "endpoint") {
			t.Errorf("nobody sees the endpoint, and the hint is %+v", fault)
		}
	})
}

// H68: a conversation that is gone when a client is started again is replaced, which is told before anything else.
func TestH68_ConversationThatIsLostIsSaidSo(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t, "--forget")
		c, talk := s.open()
		s.turn(c, "die now")
		events := s.turn(c, "say on")
		if e := events[0]; e.Kind != launch.Replaced || e.Conversation.ID == talk.ID || !e.Conversation.Replaced || !strings.Contains(e.Conversation.Reason, "there is no such conversation") {
			t.Errorf("the turn begins with %+v", e)
		}
		if said(events) != "on" || last(events).Reason != launch.Finished {
			t.Errorf("the turn ended with %+v", last(events))
		}
		if e := s.turn(c, "say on")[0]; e.Kind == launch.Replaced {
			t.Error("it is said twice")
		}
	})
}

// H73: each skill that the first prompt lists can be read at that moment, or nothing is sent.
func TestH73_SkillsOfTheFirstPromptCanBeRead(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	p := s.prepare("one")
	c, err := launch.Open(t.Context(), p, s.options())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	shown := said(s.turn(c, "show"))
	for _, skill := range p.Skills {
		if _, err := os.ReadFile(skill.Path); err != nil || !strings.Contains(shown, skill.Path) {
			t.Errorf("%s: %v, or it is not listed", skill.Name, err)
		}
	}
	if len(p.Skills) == 0 {
		t.Fatal("there are no skills")
	}
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(p.Skills[0].Path))); err != nil {
		t.Fatal(err)
	}
	if got := said(s.turn(c, "say on")); got != "on" {
		t.Error("a later turn, which lists none, did not begin")
	}
	if _, err := c.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := last(s.turn(c, "say x")); !errors.Is(e.Err, core.ErrSkillsMissing) {
		t.Errorf("skills that are gone: %+v", e)
	}
}
