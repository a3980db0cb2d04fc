package launch_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
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
