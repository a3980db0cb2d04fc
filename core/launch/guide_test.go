package launch_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// within runs what must not block.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s blocks", what)
	}
}

// Who guides from the loop that reads the events never waits for themselves, however much the client has to say before it
// takes what is said, and loses no event for it.
func TestGuideFromTheLoopThatReads(t *testing.T) {
	t.Parallel()
	more := launch.Block{Text: "-more-"}
	for name, c := range map[string]struct {
		flags    []string
		turn     string
		size     int
		want     error
		patience time.Duration
	}{
		"many events":                    {nil, "say begin\nrepeat 5000 x", 5000, nil, 0},
		"more than is held":              {[]string{"--hang", "turn/steer"}, "say begin\nrepeat 200 " + strings.Repeat("x", 100<<10), 200 * 100 << 10, core.ErrBusy, 0},
		"no answer before the turn ends": {[]string{"--hang", "turn/steer"}, "say begin\nsleep 200ms", 0, core.ErrInvalid, 0},
		"cancelled meanwhile":            {[]string{"--hang", "turn/steer"}, "say begin\nsleep 20s", 0, core.ErrInvalid, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newApp(t, c.flags...)
			conn, _ := s.open()
			size, calls := 0, 0
			var end launch.Event
			within(t, "the turn", func() {
				for e := range conn.Prompt(t.Context(), launch.Block{Text: c.turn}) {
					end = e
					if e.Kind != launch.Text {
						continue
					}
					if calls++; calls == 1 {
						if c.patience > 0 {
							time.AfterFunc(c.patience, conn.Cancel)
						}
						if err := conn.Guide(t.Context(), more); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
							t.Errorf("guiding: %v, want %v", err, c.want)
						}
						continue
					}
					if e.Text != "-more-" && !strings.HasPrefix(e.Text, "guided") {
						size += len(e.Text)
					}
				}
			})
			if end.Kind != launch.End || c.patience == 0 && (end.Reason != launch.Finished || size != c.size) {
				t.Errorf("%d bytes arrived of %d, and the turn ended with %+v", size, c.size, end)
			}
		})
	}
}

// Who closes from that loop does not wait for themselves either.
func TestCloseFromTheLoopThatReads(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		for when, turn := range map[string]string{"in the turn": "say a\nsleep 1m", "at its end": "say a"} {
			s := scene(t)
			c, _ := s.open()
			var end launch.Event
			within(t, "closing "+when, func() {
				for e := range c.Prompt(context.Background(), launch.Block{Text: turn}) {
					end = e
					if when == "in the turn" || e.Kind == launch.End {
						if err := c.Close(); err != nil {
							t.Error(err)
						}
					}
				}
			})
			if want := map[string]launch.EndReason{"in the turn": launch.Cancelled, "at its end": launch.Finished}[when]; end.Reason != want {
				t.Errorf("%s: ended with %+v", when, end)
			}
			if report, err := s.host.Cleanup(t.Context(), s.prepare("one").Ref, core.CleanupOptions{}); err != nil {
				t.Errorf("%s: the session is not given up: %v %+v", when, err, report)
			}
		}
	})
}
