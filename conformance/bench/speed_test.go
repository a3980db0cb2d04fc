package bench

import (
	"fmt"
	"testing"
)

// How many rounds a guard measures: enough for a median on a busy machine.
const (
	many = 101
	few  = 41
)

// measured are the places of the guards.
var measured = []place{
	{name: "tmpfs, in process", on: memory},
	{name: "tmpfs, adapter", on: memory, process: true},
	{name: "disk, in process", on: disk},
	{name: "disk, adapter", on: disk, process: true},
}

// guard measures an operation everywhere. aim is what docs/performance.md says of a place, most what is allowed.
func guard(t *testing.T, n int, of func(*site) operation, aim, most func(place) float64) {
	t.Helper()
	if testing.Short() {
		t.Skip("measures for some seconds")
	}
	for _, p := range measured {
		for _, provider := range []string{"codex", "claude"} {
			t.Run(fmt.Sprintf("%s, %s", p.name, provider), func(t *testing.T) {
				o := of(p.site(t, provider, false))
				within(t, provider, o.rounds(n), aim(p), most(p))
			})
		}
	}
}

func always(x float64) func(place) float64 { return func(place) float64 { return x } }

// byAdapter is another number where the adapter is a process.
func byAdapter(local, process float64) func(place) float64 {
	return func(p place) float64 {
		if p.process {
			return process
		}
		return local
	}
}

func TestSpeedFresh(t *testing.T) { guard(t, many, (*site).fresh, byAdapter(4, 6), always(12)) }

func TestSpeedAgain(t *testing.T) { guard(t, many, (*site).again, always(2), always(12)) }

func TestSpeedCleanup(t *testing.T) { guard(t, many, (*site).cleanup, always(9), always(12)) }

func TestSpeedParallel(t *testing.T) {
	guard(t, few, (*site).parallel, byAdapter(4, 6), always(16))
}
