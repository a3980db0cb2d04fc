package connector

import (
	"cmp"
	"slices"
	"strings"
)

// Announced is what an agent was last told. A host stores it with the session, so that a restart announces nothing
// twice. The zero value is that of an agent that was told nothing.
type Announced struct {
	Enabled []string `json:"enabled,omitempty"`
	// Index is the routing index that the agent knows, from its instructions or from a later notice.
	Index string `json:"index,omitempty"`
}

// Told is what the instructions of a prepared session tell.
func Told(c Context) Announced { return Announced{Enabled: c.Enabled(), Index: Index(c.Hints)} }

// Turn is what holds for one turn.
type Turn struct {
	Enabled []string // the full set
	Hints   []Hint   // all that there are, for the routing index
	// Guidance marks a turn that steers one which runs: it announces nothing.
	Guidance bool
}

// Delta is what has to be said at the beginning of a turn, or "", and what was said then. The host stores next when the
// turn was admitted, and not before. What did not change is not said.
func (a Announced) Delta(t Turn) (text string, next Announced) {
	if t.Guidance {
		return "", a
	}
	now := keys(t.Enabled)
	var lines []string
	say := func(what string, list []string) {
		if len(list) > 0 {
			lines = append(lines, "Connector(s) "+what+": "+strings.Join(list, ", ")+".")
		}
	}
	index := Index(t.Hints)
	if index != a.Index {
		lines = append(lines, "The connector routing index is now: "+cmp.Or(index, None))
	}
	say("enabled", without(now, a.Enabled))
	say("disabled", without(keys(a.Enabled), now))
	return strings.Join(lines, "\n"), Announced{Enabled: now, Index: index}
}

// without are the keys of one list that are not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(key string) bool { return slices.Contains(other, key) })
}
