package acceptance

import (
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// Step is how far the work of a session has come.
type Step string

// The steps, from the bottom.
const (
	AgentClaimed Step = "agent_claimed"
	AutoChecked  Step = "auto_checked"
	UserAccepted Step = "user_accepted"
)

// Acceptance is the step that a turn of a session stands on.
type Acceptance struct {
	Step    Step      `json:"state"`
	Turn    string    `json:"turnId"`
	Updated time.Time `json:"updatedAt"`
}

// By is who moves an acceptance. The zero value is a program.
type By bool

// Who can move one.
const (
	Program By = false
	Person  By = true
)

// Move is the acceptance after a step for a turn was asked for. Before the first one old is nil. A turn other than the one
// that old covers begins anew, with a claim or with a person's word. Within a turn nothing goes down, and what a person
// accepted stays so. Errors are [problem.InvalidAcceptance].
func Move(old *Acceptance, step Step, turn string, by By, now time.Time) (Acceptance, error) {
	turn = strings.TrimSpace(turn)
	refuse := func(field, detail string) (Acceptance, error) {
		return Acceptance{}, problem.New(problem.InvalidAcceptance, field, detail)
	}
	switch {
	case turn == "" || len(turn) > 256:
		return refuse("turnId", "is blank or too long")
	case !plan.IsID(turn):
		return refuse("turnId", "holds control characters, or is no UTF-8")
	case rank(step) == 0:
		return refuse("state", "is no step that there is")
	case step == UserAccepted && by != Person:
		return refuse("state", "is for a person alone to reach")
	}
	same := old != nil && old.Turn == turn
	switch {
	case !same && step == AutoChecked:
		return refuse("state", "needs the claim of that turn before it")
	case same && rank(old.Step) >= rank(step):
		return *old, nil
	}
	return Acceptance{Step: step, Turn: turn, Updated: now.UTC()}, nil
}

func rank(s Step) int {
	switch s {
	case AgentClaimed:
		return 1
	case AutoChecked:
		return 2
	case UserAccepted:
		return 3
	}
	return 0
}
