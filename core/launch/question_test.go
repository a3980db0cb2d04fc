package launch_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/launch"
)

// Every question gets an answer, if only that there is none.
func TestQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	over := make(chan struct{}) // somebody who is deaf to their deadline
	t.Cleanup(func() { close(over) })
	never := func(context.Context, launch.Question) (launch.Reply, bool) { <-over; return nil, false }
	reply := func(r launch.Reply, ok bool) launch.Asker {
		return func(context.Context, launch.Question) (launch.Reply, bool) { return r, ok }
	}
	for name, c := range map[string]struct {
		ask  launch.Asker
		want string
	}{
		"nobody is asked":     {nil, ""},
		"answered":            {reply(launch.Reply{"colour": {"blue"}}, true), "blue"},
		"not answered":        {reply(launch.Reply{"colour": {"blue"}}, false), ""},
		"to another question": {reply(launch.Reply{"colour": {"blue"}, "taste": {"sweet"}}, true), ""},
		"twice":               {reply(launch.Reply{"colour": {"blue", "red"}}, true), ""},
		"never":               {never, ""},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, "", func(t *testing.T, scene newSceneFunc) {
				s := scene(t)
				asked := make(chan launch.Question, 9)
				conn, _ := s.open(func(o *launch.Options) {
					o.AnswerTimeout = 300 * time.Millisecond
					if c.ask != nil {
						o.Ask = func(ctx context.Context, q launch.Question) (launch.Reply, bool) {
							asked <- q
							return c.ask(ctx, q)
						}
					}
				})
				events := s.turn(conn, "question which?")
				got := said(events)
				declined := strings.Contains(got, "decline") || strings.Contains(got, "deny") || got == `{"answers":{}}`
				if strings.Contains(got, `"blue"`) != (c.want != "") || declined == (c.want != "") {
					t.Errorf("the agent is told %s", got)
				}
				var told *launch.Event
				for i, e := range events {
					if e.Kind == launch.Asked {
						told = &events[i]
					}
				}
				if told == nil || told.Question == nil || told.Answered != (c.want != "") || len(told.Question.Fields) == 0 || told.Question.Fields[0].ID != "colour" {
					t.Errorf("the host is told %+v", told)
				}
				if e := last(events); e.Reason != launch.Finished {
					t.Errorf("the turn ended with %+v", e)
				}
				if c.ask == nil {
					return
				}
				if q := <-asked; len(q.Fields[0].Options) != 2 || len(asked) > 0 {
					t.Errorf("asked %+v, and %d more", q, len(asked))
				}
			})
		})
	}
}

// What an answer of an MCP server's form may be, by what the form says.
func TestFormsOfServers(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	reply := launch.Reply{}
	c, _ := s.open(func(o *launch.Options) {
		o.Ask = func(context.Context, launch.Question) (launch.Reply, bool) { return reply, true }
	})
	for want, r := range map[string]launch.Reply{
		`{"action":"accept","content":{"colour":"red","size":3}}`: {"colour": {"red"}, "size": {"3"}},
		`{"action":"accept","content":{"colour":"red"}}`:          {"colour": {"red"}},
		`{"action":"decline"}`:                                    {"size": {"3"}},
		` {"action":"decline"}`:                                   {"colour": {"green"}},
		`  {"action":"decline"}`:                                  {"colour": {"red"}, "size": {"3.5"}},
	} {
		reply = r
		if got := said(s.turn(c, "question which?")); got != strings.TrimSpace(want) {
			t.Errorf("%v: the server is told %s, want %s", r, got, want)
		}
	}
}

// A client that shows nothing fails with the name of what may hold it up.
func TestSilentClientNamesItsGate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scene  newSceneFunc
		method string
	}{"acp": {newScene, "session/prompt"}, "stream-json": {newStream, "user"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := c.scene(t, "--hang", c.method)
			conn, _ := s.open(func(o *launch.Options) { o.FirstEventTimeout = 300 * time.Millisecond })
			if e := last(s.turn(conn, "say a")); !errors.Is(e.Err, launch.ErrBlocked) || !strings.HasSuffix(e.Err.Error(), "it may wait at welcome") {
				t.Errorf("the turn ended with %+v", e)
			}
		})
		t.Run(name+" that is slow", func(t *testing.T) {
			t.Parallel()
			s := c.scene(t)
			conn, _ := s.open(func(o *launch.Options) { o.FirstEventTimeout = 300 * time.Millisecond })
			if got := said(s.turn(conn, "say a\nsleep 900ms\nsay b")); got != "ab" {
				t.Errorf("it said %q", got)
			}
		})
	}
	t.Run("in its start", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, "--hang", "initialize")
		_, err := launch.Open(t.Context(), s.prepare("one"), s.options(func(o *launch.Options) { o.StartTimeout = time.Second }))
		if !errors.Is(err, launch.ErrHandshake) || !strings.Contains(err.Error(), "it may wait at welcome") {
			t.Errorf("%v", err)
		}
	})
}
