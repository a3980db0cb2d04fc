package agent

import (
	"encoding/hex"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// Source is where an agent comes from.
type Source string

// The sources.
const (
	User          Source = "user"
	LegacyBinding Source = "legacy_binding" // made of a binding of an earlier installation
)

// Otherwise says what becomes of a session whose plans cannot be used.
type Otherwise string

// The ways.
const (
	// Native: it runs on the client's own login, which is said in the log, in a diagnostic and in the prepared session. It
	// is what an agent that did not choose does, so that switching a plan off breaks no agent.
	Native Otherwise = "native"
	// Fail: it is refused.
	Fail Otherwise = "fail"
)

// Route is a plan and a model of it, "" for the plan's own default.
type Route struct {
	Plan  string `json:"modelPlanId"`
	Model string `json:"model,omitempty"`
}

// Spec is what a person decides of an agent.
type Spec struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Harness is the id of the adapter whose client the agent is.
	Harness string `json:"harnessAgentTargetId"`
	// Plan is the id of the plan that its sessions are bound to. "": the client's own login.
	Plan      string  `json:"modelPlanId,omitempty"`
	Model     string  `json:"defaultModel,omitempty"` // of the plan
	Fallbacks []Route `json:"modelFallbacks,omitempty"`
	// OnPlanUnavailable is what happens when none of the plans can be used. Default: native.
	OnPlanUnavailable Otherwise `json:"onPlanUnavailable,omitempty"`
	Instructions      string    `json:"instructions,omitempty"`
	CallConditions    []string  `json:"callConditions,omitempty"`
	// CapabilitiesExplicit says that skills and tools are all that the agent has. Default: whether any are listed.
	CapabilitiesExplicit *bool    `json:"capabilitiesExplicit,omitempty"`
	Skills               []string `json:"skills,omitempty"`
	Tools                []string `json:"tools,omitempty"`
}

// Agent is an agent in a store.
type Agent struct {
	Workspace string `json:"workspaceId"`
	ID        string `json:"id"`
	Revision  int64  `json:"revision"` // from 1
	Spec
	Source  Source    `json:"source"`
	Created time.Time `json:"createdAt"`
	Updated time.Time `json:"updatedAt"`
}

// The limits of an agent, in characters; instructions in bytes, as the sessions that get them count.
const (
	MaxName         = 120
	MaxDescription  = 1000
	MaxInstructions = 32 << 10
	maxList         = 64
	maxWord         = 256
	maxFallbacks    = 16
)

func invalid(field, detail string) *problem.Error {
	return problem.New(problem.InvalidAgent, field, detail)
}

// Clean gives the spec in the form that is stored. Whether its plans and its harness exist is asked elsewhere. Errors are
// [problem.InvalidAgent].
func (s Spec) Clean() (Spec, error) {
	for _, f := range []*string{&s.Name, &s.Description, &s.Harness, &s.Plan, &s.Model} {
		*f = strings.TrimSpace(*f)
	}
	s.Model = modelendpoint.Plain(s.Model)
	switch {
	case s.Name == "" || !text(s.Name, MaxName, false):
		return Spec{}, invalid("name", "is blank, longer than "+strconv.Itoa(MaxName)+" characters or no single line")
	case !text(s.Description, MaxDescription, true):
		return Spec{}, invalid("description", "is longer than "+strconv.Itoa(MaxDescription)+" characters or holds control characters")
	case s.Harness == "" || !text(s.Harness, maxWord, false):
		return Spec{}, invalid("harnessAgentTargetId", "is blank or too long")
	case s.Model != "" && s.Plan == "":
		return Spec{}, invalid("defaultModel", "needs a plan")
	case !text(s.Plan, maxWord, false) || !text(s.Model, plan.MaxText, false):
		return Spec{}, invalid("modelPlanId", "or its model is too long or holds control characters")
	case len(s.Instructions) > MaxInstructions || !utf8.ValidString(s.Instructions) || strings.ContainsRune(s.Instructions, 0):
		return Spec{}, invalid("instructions", "are longer than 32 KiB or no text")
	}
	switch s.OnPlanUnavailable {
	case "":
		s.OnPlanUnavailable = Native
	case Native, Fail:
	default:
		return Spec{}, invalid("onPlanUnavailable", "is neither native nor fail")
	}
	var err error
	if s.Fallbacks, err = s.fallbacks(); err != nil {
		return Spec{}, err
	}
	for _, l := range []struct {
		field string
		list  *[]string
	}{{"callConditions", &s.CallConditions}, {"skills", &s.Skills}, {"tools", &s.Tools}} {
		*l.list = plan.Words(*l.list)
		if len(*l.list) > maxList || slices.ContainsFunc(*l.list, func(w string) bool { return !text(w, maxWord, false) }) {
			return Spec{}, invalid(l.field, "are more than "+strconv.Itoa(maxList)+" or have an entry that is too long or no single line")
		}
	}
	explicit := len(s.Skills)+len(s.Tools) > 0
	if s.CapabilitiesExplicit != nil {
		explicit = *s.CapabilitiesExplicit
	}
	if s.CapabilitiesExplicit = &explicit; !explicit {
		s.Skills, s.Tools = nil, nil
	}
	return s, nil
}

// fallbacks are the fallbacks without blank ones and second ones.
func (s Spec) fallbacks() ([]Route, error) {
	var clean []Route
	for _, f := range s.Fallbacks {
		f.Plan, f.Model = strings.TrimSpace(f.Plan), modelendpoint.Plain(strings.TrimSpace(f.Model))
		switch {
		case s.Plan == "":
			return nil, invalid("modelFallbacks", "need a plan that they stand in for")
		case f.Plan == "" || !text(f.Plan, maxWord, false) || !text(f.Model, plan.MaxText, false):
			return nil, invalid("modelFallbacks", "have an entry without a plan, too long or with control characters")
		case f == Route{s.Plan, s.Model}:
			return nil, invalid("modelFallbacks", "have the plan and model that they stand in for")
		}
		if !slices.Contains(clean, f) {
			clean = append(clean, f)
		}
	}
	if len(clean) > maxFallbacks {
		return nil, invalid("modelFallbacks", "are more than "+strconv.Itoa(maxFallbacks))
	}
	return clean, nil
}

// Routes are the plan and the fallbacks, in their order.
func (s Spec) Routes() []Route {
	if s.Plan == "" {
		return nil
	}
	return append([]Route{{s.Plan, s.Model}}, s.Fallbacks...)
}

// text says whether s has at most most characters and no control characters, but line ends where they may be.
func text(s string, most int, lines bool) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && (!lines || r != '\n' && r != '\t')
	})
}

// NewID is the id of a new agent: a random UUID (RFC 9562) behind what tells it from the id of a harness.
func NewID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", problem.Wrap(err, problem.Storage, "there is no randomness for an id")
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	x := hex.EncodeToString(b[:])
	return "workspace-agent:" + x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:], nil
}
