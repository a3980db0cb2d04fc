package skill

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// The suffixes of a name that is taken: -tutti, then -tutti-2 and so on.
const (
	suffix    = "-tutti"
	maxSuffix = 99
)

// Resolve gives each skill a name, by id. The user wins: a name in reserved is never given, and neither is one that
// differs from it only in case. A skill keeps the name that it has in prior, which holds what was given before, as long
// as that is free and one of its own candidates. Else it gets the name it would like, or that name with the suffix
// -tutti, -tutti-2, ... -tutti-99. Names are given in the order of the ids, so the order of skills does not matter.
//
// maxLen is the longest name in bytes, 0 for [DefaultMaxName]. A name is cut so that a suffix fits; one that is too long
// without a suffix is an error, as are two skills of one id and names that some system does not take.
func Resolve(skills []Skill, reserved []string, maxLen int, prior map[string]string) (map[string]string, error) {
	if maxLen <= 0 {
		maxLen = DefaultMaxName
	}
	order := slices.Clone(skills)
	slices.SortStableFunc(order, func(a, b Skill) int { return strings.Compare(a.ID, b.ID) })
	for i, s := range order {
		if !plainID(s.ID) {
			return nil, nameFault(s, "it has no usable id")
		}
		if i > 0 && order[i-1].ID == s.ID {
			return nil, nameFault(s, "two skills have this id")
		}
		if why := badName(s.Name); why != "" {
			return nil, nameFault(s, "its name "+why)
		}
		if len(s.Name) > maxLen {
			return nil, nameFault(s, fmt.Sprintf("its name is longer than %d bytes", maxLen))
		}
	}

	r := resolver{taken: make(map[string]bool, len(reserved)+len(skills)), given: make(map[string]string, len(skills))}
	for _, name := range reserved {
		r.taken[fold(name)] = true
	}
	for _, s := range order {
		if name := prior[s.ID]; name != "" && isCandidate(s.Name, maxLen, name) {
			r.give(s, name)
		}
	}
	for _, s := range order {
		r.give(s, s.Name)
	}
	for _, s := range order {
		for name := range candidates(s.Name, maxLen) {
			if r.given[s.ID] != "" {
				break
			}
			r.give(s, name)
		}
		if r.given[s.ID] == "" {
			return nil, nameFault(s, "every name that it could have is taken").
				WithHint("rename one of your own skills whose name begins with " + s.Name + suffix)
		}
	}
	return r.given, nil
}

func nameFault(s Skill, detail string) *fault.Error {
	return fault.New(fault.Invalid, "name skill", "skill:"+s.ID, detail)
}

type resolver struct {
	taken map[string]bool // folded
	given map[string]string
}

// give gives the name to the skill when it has none and the name is free.
func (r resolver) give(s Skill, name string) {
	if _, has := r.given[s.ID]; has || r.taken[fold(name)] {
		return
	}
	r.taken[fold(name)] = true
	r.given[s.ID] = name
}

// candidates gives the names that a skill may get, best first, without two that are equal.
func candidates(name string, maxLen int) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(name) {
			return
		}
		for n := 1; n <= maxSuffix; n++ {
			end := suffix
			if n > 1 {
				end = fmt.Sprintf("%s-%d", suffix, n)
			}
			if len(end) >= maxLen {
				return
			}
			stem := name[:min(len(name), maxLen-len(end))]
			if !yield(strings.TrimRight(stem, "-._") + end) {
				return
			}
		}
	}
}

func isCandidate(name string, maxLen int, given string) bool {
	for candidate := range candidates(name, maxLen) {
		if candidate == given {
			return true
		}
	}
	return false
}
