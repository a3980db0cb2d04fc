package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

func TestStreamTellsWhatHappens(t *testing.T) {
	t.Parallel()
	s := newStream(t)
	c, talk := s.open()
	if talk.ID == "" || !slices.Equal(talk.Models, []string{"small", "large"}) {
		t.Errorf("conversation %+v", talk)
	}
	events := s.turn(c, "think hm\nsay one\ntool t1 execute ls -l\ndone t1 a file\nnoise a warning\nsay two")
	want := []launch.Event{
		{Kind: launch.Model, Model: "small"},
		{Kind: launch.Reasoning, Text: "hm"},
		{Kind: launch.Text, Text: "one"},
		{Kind: launch.ToolStart, Tool: &launch.Tool{ID: "t1", Kind: "execute", Title: "ls -l", Status: launch.Running}},
		{Kind: launch.ToolEnd, Tool: &launch.Tool{ID: "t1", Kind: "execute", Title: "ls -l", Status: launch.Completed, Output: "a file"}},
		{Kind: launch.Text, Text: "two"},
		{Kind: launch.Usage, Usage: &launch.Tokens{Input: 15, Cached: 5, Output: 2, Window: 1000}},
		{Kind: launch.End, Reason: launch.Finished},
	}
	if diff := cmp.Diff(want, events, cmpopts.IgnoreFields(launch.Event{}, "Raw")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for _, e := range events[:7] {
		if !json.Valid(e.Raw) || !strings.Contains(string(e.Raw), talk.ID) {
			t.Errorf("%s has no message of the client: %s", e.Kind, e.Raw)
		}
	}
	for prompt, reason := range map[string]launch.EndReason{"stop refusal": launch.Refused, "stop max_tokens": launch.Limit} {
		if e := last(s.turn(c, prompt)); e.Kind != launch.End || e.Reason != reason {
			t.Errorf("%s: %+v", prompt, e)
		}
	}
	if e := last(s.turn(c, "fail 1 the model is on holiday")); !errors.Is(e.Err, launch.ErrFault) || !strings.Contains(e.Err.Error(), "on holiday") {
		t.Errorf("a turn that fails: %+v", e)
	}
	if e := last(s.turn(c, "fail -32000 Please run /login")); !errors.Is(e.Err, launch.ErrLogin) {
		t.Errorf("nobody is logged in: %+v", e)
	}
}

// A process is one conversation: another one, and one that is resumed, has another process.
func TestStreamHasAProcessForAConversation(t *testing.T) {
	t.Parallel()
	s := newStream(t)
	c, first := s.open()
	second, err := c.NewSession(t.Context())
	if err != nil || second.ID == first.ID {
		t.Fatalf("%+v after %+v, %v", second, first, err)
	}
	s.turn(c, "die soon")
	shown := said(s.turn(c, "show"))
	if !strings.Contains(shown, second.ID) {
		t.Errorf("after its end the client goes on with %s, want %s", shown, second.ID)
	}
	for id, replaced := range map[string]bool{first.ID: false, "no-such-one": true} {
		talk, err := c.Resume(t.Context(), id)
		if err != nil || talk.Replaced != replaced || (talk.ID == id) == replaced || strings.Contains(talk.Reason, "there is no such conversation") != replaced {
			t.Errorf("resumed %+v, %v", talk, err)
		}
	}
}

func TestStreamStartFails(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"no answer": {"--hang", "initialize"}, "an error": {"--refuse", "initialize"}, "another shape": {"--garble", "initialize"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStream(t, flags...)
			c, err := launch.Open(t.Context(), s.prepare("one"), s.options(func(o *launch.Options) { o.StartTimeout = 3 * time.Second }))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.SetModel(t.Context(), "large"); !errors.Is(err, core.ErrInvalid) {
				t.Errorf("a model for no conversation: %v", err)
			}
			if _, err = c.NewSession(t.Context()); !errors.Is(err, launch.ErrHandshake) {
				t.Errorf("error %v", err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStreamQuestionThatIsWithdrawn(t *testing.T) {
	t.Parallel()
	s := newStream(t)
	asked := make(chan struct{}, 1)
	c, _ := s.open(func(o *launch.Options) {
		o.Policy = func(ctx context.Context, _ launch.Request) launch.Answer {
			asked <- struct{}{}
			<-ctx.Done()
			return launch.AllowOnce
		}
	})
	go func() { <-asked; c.Cancel() }()
	if e := last(s.turn(c, "ask t1 execute x")); e.Reason != launch.Cancelled {
		t.Errorf("%+v", e)
	}
}
