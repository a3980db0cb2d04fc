package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// operation is something that is done in rounds, and the floor under it.
type operation struct {
	before func(i int) // is not timed
	ours   func(i int)
	floor  func(i int)
}

// figure is one measurement: what ours took against the floor.
type figure struct {
	ours, floor time.Duration // medians of a round
	ratio       float64       // of the medians
}

func (f figure) String() string {
	return fmt.Sprintf("%8.3f ms, floor %7.3f ms: %5.2f times", ms(f.ours), ms(f.floor), f.ratio)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// rounds runs ours and the floor in turns, beginning with each as often. What else the machine does meets both, and the
// median leaves out the rounds in which it met only one.
func (o operation) rounds(n int) figure {
	ours, floor := make([]time.Duration, n), make([]time.Duration, n)
	timed := func(f func(int), i int) time.Duration {
		start := time.Now()
		f(i)
		return time.Since(start)
	}
	for i := range n {
		o.before(i)
		if i%2 == 0 {
			ours[i] = timed(o.ours, i)
			floor[i] = timed(o.floor, i)
		} else {
			floor[i] = timed(o.floor, i)
			ours[i] = timed(o.ours, i)
		}
	}
	f := figure{ours: median(ours), floor: median(floor)}
	f.ratio = float64(f.ours) / float64(f.floor)
	return f
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

// within fails when a ratio is above what a noisy machine may make of the aim.
func within(t *testing.T, what string, f figure, aim, most float64) {
	t.Helper()
	verdict := "reached"
	if f.ratio > aim {
		verdict = "not reached"
	}
	t.Logf("%-36s %s (aim %g, %s)", what, f, aim, verdict)
	if !racing && f.ratio > most {
		t.Errorf("%s took %.2f times the floor, allowed are %g", what, f.ratio, most)
	}
}
