package demo

import (
	"fmt"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
)

// Check is one thing that the demo promises, and whether it holds.
type Check struct {
	Text string `json:"text"`
	OK   bool   `json:"ok"`
}

// checksOfTurn judges what a real client sent to the model and said.
func checksOfTurn(p *core.Prepared, product string, perf *performance) []Check {
	all := []Check{
		{"it ended well", perf.status == nil},
		{"it answered what the endpoint said", strings.Contains(perf.said, reply)},
		{"our instructions reached the model once", strings.Count(perf.turn, heading(product)) == 1},
		{"the person's own instructions reached it once", strings.Count(perf.turn, houseRule) == 1},
		{"the person's own skill is listed", strings.Contains(perf.turn, ownSkill)},
	}
	return append(all, skillChecks(p, perf.turn)...)
}

// checksOfReading judges what the plain program found.
func checksOfReading(p *core.Prepared, product, found string) []Check {
	return append([]Check{{"our instructions are there", strings.Contains(found, heading(product))}}, skillChecks(p, found)...)
}

func skillChecks(p *core.Prepared, text string) []Check {
	var all []Check
	for _, s := range p.Skills {
		// The reader of a tree sees the name without what a client puts in front of it.
		name := s.Name[strings.LastIndexByte(s.Name, ':')+1:]
		all = append(all, Check{fmt.Sprintf("our skill %s is there", name), strings.Contains(text, name)})
	}
	return all
}

// heading is the first line of our instructions.
func heading(product string) string { return "# " + product + " session" }

func failed(checks []Check) bool {
	for _, c := range checks {
		if !c.OK {
			return true
		}
	}
	return false
}
