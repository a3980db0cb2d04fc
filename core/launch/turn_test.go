package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

func TestTurnTellsWhatHappens(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	c, talk := s.open()
	if talk.Model != "small" || !slices.Equal(talk.Models, []string{"small", "large"}) {
		t.Errorf("conversation %+v", talk)
	}
	events := s.turn(c, "think hm\nsay one\ntool t1 execute ls -l\ndone t1 a file\nnoise a warning\nsay two")
	want := []launch.Event{
		{Kind: launch.Reasoning, Text: "hm"},
		{Kind: launch.Text, Text: "one"},
		{Kind: launch.ToolStart, Tool: &launch.Tool{ID: "t1", Kind: "execute", Title: "ls -l", Status: launch.Running}},
		{Kind: launch.ToolEnd, Tool: &launch.Tool{ID: "t1", Kind: "execute", Title: "ls -l", Status: launch.Completed, Output: "a file"}},
		{Kind: launch.Text, Text: "two"},
		{Kind: launch.End, Reason: launch.Finished},
	}
	if diff := cmp.Diff(want, events, cmpopts.IgnoreFields(launch.Event{}, "Raw")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for _, e := range events[:5] {
		if !json.Valid(e.Raw) || !strings.Contains(string(e.Raw), "sessionUpdate") {
			t.Errorf("%s has no message of the client: %s", e.Kind, e.Raw)
		}
	}
	for prompt, reason := range map[string]launch.EndReason{"stop refusal": launch.Refused, "stop max_tokens": launch.Limit, "stop max_turn_requests": launch.Limit} {
		if e := last(s.turn(c, prompt)); e.Kind != launch.End || e.Reason != reason {
			t.Errorf("%s: %+v", prompt, e)
		}
	}
}

func TestC245_C368_H69_H70_FirstPromptContextGoesOnceBehindTheUsersBlocks(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	c, _ := s.open()
	texts := func(events []launch.Event) (list []string) {
		var q struct{ Prompt []struct{ Text string } }
		if err := json.Unmarshal([]byte(said(events)), &q); err != nil {
			t.Fatal(err)
		}
		for _, b := range q.Prompt {
			list = append(list, b.Text)
		}
		return list
	}
	if e := last(s.turn(c, "fail -32603 not now")); e.Kind != launch.Error {
		t.Fatalf("%+v", e)
	}
	first := texts(s.turn(c, "show"))
	if len(first) != 2 || first[0] != "show" || !strings.Contains(first[1], "Tutti") {
		t.Errorf("the first prompt that succeeds has %q, want the user's block and then the context", first)
	}
	if second := texts(s.turn(c, "show")); !slices.Equal(second, []string{"show"}) {
		t.Errorf("the second prompt has %q", second)
	}
	if _, err := c.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := texts(s.turn(c, "show")); !slices.Equal(again, first) {
		t.Error("the context does not go with the first prompt of a new conversation")
	}
	for range 2 { // also when it goes on in a new process
		if _, err := c.Resume(t.Context(), "s-before"); err != nil {
			t.Fatal(err)
		}
		if again := texts(s.turn(c, "show")); !slices.Equal(again, first) {
			t.Error("the context does not go with the first prompt of a resumed conversation")
		}
		s.turn(c, "die now")
	}
}

func TestPermissionIsNeverGivenUnasked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy launch.Policy
		want   string
	}{
		"no policy":         {nil, "answer n1"},
		"denied":            {launch.DenyAll, "answer n1"},
		"allowed by kind":   {launch.AllowKinds("edit", "execute"), "answer o1"},
		"another kind":      {launch.AllowKinds("edit"), "answer n1"},
		"always":            {func(context.Context, launch.Request) launch.Answer { return launch.AllowAlways }, "answer a1"},
		"an unknown answer": {func(context.Context, launch.Request) launch.Answer { return "of course" }, "answer n1"},
		"neither":           {func(context.Context, launch.Request) launch.Answer { return launch.CancelTurn }, "answer cancelled"},
	} {
		each(t, name, func(t *testing.T, scene newSceneFunc) {
			s := scene(t)
			conn, _ := s.open(func(o *launch.Options) { o.Policy = c.policy })
			events := s.turn(conn, "ask t1 execute rm -r x")
			if got := said(events); got != c.want {
				t.Errorf("the client was told %q, want %q", got, c.want)
			}
			events = slices.DeleteFunc(events, func(e launch.Event) bool { return e.Kind == launch.Model })
			if events[0].Kind != launch.PermissionRequest || events[0].Tool.Title != "rm -r x" {
				t.Errorf("event %+v", events[0])
			}
		})
	}
}

func TestH71_H72_CancelledTurnIsReportedSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags  []string
		prompt string
	}{
		"a client that listens":      {nil, "say a\nsleep 1m"},
		"a client that does not":     {[]string{"--ignore-cancel"}, "say a\nsleep 1m"},
		"a client that ends it well": {[]string{"--ignore-cancel"}, "say a\nsleep 50ms"},
		"a question that waits":      {nil, "say a\nask t1 execute x"},
		"a client that goes on":      {nil, "say a\nrepeat 100000 x\nsleep 1m"},
	} {
		each(t, name, func(t *testing.T, scene newSceneFunc) {
			s := scene(t, c.flags...)
			conn, _ := s.open(func(o *launch.Options) {
				o.CancelGrace = time.Second
				o.Policy = func(ctx context.Context, _ launch.Request) launch.Answer { <-ctx.Done(); return launch.AllowOnce }
			})
			var events []launch.Event
			begin := time.Now()
			for e := range conn.Prompt(t.Context(), launch.Block{Text: c.prompt}) {
				events = append(events, e)
				if e.Kind == launch.Text {
					conn.Cancel()
				}
			}
			if e := last(events); e.Kind != launch.End || e.Reason != launch.Cancelled {
				t.Errorf("the turn ended with %+v", e)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
			if got := said(s.turn(conn, "say still here")); got != "still here" {
				t.Errorf("the next turn said %q", got)
			}
		})
	}
}

