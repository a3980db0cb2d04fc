package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// operation is something that is done in rounds, and the floors under it.
type operation struct {
	before func(i int) // is not timed
	ours   func(i int)
	floor  func(i int)
	// tree is the floor without reading the user's files, nil where it reads none. It is printed only.
	tree func(i int)
}

// figure is one measurement: what ours took against the floors. The times are medians of a round, the ratios are theirs.
// calm is the ratio of the fastest tenths: a round of some milliseconds is interrupted more often than the floor's short
// one, and on a machine that has much else to do that is most of its median.
type figure struct {
	ours, floor, tree   time.Duration
	ratio, toTree, calm float64
}

func (f figure) String() string {
	s := fmt.Sprintf("%8.3f ms, floor %7.3f ms: %5.2f times", ms(f.ours), ms(f.floor), f.ratio)
	if f.tree > 0 {
		s += fmt.Sprintf("; the tree alone %7.3f ms: %5.2f times", ms(f.tree), f.toTree)
	}
	return s
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// rounds runs ours and the floors in turns, each as often first. What else the machine does meets all of them, and the
// median leaves out the rounds in which it met only one.
func (o operation) rounds(n int) figure {
	funcs := []func(int){o.ours, o.floor}
	if o.tree != nil {
		funcs = append(funcs, o.tree)
	}
	times := make([][]time.Duration, len(funcs))
	for i := range n {
		o.before(i)
		for k := range funcs {
			k = (k + i) % len(funcs)
			start := time.Now()
			funcs[k](i)
			times[k] = append(times[k], time.Since(start))
		}
	}
	for k := range times {
		slices.Sort(times[k])
	}
	f := figure{ours: median(times[0]), floor: median(times[1])}
	f.ratio = float64(f.ours) / float64(f.floor)
	f.calm = float64(times[0][n/10]) / float64(times[1][n/10])
	if o.tree != nil {
		f.tree = median(times[2])
		f.toTree = float64(f.ours) / float64(f.tree)
	}
	return f
}

func median(d []time.Duration) time.Duration { // sorted
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

// within fails when a ratio is above what a noisy machine may make of the aim.
func within(t *testing.T, what string, f figure, aim, most float64) {
	t.Helper()
	verdict := "reached"
	if f.ratio > aim {
		verdict = "not reached"
	}
	t.Logf("%s %s (aim %g, %s)", what, f, aim, verdict)
	if f.calm > most && !racing {
		t.Errorf("%s took %.2f times the floor in the fastest tenth of the rounds, allowed are %g", what, f.calm, most)
	}
}
