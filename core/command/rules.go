package command

import (
	"slices"
	"strings"
)

// Approval is which commands a client may run without asking a person. A client that takes prefixes approves whatever
// follows one, so a prefix must not be that of a command which the session does not have.
type Approval struct {
	// Prefixes are the beginnings of command lines, the tool's name first, sorted.
	Prefixes [][]string
	// Refused are the ids of commands that the session has and that no prefix stands for, since it would approve others
	// too, sorted.
	Refused []string
}

// Approval gives the rules of the session: the whole tool for a general one, each single command for a dedicated one,
// nothing where there are no commands.
func (s *Snapshot) Approval() Approval {
	if len(s.list) == 0 {
		return Approval{}
	}
	if !s.projection.Dedicated {
		return Approval{Prefixes: [][]string{{s.cli}}}
	}
	var a Approval
	for _, e := range s.list {
		if s.opens(e) {
			a.Refused = append(a.Refused, e.id)
			continue
		}
		a.Prefixes = append(a.Prefixes, append([]string{s.cli}, e.path...))
	}
	slices.SortFunc(a.Prefixes, slices.Compare[[]string])
	slices.Sort(a.Refused)
	return a
}

// opens says whether the path of a command is the beginning of one that the session does not have. Letter case does not
// count, since a tool may not look at it.
func (s *Snapshot) opens(e *entry) bool {
	for _, other := range s.all {
		if !other.has && len(other.path) >= len(e.path) && slices.EqualFunc(e.path, other.path[:len(e.path)], strings.EqualFold) {
			return true
		}
	}
	return false
}
