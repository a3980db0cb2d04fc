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

// guard measures an operation everywhere. aim is what docs/performance.md says of a place.
func guard(t *testing.T, n int, of func(*site) operation, aim func(place) float64, floor, whole float64) {
	t.Helper()
	if testing.Short() || racing {
		t.Skip("measures for some seconds, and without the race detector")
	}
	for _, p := range measured {
		for _, provider := range []string{"codex", "claude"} {
			t.Run(fmt.Sprintf("%s, %s", p.name, provider), func(t *testing.T) {
				s := p.site(t, provider, false)
				within(t, provider, of(s).rounds(n), limits{aim(p), floor, whole})
			})
		}
	}
}

// byAdapter is an aim that is another one where the adapter is a process.
func byAdapter(local, process float64) func(place) float64 {
	return func(p place) float64 {
		if p.process {
			return process
		}
		return local
	}
}

// What is allowed against a floor is two to three times what was measured, for machines that do much else.
func TestSpeedFresh(t *testing.T) { guard(t, many, (*site).fresh, byAdapter(4, 6), 12, 6) }

func TestSpeedAgain(t *testing.T) { guard(t, many, (*site).again, byAdapter(2, 2), 12, 5) }

func TestSpeedCleanup(t *testing.T) { guard(t, many, (*site).cleanup, byAdapter(9, 9), 9, 9) }

func TestSpeedParallel(t *testing.T) { guard(t, few, (*site).parallel, byAdapter(4, 6), 16, 8) }
