package relay

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/gateway"
)

func TestTallyCountsTurnsAndTheirTokens(t *testing.T) {
	t.Parallel()
	var told []string
	ta := &Tally{Failed: func(_ int, code string) { told = append(told, code) }}
	for _, e := range []gateway.Event{
		{Kind: gateway.EventRegistered},
		{Kind: gateway.EventRequest, Outcome: gateway.OutcomeCompleted, TimeToFirstToken: 3 * time.Second, Usage: gateway.Usage{Input: 100, Cached: 50, Output: 1}},
		{Kind: gateway.EventRequest, Outcome: gateway.OutcomeCompleted, TimeToFirstToken: time.Second, Usage: gateway.Usage{Input: 300, Cached: 250, Output: 2}},
		{Kind: gateway.EventRequest, Outcome: gateway.OutcomeCancelled, TimeToFirstToken: 2 * time.Second},
		{Kind: gateway.EventRequest, Outcome: gateway.OutcomeFailed, Code: "bad"},
		{Kind: gateway.EventRejected, Status: 401, Code: "who"},
	} {
		ta.Observe(e)
	}
	want := Summary{Turns: 3, Failed: 1, Refused: 1, LastFailure: "401 who", Input: 400, Cached: 300, Output: 3, CachedShare: 0.75, FirstToken: 2}
	if diff := cmp.Diff(want, ta.Summary()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"bad", "who"}, told); diff != "" {
		t.Error(diff)
	}
}

func TestTallyKeepsTheNewestTimes(t *testing.T) {
	t.Parallel()
	ta := &Tally{}
	for range kept {
		ta.Observe(gateway.Event{Kind: gateway.EventRequest, TimeToFirstToken: time.Hour})
	}
	for range kept/2 + 1 {
		ta.Observe(gateway.Event{Kind: gateway.EventRequest, TimeToFirstToken: time.Second})
	}
	if got := ta.Summary().FirstToken; got != 1 || len(ta.first) != kept {
		t.Errorf("median %v of %d", got, len(ta.first))
	}
}
