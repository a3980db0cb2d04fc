package codex_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/providers/codex"
	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

func onPlan(in p.Inherit, name string) p.Request {
	r := request(in)
	r.Endpoint = &p.Endpoint{
		Name: name, Protocol: p.Responses, BaseURL: "http://127.0.0.1:1/v1", Default: "plan-large", Key: p.Secret{Name: "key"}, Base: p.Document{Name: "base"},
		Models: []p.EndpointModel{{ID: "plan-large", Name: "Large"}, {ID: "gpt-5.6-sol"}},
	}
	return r
}

func TestC263_AnEndpointThatCannotBeServedIsRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*p.Endpoint){
		"codex.endpoint-protocol":          func(e *p.Endpoint) { e.Protocol = p.Anthropic },
		"codex.endpoint-incomplete url":    func(e *p.Endpoint) { e.BaseURL = "" },
		"codex.endpoint-incomplete key":    func(e *p.Endpoint) { e.Key = p.Secret{} },
		"codex.endpoint-incomplete models": func(e *p.Endpoint) { e.Models = nil },
		"codex.endpoint-incomplete model":  func(e *p.Endpoint) { e.Default = "" },
	} {
		r := onPlan(all(), "Plan")
		spoil(r.Endpoint)
		_, err := codex.Adapter{}.Prepare(context.Background(), r)
		var refusal *p.Refusal
		var code string
		if _, scanErr := fmt.Sscan(name, &code); scanErr != nil || !errors.As(err, &refusal) || refusal.Code != code {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// One id of the provider for every plan: the client files threads by it. And never the display name of the vendor.
func TestC260_TheProviderIsPinned(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]p.Value{"Plan": p.S("Plan"), "OpenAI": p.S("Model plan"), " openai ": p.S("Model plan"), "": p.S("Model plan")} {
		l := prepare(t, onPlan(all(), given))
		if diff := cmp.Diff([]p.Edit{p.Set(p.Key("model_provider"), p.S("tutti-model-plan"))}, editsAt(t, l, "model_provider")); diff != "" {
			t.Error(diff)
		}
		tables := editsAt(t, l, "model_providers")
		if len(tables) != 1 || tables[0].Op != p.OpReplace {
			t.Fatalf("%v", tables)
		}
		table, ok := tables[0].Value.(p.Object)["tutti-model-plan"].(p.Object)
		if !ok || table["name"] != want {
			t.Errorf("%q: got %v", given, tables[0].Value)
		}
	}
}

func TestC260_NothingLeadsToAnotherModel(t *testing.T) {
	t.Parallel()
	for _, in := range []p.Inherit{all(), none()} {
		l := prepare(t, onPlan(in, "Plan"))
		if _, ok := entry[p.Login](l, "codex/auth.json"); ok {
			t.Error("the user's login is in a session that does not need it")
		}
		for _, e := range l.Entries {
			if x, ok := e.(p.Expose); ok && x.Input == "profiles" {
				t.Error("profiles come along, and are laid over the endpoint")
			}
		}
		for _, key := range []string{"profile", "profiles", "projects", "openai_base_url", "review_model", "service_tier"} {
			if !slices.ContainsFunc(editsAt(t, l, key), func(e p.Edit) bool { return e.Op == p.OpDelete }) {
				t.Errorf("%s stays", key)
			}
		}
	}
}

// The search of the web is the vendor's: on a plan there is none, and the report says so. Else it is as the user has it.
func TestC261_WebSearchIsTheUsersOffAPlan(t *testing.T) {
	t.Parallel()
	key := p.Key("web_search")
	if got := editsAt(t, prepare(t, request(all())), key...); got != nil {
		t.Errorf("off a plan: %v", got)
	}
	if diff := cmp.Diff([]p.Edit{p.Set(key, p.S("disabled"))}, editsAt(t, prepare(t, onPlan(all(), "Plan")), key...)); diff != "" {
		t.Error(diff)
	}
	for _, in := range (codex.Adapter{}).Describe().Inputs {
		said := slices.ContainsFunc(in.Displaced, func(d p.KeyPath) bool { return slices.Equal(d, key) })
		if said != (in.Name == "config") {
			t.Errorf("%s says that a plan displaces it: %v", in.Name, said)
		}
	}
}

func TestTheKeyStandsInItsVariableOnly(t *testing.T) {
	t.Parallel()
	const name = "TUTTI_MODEL_PLAN_API_KEY"
	l := prepare(t, onPlan(all(), "Plan"))
	if !slices.ContainsFunc(l.Env, func(op p.EnvOp) bool { return op.Name == name && op.Value == p.Secret{Name: "key"} }) {
		t.Errorf("%v", l.Env)
	}
	if slices.Contains(l.Launch.Strip, name) {
		t.Error("it is stripped where it is needed")
	}
	if !slices.Contains(prepare(t, request(all())).Launch.Strip, name) {
		t.Error("it is not stripped where there is no plan")
	}
	want := []p.Edit{p.Append(p.Key("shell_environment_policy", "exclude"), p.ListIDs, p.S(name), p.S("TUTTI_MCP_HEADER_*"))}
	if diff := cmp.Diff(want, editsAt(t, l, "shell_environment_policy", "exclude")); diff != "" {
		t.Error(diff)
	}
}

// Switched on, plugins have the client ask its vendor; a user who has some keeps them, and this with them.
func TestC260_PluginsStayOnForWhoHasSome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values map[string]p.Value
		off    bool
	}{
		"none":       {nil, true},
		"one":        {map[string]p.Value{"plugins/x@y/enabled": p.Bool(true)}, false},
		"one of":     {map[string]p.Value{"plugins/a@y/enabled": p.Bool(false), "plugins/x@y/enabled": p.Bool(true)}, false},
		"one, off":   {map[string]p.Value{"plugins/x@y/enabled": p.Bool(false)}, true},
		"one's tier": {map[string]p.Value{"service_tier": p.S("fast")}, true},
	} {
		r := onPlan(all(), "Plan")
		r.Inputs["config"] = p.Found{Exists: true, Values: c.values}
		if off := len(editsAt(t, prepare(t, r), "features", "plugins")) > 0; off != c.off {
			t.Errorf("%s: switched off %v", name, off)
		}
	}
}
