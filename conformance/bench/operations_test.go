package bench

import (
	"fmt"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
)

// place is where and how sessions are prepared.
type place struct {
	name    string
	on      medium
	process bool // adapters are processes, and warm
	asked   bool // every request is a new one, so that the adapter is asked each time
}

func (p place) stage(t testing.TB, counting bool) *stage {
	t.Helper()
	sources := local()
	if p.process {
		var err error
		if sources, err = processes(); err != nil {
			t.Fatal(err)
		}
	}
	return newStage(t, p.on, sources, counting)
}

// site is a stage on which a first session of one provider was prepared, number 0, which also warmed up what can be.
type site struct {
	*stage
	place    place
	provider string
	floor    *floor
}

func (p place) site(t testing.TB, provider string, counting bool) *site {
	t.Helper()
	s := &site{stage: p.stage(t, counting), place: p, provider: provider}
	s.floor = s.floorOf(s.prepare(s.session(0)), "floor")
	return s
}

func (s *site) session(n int) core.Session {
	if s.place.asked {
		return s.unasked(s.provider, n)
	}
	return s.stage.session(s.provider, n)
}

func nothing(int) {}

// fresh prepares a new session in each round.
func (s *site) fresh() operation {
	return operation{
		before: nothing,
		ours:   func(i int) { s.prepare(s.session(i + 1)) },
		floor:  func(i int) { s.floor.look(); s.floor.make(fmt.Sprint(i)) },
		tree:   func(i int) { s.floor.make(fmt.Sprint("tree-", i)) },
		whole:  func(i int) { s.floor.look(); s.floor.whole.make(fmt.Sprint("whole-", i)) },
	}
}

// again prepares one session over and over.
func (s *site) again() operation {
	s.floor.make("again")
	s.floor.whole.make("again-whole")
	return operation{
		before: nothing,
		ours:   func(int) { s.prepare(s.session(0)) },
		floor:  func(int) { s.floor.look(); s.floor.compare("again") },
		tree:   func(int) { s.floor.compare("again") },
		whole:  func(int) { s.floor.look(); s.floor.whole.compare("again-whole") },
	}
}

// cleanup takes away a session that was prepared before the round.
func (s *site) cleanup() operation {
	return operation{
		before: func(i int) {
			s.prepare(s.session(i + 1))
			s.floor.make(fmt.Sprint(i))
			s.floor.whole.make(fmt.Sprint("whole-", i))
		},
		ours:  func(i int) { s.stage.cleanup(s.session(i + 1)) },
		floor: func(i int) { s.floor.remove(fmt.Sprint(i)) },
		whole: func(i int) { s.floor.whole.remove(fmt.Sprint("whole-", i)) },
	}
}

// width is how many sessions are prepared at once.
const width = 8

// parallel prepares several new sessions at once.
func (s *site) parallel() operation {
	at := func(f func(n int)) func(i int) {
		return func(i int) {
			var all sync.WaitGroup
			for k := range width {
				all.Go(func() { f(i*width + k) })
			}
			all.Wait()
		}
	}
	return operation{
		before: nothing,
		ours: at(func(n int) {
			if _, err := s.host.Prepare(s.t.Context(), s.session(n+1)); err != nil {
				s.t.Errorf("prepare: %v", err)
			}
		}),
		floor: at(func(n int) { s.floor.look(); s.floor.make(fmt.Sprint(n)) }),
		tree:  at(func(n int) { s.floor.make(fmt.Sprint("tree-", n)) }),
		whole: at(func(n int) { s.floor.look(); s.floor.whole.make(fmt.Sprint("whole-", n)) }),
	}
}
