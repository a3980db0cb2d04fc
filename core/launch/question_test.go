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

// A client that is silent after a prompt fails with the name of what may hold it up: also one that took the prompt before.
// The next turn goes on in another process.
func TestSilentClientNamesItsGate(t *testing.T) {
	t.Parallel()
	hurried := func(o *launch.Options) { o.FirstEventTimeout = 300 * time.Millisecond }
	for name, p := range protocols {
		for what, hang := range map[string][]string{"takes no prompt": {"--hang", p.turn}, "takes the prompt": nil} {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				s := p.scene(t, hang...)
				conn, _ := s.open(hurried)
				if e := last(s.turn(conn, "sleep 1m")); !errors.Is(e.Err, launch.ErrBlocked) || !strings.HasSuffix(e.Err.Error(), "it may wait at welcome") {
					t.Fatalf("the turn ended with %+v", e)
				}
				if hang != nil {
					return
				}
				if events := s.turn(conn, "say a"); said(events) != "a" || last(events).Reason != launch.Finished {
					t.Errorf("the next turn said %q and ended with %+v", said(events), last(events))
				}
			})
		}
		t.Run(name+" that is slow", func(t *testing.T) {
			t.Parallel()
			s := p.scene(t)
			conn, _ := s.open(hurried)
			if got := said(s.turn(conn, "say a\nsleep 900ms\nsay b")); got != "ab" {
				t.Errorf("it said %q", got)
			}
		})
		t.Run(name+" that waits for us", func(t *testing.T) {
			t.Parallel()
			s := p.scene(t)
			conn, _ := s.open(hurried, func(o *launch.Options) {
				slow := func() { time.Sleep(900 * time.Millisecond) }
				o.Policy = func(context.Context, launch.Request) launch.Answer { slow(); return launch.AllowOnce }
				o.Ask = func(context.Context, launch.Question) (launch.Reply, bool) {
					slow()
					return launch.Reply{"colour": {"blue"}}, true
				}
			})
			if got := said(s.turn(conn, "ask t1 execute make")); got != "answer o1" {
				t.Errorf("it was told %q", got)
			}
			if got := said(s.turn(conn, "question which?")); !strings.Contains(got, `"blue"`) {
				t.Errorf("it was told %q", got)
			}
		})
		t.Run(name+" in its start", func(t *testing.T) {
			t.Parallel()
			s := p.scene(t, "--hang", p.first)
			c, err := launch.Open(t.Context(), s.prepare("one"), s.options(func(o *launch.Options) { o.StartTimeout = time.Second }))
			if err == nil { // a process is started with its conversation
				defer c.Close()
				_, err = c.NewSession(t.Context())
			}
			if !errors.Is(err, launch.ErrHandshake) || !strings.Contains(err.Error(), "it may wait at welcome") {
				t.Errorf("%v", err)
			}
		})
	}
}

// A policy that is deaf to the end of its turn holds nothing up: the turn is cancelled, and the client can be ended.
func TestPolicyThatNeverAnswers(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		over, asked := make(chan struct{}), make(chan struct{})
		t.Cleanup(func() { close(over) })
		c, err := launch.Open(t.Context(), s.prepare("one"), s.options(func(o *launch.Options) {
			o.Policy = func(context.Context, launch.Request) launch.Answer { close(asked); <-over; return launch.AllowOnce }
		}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		go func() { <-asked; c.Cancel() }()
		if e := last(s.turn(c, "ask t1 execute make\nsleep 1m")); e.Reason != launch.Cancelled {
			t.Errorf("the turn ended with %+v", e)
		}
		closed := make(chan error, 1)
		go func() { closed <- c.Close() }()
		select {
		case err := <-closed:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the connection cannot be closed")
		}
	})
}

// What an agent asks by a method that we do not know is answered, if only by saying so, and in the way that ends its waiting
// where agents have one of their own.
func TestRequestsOutsideOfTheProtocol(t *testing.T) {
	t.Parallel()
	answer := launch.AllowOnce
	policy := func(o *launch.Options) {
		o.Policy = func(context.Context, launch.Request) launch.Answer { return answer }
	}
	s := newScene(t)
	c, _ := s.open(policy)
	for _, want := range []struct {
		answer launch.Answer
		method string
		said   string
		kind   launch.EventKind // of the event that tells of it, "" for none
	}{
		{launch.AllowOnce, "someone/ask_question", `{"outcome":{"outcome":"skipped"}}`, launch.Asked},
		{launch.AllowOnce, "someone/create_plan", `{"outcome":{"outcome":"accepted"}}`, launch.PermissionRequest},
		{launch.AllowAlways, "someone/create_plan", `{"outcome":{"outcome":"accepted"}}`, launch.PermissionRequest},
		{launch.Deny, "someone/create_plan", `{"outcome":{"outcome":"rejected"}}`, launch.PermissionRequest},
		{launch.AllowOnce, "someone/ask_question_twice", "someone/ask_question_twice: error -32601: method not found", ""},
		{launch.AllowOnce, "fs/read_text_file", "fs/read_text_file: error -32601: method not found", ""},
		{launch.AllowOnce, "terminal/create", "terminal/create: error -32601: method not found", ""},
	} {
		answer = want.answer
		events := s.turn(c, "request "+want.method)
		if got := said(events); got != want.said {
			t.Errorf("%s: the agent is told %s, want %s", want.method, got, want.said)
		}
		told := launch.EventKind("")
		for _, e := range events {
			if e.Kind == launch.Asked || e.Kind == launch.PermissionRequest {
				told = e.Kind
			}
		}
		if told != want.kind {
			t.Errorf("%s: the host is told %q", want.method, told)
		}
	}
	for name, p := range protocols {
		if name == "acp" {
			continue
		}
		s := p.scene(t)
		c, _ := s.open()
		for _, method := range []string{"someone/ask_question", "no-such-thing"} {
			if events := s.turn(c, "request "+method); said(events) == "" || last(events).Reason != launch.Finished {
				t.Errorf("%s: %s is answered with %q, and the turn ended with %+v", name, method, said(events), last(events))
			}
		}
	}
}
