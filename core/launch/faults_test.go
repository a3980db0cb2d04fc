package launch_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/launch"
)

// protocol is how the methods of the same meaning are called in one.
type protocol struct {
	scene              newSceneFunc
	first, begin, turn string // "" for none
}

var protocols = map[string]protocol{
	"acp":         {newScene, "initialize", "session/new", "session/prompt"},
	"app-server":  {newApp, "initialize", "thread/start", "turn/start"},
	"stream-json": {newStream, "initialize", "", "user"},
}

// A client that answers a step of its start wrongly or never fails it, and nothing of it is left.
func TestWrongStart(t *testing.T) {
	t.Parallel()
	for name, p := range protocols {
		for _, step := range []string{p.first, p.begin} {
			for _, fault := range []string{"hang", "refuse", "garble"} {
				if step == "" {
					continue
				}
				t.Run(name+" "+fault+" "+strings.ReplaceAll(step, "/", "-"), func(t *testing.T) {
					t.Parallel()
					s := p.scene(t, "--"+fault, step)
					c, err := launch.Open(t.Context(), s.prepare("one"), s.options(func(o *launch.Options) { o.StartTimeout = 3 * time.Second }))
					if err == nil {
						_, err = c.NewSession(t.Context())
						if err := c.Close(); err != nil {
							t.Error(err)
						}
					}
					if !errors.Is(err, launch.ErrHandshake) || !strings.Contains(err.Error(), "fakeagent") && !strings.Contains(err.Error(), step) {
						t.Errorf("error %v", err)
					}
				})
			}
		}
	}
}

// A client that never answers a prompt is cancelled all the same, and one that answers something else is at fault.
func TestWrongTurn(t *testing.T) {
	t.Parallel()
	for name, p := range protocols {
		t.Run(name+" hangs", func(t *testing.T) {
			t.Parallel()
			s := p.scene(t, "--hang", p.turn)
			c, _ := s.open(func(o *launch.Options) { o.CancelGrace = 300 * time.Millisecond })
			time.AfterFunc(300*time.Millisecond, c.Cancel)
			if e := last(s.turn(c, "say x")); e.Reason != launch.Cancelled {
				t.Errorf("%+v", e)
			}
		})
		if p.begin == "" {
			continue // its answer is a message like any other
		}
		for fault, want := range map[string]string{"garble": "", "refuse": "method not found"} {
			t.Run(name+" "+fault, func(t *testing.T) {
				t.Parallel()
				s := p.scene(t, "--"+fault, p.turn)
				c, _ := s.open()
				if e := last(s.turn(c, "say x")); !errors.Is(e.Err, launch.ErrFault) || !strings.Contains(e.Err.Error(), want) {
					t.Errorf("%+v", e)
				}
			})
		}
	}
}

// H68: a conversation that cannot be loaded is replaced by a new one, which says so. What is told again is no event.
func TestH68_WrongResume(t *testing.T) {
	t.Parallel()
	for name, p := range protocols {
		for fault, replaced := range map[string]bool{"--ignore-term": false, "--replay": false, "--forget": true, "--no-resume": true} {
			if name == "stream-json" && (fault == "--replay" || fault == "--no-resume") {
				continue // it has no such thing: a process is told which conversation it is
			}
			t.Run(name+" "+fault, func(t *testing.T) {
				t.Parallel()
				s := p.scene(t, fault)
				c, err := launch.Open(t.Context(), s.prepare("one"), s.options())
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				const before = "s-00000000-0000-4000-8000-000000000000"
				talk, err := c.Resume(t.Context(), before)
				if err != nil {
					t.Fatal(err)
				}
				if talk.Replaced != replaced || (talk.ID == before) == replaced || (talk.Reason != "") != replaced {
					t.Errorf("conversation %+v", talk)
				}
				if got := said(s.turn(c, "say now")); got != "now" {
					t.Errorf("the turn said %q", got)
				}
			})
		}
	}
}

// What a client prints beside its protocol takes nothing down: neither much on its error stream, nor long answers in pieces,
// nor lines that are no messages, up to a limit.
func TestClientThatTalksMuch(t *testing.T) {
	t.Parallel()
	each(t, "errors", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, _ := s.open()
		if got := said(s.turn(c, "rant 52428800\nsay well")); got != "well" {
			t.Errorf("said %q", got)
		}
		if e := last(s.turn(c, "rant 52428800\ndie at last")); !errors.Is(e.Err, launch.ErrEnded) || len(e.Err.Error()) > 8<<10 || !strings.Contains(e.Err.Error(), "at last") {
			t.Errorf("%+v", e)
		}
	})
	each(t, "pieces", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, _ := s.open()
		n := 0
		for e := range c.Prompt(t.Context(), launch.Block{Text: "repeat 50 " + strings.Repeat("x", 1<<20)}) {
			n += len(e.Text)
		}
		if n != 50<<20 {
			t.Errorf("%d bytes arrived", n)
		}
	})
	each(t, "no messages", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, _ := s.open()
		if got := said(s.turn(c, strings.Repeat("noise x\n", 900)+"say on")); got != "on" {
			t.Errorf("said %q", got)
		}
		if e := last(s.turn(c, strings.Repeat("noise x\n", 200)+"sleep 1m")); e.Kind != launch.Error {
			t.Errorf("%+v", e)
		}
		if got := said(s.turn(c, "say again")); got != "again" {
			t.Errorf("the next turn said %q", got)
		}
	})
}
