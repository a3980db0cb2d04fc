package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/agent"
)

func TestAnAgentFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	up := modelEndpoint(t)
	w.client(`env | grep FAKE_KEY; cat "$FAKE_HOME/RULES.md"`)
	if out := w.must("agents"); !strings.HasPrefix(out, "No agents.") {
		t.Errorf("%q", out)
	}
	w.addPlan("P", "--base-url", up.URL(), "--model", "m-a", "--model", "m-b")
	w.addPlan("Q", "--base-url", up.URL(), "--model", "m-c")
	w.write(filepath.Join(w.project, "told.md"), "Be kind to everybody.\n", 0o600)
	g := decode[agent.Agent](t, w.must("agents", "add", "Helper", "--client", fakeProvider, "--plan", "p", "--model", "m-b", "--fallback", "Q=m-c",
		"--instructions-file", "told.md", "--json"))
	if g.Revision != 1 || g.Model != "m-b" || len(g.Fallbacks) != 1 || g.OnPlanUnavailable != agent.Native {
		t.Errorf("%+v", g)
	}
	if out := w.must("agents"); !strings.Contains(out, "Helper  fake    P=m-b, then Q=m-c") {
		t.Errorf("%s", out)
	}
	if out := w.must("agents", "show", "helper"); !strings.Contains(out, "Be kind to everybody.") || !strings.Contains(out, "own login") {
		t.Errorf("%s", out)
	}
	if out := w.must("plans", "references", "Q"); !strings.Contains(out, "agent  Helper  fallback") {
		t.Errorf("%s", out)
	}
	// P10: what an agent uses stays.
	if got := w.run("plans", "remove", "Q"); got.status != 3 || !strings.Contains(got.errors, "[model_plan_referenced]") {
		t.Errorf("%+v", got)
	}
	if out := w.must("run", fakeProvider, "--agent", "Helper"); !strings.Contains(out, "Be kind to everybody.") || !strings.Contains(out, "FAKE_KEY=") || strings.Contains(out, planKey) {
		t.Errorf("%s", out)
	}
	w.must("plans", "edit", "P", "--disable")
	if got := w.run("run", fakeProvider, "--agent", "Helper"); got.status != 0 || !strings.Contains(got.errors, "the plan Q is used instead") || !strings.Contains(got.out, "FAKE_KEY=") {
		t.Errorf("%+v", got)
	}
	w.must("plans", "edit", "Q", "--disable")
	if got := w.run("run", fakeProvider, "--agent", "Helper"); got.status != 0 || !strings.Contains(got.errors, "your own login is used instead") || strings.Contains(got.out, "FAKE_KEY=") {
		t.Errorf("%+v", got)
	}
	w.must("plans", "edit", "P", "--enable")
	w.must("plans", "edit", "Q", "--enable")
	w.must("agents", "edit", "Helper", "--on-plan-unavailable", "fail", "--fallback=")
	w.must("plans", "edit", "P", "--disable")
	if got := w.run("run", fakeProvider, "--agent", "Helper"); got.status != 3 || !strings.Contains(got.errors, "[model_plan_unusable]") {
		t.Errorf("%+v", got)
	}
	w.must("agents", "remove", "Helper")
	w.must("plans", "remove", "Q")
}

func TestAgentsSayWhatIsWrongWithThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addPlan("P", "--base-url", "http://127.0.0.1:1", "--model", "m")
	w.addPlan("A", "--base-url", "http://127.0.0.1:1", "--model", "m", "--protocol", "anthropic")
	w.must("agents", "add", "Here", "--client", fakeProvider)
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"no client":      {[]string{"agents", "add", "x"}, 2, "--client is missing"},
		"no such client": {[]string{"agents", "add", "x", "--client", "none"}, 3, "[adapter_not_found]"},
		"no such plan":   {[]string{"agents", "add", "x", "--client", fakeProvider, "--plan", "none"}, 3, "[model_plan_not_found]"},
		"protocol":       {[]string{"agents", "add", "x", "--client", fakeProvider, "--plan", "A"}, 3, "[workspace_agent_plan_unusable]"},
		"model":          {[]string{"agents", "add", "x", "--client", fakeProvider, "--plan", "P", "--model", "z"}, 3, "it has m"},
		"model alone":    {[]string{"agents", "add", "x", "--client", fakeProvider, "--model", "z"}, 2, "defaultModel needs a plan"},
		"otherwise":      {[]string{"agents", "edit", "Here", "--on-plan-unavailable", "maybe"}, 2, "neither native nor fail"},
		"no such agent":  {[]string{"agents", "show", "none"}, 3, "[workspace_agent_not_found]"},
		"both":           {[]string{"run", fakeProvider, "--agent", "Here", "--plan", "P"}, 2, "both given"},
	} {
		if got := w.run(c.args...); got.status != c.status || !strings.Contains(got.errors, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
