package conformance_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
)

// source is one place in which a client looks for settings, with all in it that leads away from an endpoint.
type source struct {
	name string
	lay  func(s *stage)
}

// Sources stand around a session in every combination of a few, and it stays on its endpoint.
//
// A client lays its sources over each other. So what decides whether one of them leads it away is whether that one stands
// above ours, and whether another one is there that hides it or that makes the client look at it at all: a matter of two
// sources, seldom of three, and not of how all of them stand. A covering array therefore shows what all the combinations
// would, 2048 of them for OpenCode. That a source leads away where our measures are off is shown for each alone, by the test
// that stands with the list of the client's sources.
func combined(t *testing.T, c client, array []string, strength int, sources []source) {
	t.Helper()
	if missing := uncovered(array, strength, len(sources)); missing != "" {
		t.Fatalf("the array does not hold every combination of %d of %d sources: %s", strength, len(sources), missing)
	}
	for i, row := range array {
		t.Run(fmt.Sprintf("%02d", i+1), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c, upstream.Say("done"))
			var names []string
			for j, source := range sources {
				if row[j] == '+' {
					names = append(names, source.name)
					source.lay(s)
				}
			}
			t.Logf("with %s", strings.Join(names, "; "))
			g := s.open(func(config *core.Config) { // the other adapters stay unstarted, since these cases are many
				config.Adapters = slices.DeleteFunc(slices.Clone(config.Adapters), func(a adapter.Source) bool {
					return filepath.Base(a.Path) != "greenroom-"+c.name
				})
			})
			p := g.prepare(g.onPlan("combined"))
			g.run(p, c.turn("hello")...)
			g.oursOnce(p, s.turns(1)[0])
			if led := s.led(); len(led) > 0 {
				t.Error(strings.Join(led, "; "))
			}
		})
	}
}

// pairs holds every combination of two of up to ten sources, there or not, and first all of them together: the columns
// below the first row are the ten choices of two of five.
var pairs = []string{
	"++++++++++",
	"++++------",
	"+---+++---",
	"-+--+--++-",
	"--+--+-+-+",
	"---+--+-++",
}

// triples holds every combination of three of up to eleven, and first all of them together: a design of Plackett and Burman,
// whose rows but the first are one row turned round.
var triples = func() []string {
	const row = "--+---+++-+"
	rows := []string{strings.Repeat("+", len(row))}
	for i := range row {
		rows = append(rows, row[i:]+row[:i])
	}
	return rows
}()

// uncovered is a combination of sources that no row of an array holds; "" when there is none.
func uncovered(array []string, strength, sources int) string {
	var choose func(columns []int) string
	choose = func(columns []int) string {
		if len(columns) < strength {
			next := 0
			if len(columns) > 0 {
				next = columns[len(columns)-1] + 1
			}
			for ; next < sources; next++ {
				if missing := choose(append(slices.Clone(columns), next)); missing != "" {
					return missing
				}
			}
			return ""
		}
		seen := map[string]bool{}
		for _, row := range array {
			var b strings.Builder
			for _, column := range columns {
				b.WriteByte(row[column])
			}
			seen[b.String()] = true
		}
		if len(seen) < 1<<strength {
			return fmt.Sprintf("columns %v hold %d of %d", columns, len(seen), 1<<strength)
		}
		return ""
	}
	return choose(nil)
}

// An array that lacks a combination is told from one that lacks none.
func TestCoveringArrays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		array             []string
		strength, sources int
		covers            bool
	}{
		"pairs of ten":          {pairs, 2, 10, true},
		"pairs in one row less": {pairs[:5], 2, 10, false},
		"triples of pairs":      {pairs, 3, 10, false},
		"triples of eleven":     {triples, 3, 11, true},
		"triples without all":   {triples[1:], 3, 11, false},
		"fours of eleven":       {triples, 4, 11, false},
	} {
		if missing := uncovered(c.array, c.strength, c.sources); (missing == "") != c.covers {
			t.Errorf("%s: %q", name, missing)
		}
	}
}
