package vmhost_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/examples/vmhost"
)

func open(m *machine, resume string, policy launch.Policy) (*vmhost.Session, launch.Conversation) {
	m.Helper()
	s, talk, err := m.client.Open(m.Context(), one, resume, vmhost.Options{Policy: policy})
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = s.Close() })
	return s, talk
}

func turn(t *testing.T, s *vmhost.Session, prompt string) (said string, last launch.Event) {
	t.Helper()
	for last = range s.Prompt(t.Context(), launch.Block{Text: prompt}) {
		if last.Kind == launch.Text {
			said += last.Text
		}
	}
	return said, last
}

func TestAgentIsDrivenFromAfar(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	s, talk := open(m, "", nil)
	if talk.ID == "" || talk.Model != "small" || !slices.Equal(talk.Models, []string{"small", "large"}) {
		t.Errorf("conversation %+v", talk)
	}
	if said, last := turn(t, s, "think hm\nsay one\nsay two"); said != "onetwo" || last.Reason != launch.Finished {
		t.Errorf("the turn said %q and ended with %+v", said, last)
	}
	if _, last := turn(t, s, "fail -32000 Authentication required"); !errors.Is(last.Err, launch.ErrLogin) {
		t.Errorf("an error is told as %+v", last)
	}
	if err := s.SetModel(t.Context(), "large"); err != nil {
		t.Error(err)
	}
	if err := s.SetModel(t.Context(), "no-such-model"); !errors.Is(err, launch.ErrFault) {
		t.Errorf("a model that there is not: %v", err)
	}
	if i, err := m.client.Session(t.Context(), one.Ref()); err != nil || !i.Running || i.Cwd != one.Cwd {
		t.Errorf("session %+v, %v", i, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, last := turn(t, s, "say x"); !errors.Is(last.Err, core.ErrClosed) {
		t.Errorf("a turn after the end: %+v", last)
	}
	again, resumed := open(m, talk.ID, nil)
	if resumed.ID != talk.ID || resumed.Replaced {
		t.Errorf("resumed %+v", resumed)
	}
	if said, _ := turn(t, again, "say on"); said != "on" {
		t.Errorf("the resumed one says %q", said)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if r, err := m.client.Cleanup(t.Context(), one.Ref(), core.CleanupOptions{}); err != nil || len(r.Kept) > 0 {
		t.Errorf("clean up %+v, %v", r, err)
	}
}

// Whoever holds the client decides, and nobody in between.
func TestPolicyDecidesFromAfar(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for want, policy := range map[string]launch.Policy{
		"answer n1":        nil,
		"answer o1":        launch.AllowKinds("execute"),
		"answer cancelled": func(context.Context, launch.Request) launch.Answer { return launch.CancelTurn },
	} {
		s, _ := open(m, "", policy)
		if said, _ := turn(t, s, "ask t1 execute rm -r x"); said != want {
			t.Errorf("the client was told %q, want %q", said, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTurnIsCancelledFromAfar(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	over := make(chan struct{})
	s, _ := open(m, "", func(ctx context.Context, _ launch.Request) launch.Answer {
		<-ctx.Done()
		close(over)
		return launch.AllowOnce
	})
	var last launch.Event
	for last = range s.Prompt(t.Context(), launch.Block{Text: "say a\nsleep 1m"}) {
		if last.Kind == launch.Text {
			s.Cancel()
		}
	}
	if last.Kind != launch.End || last.Reason != launch.Cancelled {
		t.Errorf("the turn ended with %+v", last)
	}
	for range s.Prompt(t.Context(), launch.Block{Text: "say a\nrepeat 1000 b"}) {
		break
	}
	if said, _ := turn(t, s, "say on"); said != "on" {
		t.Errorf("the next turn says %q", said)
	}
	// A question that nobody answers ends with its turn.
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for last = range s.Prompt(ctx, launch.Block{Text: "ask t1 execute x"}) {
	}
	if last.Reason != launch.Cancelled {
		t.Errorf("the turn ended with %+v", last)
	}
	select {
	case <-over:
	case <-time.After(10 * time.Second):
		t.Error("the policy is still asked")
	}
	for e := range s.Prompt(t.Context(), launch.Block{Text: "say a\nsleep 300ms"}) {
		if e.Kind == launch.Text {
			if _, second := turn(t, s, "say b"); !errors.Is(second.Err, core.ErrBusy) {
				t.Errorf("a second turn: %+v", second)
			}
		}
	}
	if said, _ := turn(t, s, "say "+strings.Repeat("x", 1<<20)); len(said) != 1<<20 {
		t.Errorf("a long answer has %d bytes", len(said))
	}
}
