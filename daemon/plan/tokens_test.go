package plan_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/plan"
)

func TestNumbersOfTokens(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "k", "0", "-1", "999", "1.5k", "2000000000", "9999999999999999999k", "1001m", "0x10k"} {
		if n, ok := plan.ParseTokens(bad); ok {
			t.Errorf("%q is %d", bad, n)
		}
	}
	for n, text := range map[int]string{0: "", -1: "", 1000: "1k", 131072: "131072", 200_000: "200k", 1_000_000: "1m", 1_500_000: "1500k"} {
		got := plan.TokenText(n)
		if back, ok := plan.ParseTokens(got); got != text || n > 0 && (!ok || back != n) {
			t.Errorf("%d is %q, and that %d", n, got, back)
		}
	}
}
