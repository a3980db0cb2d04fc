package agent_test

import (
	"crypto/rand"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestAgentsAreBroughtIntoOneForm(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, c := range map[string]struct{ in, want agent.Spec }{
		"plain": {
			agent.Spec{Name: " A ", Harness: " h "},
			agent.Spec{Name: "A", Harness: "h", OnPlanUnavailable: agent.Native, CapabilitiesExplicit: &no},
		},
		"lists": {
			agent.Spec{Name: "A", Harness: "h", Skills: []string{" s ", "", "s"}, CallConditions: []string{"x", "x"}},
			agent.Spec{Name: "A", Harness: "h", Skills: []string{"s"}, CallConditions: []string{"x"}, OnPlanUnavailable: agent.Native, CapabilitiesExplicit: &yes},
		},
		"not explicit": {
			agent.Spec{Name: "A", Harness: "h", Skills: []string{"s"}, CapabilitiesExplicit: &no},
			agent.Spec{Name: "A", Harness: "h", OnPlanUnavailable: agent.Native, CapabilitiesExplicit: &no},
		},
		"explicitly none": {
			agent.Spec{Name: "A", Harness: "h", CapabilitiesExplicit: &yes},
			agent.Spec{Name: "A", Harness: "h", OnPlanUnavailable: agent.Native, CapabilitiesExplicit: &yes},
		},
		"P14 prefixes": {
			agent.Spec{Name: "A", Harness: "h", Plan: "p", Model: "tutti-model-plan/m", Fallbacks: []agent.Route{{"q", "tutti-model-plan/n"}, {" q ", "n"}, {"p", ""}}},
			agent.Spec{Name: "A", Harness: "h", Plan: "p", Model: "m", Fallbacks: []agent.Route{{"q", "n"}, {"p", ""}}, OnPlanUnavailable: agent.Native, CapabilitiesExplicit: &no},
		},
	} {
		got, err := c.in.Clean()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if again, err := got.Clean(); err != nil || !cmp.Equal(again, got) {
			t.Errorf("%s, a second time: %v %s", name, err, cmp.Diff(got, again))
		}
	}
	id, err := agent.NewID(rand.Reader)
	if err != nil || !regexp.MustCompile(`^workspace-agent:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("%q, %v", id, err)
	}
}

func TestAgentsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	for field, specs := range map[string][]agent.Spec{
		"name":                 {{Harness: "h"}, {Name: strings.Repeat("x", 121), Harness: "h"}},
		"description":          {{Name: "A", Harness: "h", Description: strings.Repeat("x", 1001)}},
		"harnessAgentTargetId": {{Name: "A"}},
		"defaultModel":         {{Name: "A", Harness: "h", Model: "m"}},
		"instructions":         {{Name: "A", Harness: "h", Instructions: strings.Repeat("x", agent.MaxInstructions+1)}},
		"onPlanUnavailable":    {{Name: "A", Harness: "h", OnPlanUnavailable: "maybe"}},
		"modelFallbacks": {
			{Name: "A", Harness: "h", Fallbacks: []agent.Route{{"p", ""}}}, {Name: "A", Harness: "h", Plan: "p", Fallbacks: []agent.Route{{"", "m"}}},
			{Name: "A", Harness: "h", Plan: "p", Model: "m", Fallbacks: []agent.Route{{"p", "m"}}},
		},
		"skills": {{Name: "A", Harness: "h", Skills: []string{"a\nb"}}},
	} {
		for i, s := range specs {
			_, err := s.Clean()
			if e, ok := errors.AsType[*problem.Error](err); !ok || e.Code != problem.InvalidAgent || e.Field != field {
				t.Errorf("%s %d: %v", field, i, err)
			}
		}
	}
}

var harness = agent.Harness{ID: "h", Enabled: true, Available: true, Model: preparer.Model{Protocol: preparer.OpenAI}}

func lookup(plans ...plan.Plan) agent.Lookup {
	return func(id string) (plan.Plan, error) {
		for _, p := range plans {
			if p.ID == id {
				return p, nil
			}
		}
		return plan.Plan{}, problem.New(problem.PlanNotFound, "", "none")
	}
}

func aPlan(id string, change func(*plan.Plan)) plan.Plan {
	p := plan.Plan{ID: id, Spec: plan.Spec{Protocol: preparer.OpenAI, Enabled: true, Models: []plan.Model{{ID: "m"}, {ID: "n"}}, Default: "n"}}
	if change != nil {
		change(&p)
	}
	return p
}

func TestTheFirstUsablePlanIsTaken(t *testing.T) {
	t.Parallel()
	off := func(p *plan.Plan) { p.Enabled = false }
	other := func(p *plan.Plan) { p.Protocol = preparer.Anthropic }
	two := agent.Agent{Spec: agent.Spec{Plan: "p", Model: "m", Fallbacks: []agent.Route{{"q", ""}}}}
	failing := two
	failing.OnPlanUnavailable = agent.Fail
	for name, c := range map[string]struct {
		agent       agent.Agent
		plans       []plan.Plan
		plan, model string
		primary     bool
		notUsed     problem.Code
		err         problem.Code
	}{
		"none asked":      {agent.Agent{}, nil, "", "", true, "", ""},
		"first":           {two, []plan.Plan{aPlan("p", nil), aPlan("q", nil)}, "p", "m", true, "", ""},
		"first is off":    {two, []plan.Plan{aPlan("p", off), aPlan("q", nil)}, "q", "n", false, problem.PlanUnusable, ""},
		"first is gone":   {two, []plan.Plan{aPlan("q", nil)}, "q", "n", false, problem.PlanNotFound, ""},
		"first speaks":    {two, []plan.Plan{aPlan("p", other), aPlan("q", nil)}, "q", "n", false, problem.PlanUnusable, ""},
		"no such model":   {two, []plan.Plan{aPlan("p", func(p *plan.Plan) { p.Models = p.Models[1:] }), aPlan("q", nil)}, "q", "n", false, problem.PlanUnusable, ""},
		"none, native":    {two, []plan.Plan{aPlan("p", off)}, "", "", false, problem.PlanUnusable, ""},
		"none, fail":      {failing, []plan.Plan{aPlan("p", off)}, "", "", false, "", problem.PlanUnusable},
		"none, fail gone": {failing, nil, "", "", false, "", problem.PlanNotFound},
	} {
		got, err := c.agent.Resolve(harness, lookup(c.plans...))
		if problem.CodeOf(err) != c.err {
			t.Errorf("%s: %v", name, err)
		}
		if c.err != "" {
			continue
		}
		id := ""
		if got.Plan != nil {
			id = got.Plan.ID
		}
		if id != c.plan || got.Model != c.model || got.Primary != c.primary || problem.CodeOf(got.NotUsed) != c.notUsed {
			t.Errorf("%s: %q %+v", name, id, got)
		}
	}
	gone, off2 := harness, harness
	gone.Available, off2.Enabled = false, false
	if _, err := two.Resolve(gone, lookup()); !errors.Is(err, problem.NoDependency) {
		t.Error(err)
	}
	if _, err := two.Resolve(off2, lookup()); !errors.Is(err, problem.HarnessOff) {
		t.Error(err)
	}
}

func TestAnAgentIsStoredOnlyWithPlansThatItCanUse(t *testing.T) {
	t.Parallel()
	s := agent.Spec{Plan: "p", Fallbacks: []agent.Route{{"q", "x"}}}
	for name, c := range map[string]struct {
		plans []plan.Plan
		want  problem.Code
		field string
	}{
		"gone":     {nil, problem.NoDependency, "modelPlanId"},
		"off":      {[]plan.Plan{aPlan("p", func(p *plan.Plan) { p.Enabled = false })}, problem.AgentPlanWrong, "modelPlanId"},
		"fallback": {[]plan.Plan{aPlan("p", nil), aPlan("q", nil)}, problem.AgentPlanWrong, "modelFallbacks"},
	} {
		e, ok := errors.AsType[*problem.Error](s.Check(harness, lookup(c.plans...)))
		if !ok || e.Code != c.want || e.Field != c.field {
			t.Errorf("%s: %+v", name, e)
		}
	}
	s.Fallbacks[0].Model = "m"
	if err := s.Check(harness, lookup(aPlan("p", nil), aPlan("q", nil))); err != nil {
		t.Error(err)
	}
	// A client that takes no endpoint can have agents, without plans.
	none := harness
	none.Model = preparer.Model{}
	if err := (agent.Spec{}).Check(none, lookup()); err != nil {
		t.Error(err)
	}
	if err := s.Check(none, lookup(aPlan("p", nil))); !errors.Is(err, problem.AgentPlanWrong) {
		t.Error(err)
	}
}
