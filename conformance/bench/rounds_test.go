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
	// whole is the floor with the skills as files of the session's own.
	whole func(i int)
}

// figure is one measurement: what ours took against the floors. The times are medians of a round, the ratios are theirs.
// The calm ones are the ratios of the fastest tenths: a round of some milliseconds is interrupted more often than the
// floor's short one, and on a machine that has much else to do that is most of its median.
type figure struct {
	ours, calm         time.Duration
	floor, tree, whole against
}

// against is one floor of a figure.
type against struct {
	time        time.Duration
	ratio, calm float64
}

func (f figure) String() string {
	s := fmt.Sprintf("%.3f ms (calm %.3f)", ms(f.ours), ms(f.calm))
	for _, a := range []struct {
		name string
		against
	}{{"floor", f.floor}, {"the tree alone", f.tree}, {"the whole tree as files", f.whole}} {
		if a.time > 0 {
			s += fmt.Sprintf("; %s %.3f ms: %.2f times (calm %.2f)", a.name, ms(a.time), a.ratio, a.calm)
		}
	}
	return s
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// rounds runs ours and the floors in turns, each as often first. What else the machine does meets all of them, and the
// median leaves out the rounds in which it met only one.
func (o operation) rounds(n int) figure {
	funcs := []func(int){o.ours, o.floor, o.tree, o.whole}
	times := make([][]time.Duration, len(funcs))
	for i := range n {
		o.before(i)
		for k := range funcs {
			k = (k + i) % len(funcs)
			if funcs[k] == nil {
				continue
			}
			start := time.Now()
			funcs[k](i)
			times[k] = append(times[k], time.Since(start))
		}
	}
	for k := range times {
		slices.Sort(times[k])
	}
	than := func(k int) (a against) {
		if len(times[k]) > 0 {
			a.time = median(times[k])
			a.ratio = float64(median(times[0])) / float64(a.time)
			a.calm = float64(times[0][n/10]) / float64(times[k][n/10])
		}
		return a
	}
	return figure{ours: median(times[0]), calm: times[0][n/10], floor: than(1), tree: than(2), whole: than(3)}
}

func median(d []time.Duration) time.Duration { // sorted
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

// limits are what is aimed at against the whole tree as files, which is the tree that the aims were set against, and what
// is allowed against each floor. 0 is no limit.
type limits struct{ aim, floor, whole float64 }

// within fails when a ratio is above what a noisy machine may make of what was measured.
func within(t *testing.T, what string, f figure, l limits) {
	t.Helper()
	verdict := "reached"
	if f.whole.ratio > l.aim {
		verdict = "not reached"
	}
	t.Logf("%s %s (aim %g times the whole tree as files: %s)", what, f, l.aim, verdict)
	if racing {
		return
	}
	for name, one := range map[string]struct{ is, most float64 }{"floor": {f.floor.calm, l.floor}, "whole tree as files": {f.whole.calm, l.whole}} {
		if one.most > 0 && one.is > one.most {
			t.Errorf("%s took %.2f times the %s in the fastest tenth of the rounds, allowed are %g", what, one.is, name, one.most)
		}
	}
}