func TestHostThatStopsReadingCancels(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, _ := s.open()
		for range c.Prompt(t.Context(), launch.Block{Text: "repeat 5000 x\nsleep 1m"}) {
			break
		}
		if got := said(s.turn(c, "say on")); got != "on" {
			t.Errorf("the next turn said %q", got)
		}
	})
}

func TestOneTurnAtATime(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, _ := s.open()
		for e := range c.Prompt(t.Context(), launch.Block{Text: "say a\nsleep 300ms\nsay b"}) {
			if e.Kind != launch.Text || e.Text != "a" {
				continue
			}
			if second := last(s.turn(c, "say c")); !errors.Is(second.Err, core.ErrBusy) {
				t.Errorf("a second turn: %+v", second)
			}
			if err := c.SetModel(t.Context(), "large"); !errors.Is(err, core.ErrBusy) {
				t.Errorf("set model in a turn: %v", err)
			}
		}
	})
}

func TestModelIsKeptOverANewProcess(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, talk := s.open()
		// A client that does not tell which there are is asked with the next turn.
		if err := c.SetModel(t.Context(), "no-such-model"); len(talk.Models) > 0 && !errors.Is(err, launch.ErrFault) {
			t.Errorf("a model that there is not: %v", err)
		} else if e := last(s.turn(c, "say x")); len(talk.Models) == 0 && !errors.Is(e.Err, launch.ErrFault) {
			t.Errorf("a turn with a model that there is not: %+v", e)
		}
		if err := c.SetModel(t.Context(), "large"); err != nil {
			t.Fatal(err)
		}
		if e := last(s.turn(c, "die of age")); !errors.Is(e.Err, launch.ErrEnded) || !strings.Contains(e.Err.Error(), "told to die with of age") {
			t.Errorf("the end of the client is told as %v", e.Err)
		}
		if got := said(s.turn(c, "say back")); got != "back" {
			t.Errorf("the next turn said %q", got)
		}
	})
}

// What was chosen holds over a new process, and a conversation of its own begins without it.
func TestOptionsAreKeptOverANewProcess(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, talk := s.open()
		option := "permission_mode"
		if _, ok := talk.Options["mode"]; ok {
			if option = "mode"; talk.Options[option] != "default" {
				t.Errorf("conversation %+v", talk)
			}
		}
		if talk.Options["approvalPolicy"] != "" { // an app-server, which is told with the next turn
			option = "effort"
			if err := c.Set(t.Context(), option, "no-such-value"); err != nil {
				t.Error(err)
			}
			if e := last(s.turn(c, "say x")); !errors.Is(e.Err, launch.ErrFault) {
				t.Errorf("a turn with a value that there is not: %+v", e)
			}
		} else if err := c.Set(t.Context(), option, "no-such-value"); !errors.Is(err, launch.ErrFault) {
			t.Errorf("a value that there is not: %v", err)
		}
		if err := c.Set(t.Context(), option, "plan"); err != nil {
			t.Fatal(err)
		}
		s.turn(c, "die now")
		if got := said(s.turn(c, "option "+option)); got != "plan" {
			t.Errorf("after it was started again the client has %q", got)
		}
	})
}

func TestTooLongAMessageEndsTheTurnOnly(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, _ := s.open()
		e := last(s.turn(c, "flood 52428800"))
		if e.Kind != launch.Error || e.Err == nil {
			t.Fatalf("50 MB in a message: %+v", e)
		}
		if events := s.turn(c, "say well"); said(events) != "well" {
			t.Errorf("the next turn said %+v", events)
		}
	})
}

func TestNothingIsLeftOfTheGroup(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"ends well": nil, "needs a kill": {"--ignore-eof", "--ignore-term"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, flags...)
			c, err := launch.Open(t.Context(), s.prepare("one"), s.options(func(o *launch.Options) { o.EndGrace = 200 * time.Millisecond }))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.NewSession(t.Context()); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "pid")
			if e := last(s.turn(c, "child "+file)); e.Reason != launch.Finished {
				t.Fatalf("%+v", e)
			}
			if _, err := s.host.Cleanup(t.Context(), core.Ref{Workspace: "w", ID: "one"}, core.CleanupOptions{}); !errors.Is(err, core.ErrRunning) {
				t.Errorf("clean-up of a running session: %v", err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			pid, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !gone(string(pid)) {
				t.Errorf("process %s is left", pid)
			}
			if _, err := s.host.Cleanup(t.Context(), core.Ref{Workspace: "w", ID: "one"}, core.CleanupOptions{}); err != nil {
				t.Error(err)
			}
			if err := c.Close(); err != nil {
				t.Errorf("closed twice: %v", err)
			}
			if e := last(s.turn(c, "say x")); !errors.Is(e.Err, core.ErrClosed) {
				t.Errorf("a turn after the end: %+v", e)
			}
		})
	}
}

// gone says whether a process has ended, or only waits to be collected.
func gone(pid string) bool {
	for range 100 {
		stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}
