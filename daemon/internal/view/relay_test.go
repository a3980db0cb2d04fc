package view_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/internal/relay"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
)

func TestRelayedIsOneLine(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]relay.Summary{
		"0 turns":                                 {},
		"1 turn, first token after 1 ms":          {Turns: 1, FirstToken: 0.0001},
		"1 turn, first token after 2.5 s":         {Turns: 1, FirstToken: 2.49},
		"1 turn, 11 tokens in (0% cached), 7 out": {Turns: 1, Input: 11, Output: 7},
		"0 turns, 6 requests failed, the last with 502 upstream_not_an_api":                                                                                        {Failed: 6, LastFailure: "502 upstream_not_an_api"},
		"12 turns, 1,234,567 tokens in (88% cached), 8,901 out, first token after 419 ms, 1 request failed, 1,000 requests refused, the last with 429 rate_limit�": {Turns: 12, Failed: 1, Refused: 1000, LastFailure: "429 rate_limit\x1b", Input: 1234567, Output: 8901, CachedShare: 0.876, FirstToken: 0.419},
	} {
		if got := view.Relayed(s); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
