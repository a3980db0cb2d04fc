package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

const in = "/v1/workspaces/w"

func TestPlansOverTheInterface(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if a := s.do("GET", in+"/model-plans", nil, ""); len(a.body["plans"].([]any)) != 0 {
		t.Errorf("%+v", a)
	}
	id, etag := s.plan("P")
	if a := s.do("GET", in+"/model-plans/"+id, nil, ""); a.etag != etag || a.body["hasApiKey"] != true || a.body["status"] != "undetected" {
		t.Errorf("%+v", a)
	}
	put := map[string]any{"name": "renamed", "protocol": "openai", "baseUrl": "http://127.0.0.1:1/v1", "models": []any{map[string]any{"id": "m-a"}}, "apiKey": nil, "enabled": true}
	a := s.do("PUT", in+"/model-plans/"+id, put, etag)
	if a.status != 200 || a.body["hasApiKey"] != true || a.etag != `"2"` {
		t.Errorf("P03: %+v", a)
	}
	if a := s.do("PUT", in+"/model-plans/"+id, put, etag); a.status != 412 || a.code() != "model_plan_conflict" {
		t.Errorf("P05: %+v", a)
	}
	if a := s.do("PUT", in+"/model-plans/"+id, put, ""); a.status != 428 {
		t.Errorf("without If-Match: %+v", a)
	}
	put["apiKey"] = ""
	if a := s.do("PUT", in+"/model-plans/"+id, put, "*"); a.status != 200 || a.body["hasApiKey"] != false {
		t.Errorf("P03, taken away: %+v", a)
	}
	delete(put, "enabled")
	if a := s.do("PUT", in+"/model-plans/"+id, put, "*"); a.body["status"] != "disabled" {
		t.Errorf("P01: %+v", a)
	}
	put["defaultModel"] = "m-z"
	if a := s.do("PUT", in+"/model-plans/"+id, put, "*"); a.status != 400 || a.code() != "invalid_model_plan" || a.body["field"] != "defaultModel" {
		t.Errorf("P02: %+v", a)
	}
	if a := s.do("PATCH", in+"/model-plans/"+id+"/enabled", map[string]any{}, "*"); a.status != 400 || a.code() != "invalid_model_plan_enabled_update" {
		t.Errorf("%+v", a)
	}
	if a := s.do("PATCH", in+"/model-plans/"+id+"/enabled", map[string]any{"enabled": true}, "*"); a.status != 200 || a.body["enabled"] != true {
		t.Errorf("%+v", a)
	}
	if a := s.do("POST", in+"/model-plans/"+id+"/duplicate", nil, ""); a.status != 200 || a.body["name"] != "renamed copy" || a.body["enabled"] != false {
		t.Errorf("P11: %+v", a)
	}
	if a := s.do("DELETE", in+"/model-plans/"+id, nil, "*"); a.status != 200 || a.body["modelPlanId"] != id {
		t.Errorf("%+v", a)
	}
	if a := s.do("GET", in+"/model-plans/"+id, nil, ""); a.status != 404 || a.code() != "model_plan_not_found" {
		t.Errorf("%+v", a)
	}
	for _, body := range []string{"", "[]", "null", "{", `{"name":"x"} {}`, `{"name":"x","surprise":1}`, `{"name":7}`} {
		if a := s.do("POST", in+"/model-plans", body, ""); a.status != 400 || a.code() != "invalid_model_plan" {
			t.Errorf("%q: %+v", body, a)
		}
	}
	if a := s.do("POST", in+"/model-plans", `{"name":"`+strings.Repeat("x", 5<<20)+`"}`, ""); a.status != 413 {
		t.Errorf("%+v", a)
	}
	if strings.Contains(s.said.String(), canary) {
		t.Error("P17: the key is in an answer")
	}
}

// Whoever has the token can use a key by checks, and cannot have it sent to them.
func TestAKeyStaysWithTheAddressThatItWasEnteredFor(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id, etag := s.plan("P")
	put := func(base any, key any, protocol string) map[string]any {
		return map[string]any{"name": "P", "protocol": protocol, "models": []any{map[string]any{"id": "m-a"}}, "baseUrl": base, "apiKey": key, "enabled": true}
	}
	for name, moved := range map[string]map[string]any{
		"another host": put("http://evil.example", nil, "openai"), "another port": put("http://127.0.0.1:2", nil, "openai"),
		"another scheme": put("https://127.0.0.1:1", nil, "openai"), "the vendor's": put(nil, nil, "openai"),
	} {
		a := s.do("PUT", in+"/model-plans/"+id, moved, etag)
		if a.status != 400 || a.code() != "invalid_model_plan" || a.body["field"] != "apiKey" || a.body["hint"] == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := s.do("PUT", in+"/model-plans/"+id, put("ftp://x", nil, "openai"), etag); a.status != 400 || a.body["field"] != "baseUrl" {
		t.Errorf("no URL: %+v", a)
	}
	for _, fine := range []map[string]any{
		put("http://127.0.0.1:1/other/v1", nil, "openai"), put(nil, canary, "openai"), put("http://127.0.0.1:1", "", "openai"), put("http://127.0.0.1:2", nil, "openai"),
	} {
		if a := s.do("PUT", in+"/model-plans/"+id, fine, "*"); a.status != 200 {
			t.Errorf("%v: %+v", fine["baseUrl"], a)
		}
	}
	// Of a plan without a URL the protocol says which vendor it is.
	if a := s.do("PUT", in+"/model-plans/"+id, put(nil, canary, "openai"), "*"); a.status != 200 {
		t.Fatalf("%+v", a)
	}
	if a := s.do("PUT", in+"/model-plans/"+id, put(nil, nil, "anthropic"), "*"); a.status != 400 || a.body["field"] != "apiKey" {
		t.Errorf("another vendor: %+v", a)
	}
	if a := s.do("POST", in+"/model-plans/detect", map[string]any{"planId": id, "protocol": "anthropic"}, ""); a.status != 400 || a.body["field"] != "apiKey" {
		t.Errorf("another vendor, checked: %+v", a)
	}
}

func TestP08_ADraftIsCheckedAndNothingIsStored(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		switch {
		case r.Header.Get("Authorization") != "" && r.Header.Get("Authorization") != "Bearer "+canary:
			return gatewaytest.Status(401, `{"error":{"message":"not `+r.Header.Get("Authorization")+`"}}`)
		case r.Method == http.MethodGet:
			return gatewaytest.JSON(`{"data":[{"id":"m-z"},{"id":"m-y"}]}`)
		}
		return gatewaytest.JSON(gatewaytest.Completion("ok"))
	})
	t.Cleanup(up.Close)
	a := s.do("POST", in+"/model-plans/detect", map[string]any{"protocol": "openai", "baseUrl": up.URL(), "apiKey": canary}, "")
	if a.status != 200 || a.body["kept"] != false || a.body["detection"].(map[string]any)["model"] != "m-z" || len(a.body["discoveredModels"].([]any)) != 2 {
		t.Errorf("%+v", a)
	}
	if a := s.do("GET", in+"/model-plans", nil, ""); len(a.body["plans"].([]any)) != 0 {
		t.Errorf("%+v", a)
	}
	if a := s.do("POST", in+"/model-plans/detect", map[string]any{"protocol": "smtp"}, ""); a.status != 400 || a.code() != "invalid_model_plan_detection" {
		t.Errorf("%+v", a)
	}
	// What is stored of a plan is used where nothing else is typed, but its key goes to its own endpoint only.
	id, _ := s.plan("P")
	if a := s.do("POST", in+"/model-plans/detect", map[string]any{"planId": id, "baseUrl": up.URL()}, ""); a.status != 400 || a.body["field"] != "apiKey" {
		t.Errorf("%+v", a)
	}
	if a := s.do("POST", in+"/model-plans/detect", map[string]any{"planId": id}, ""); a.status != 200 || a.body["kept"] != true {
		t.Errorf("%+v", a)
	}
	if a := s.do("GET", in+"/model-plans/"+id, nil, ""); a.body["status"] != "detection_failed" || a.body["revision"] != 1.0 || a.body["defaultModel"] != nil {
		t.Errorf("%+v", a)
	}
	if a := s.do("POST", in+"/model-plans/detect", map[string]any{"planId": "mp-none"}, ""); a.status != 404 {
		t.Errorf("%+v", a)
	}
	if strings.Contains(s.said.String(), canary) {
		t.Error("P17: the key is in an answer")
	}
}

func TestAgentsOverTheInterface(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p, _ := s.plan("P")
	q, _ := s.plan("Q")
	spec := map[string]any{"name": "A", "harnessAgentTargetId": "one", "modelPlanId": p, "modelFallbacks": []any{map[string]any{"modelPlanId": q}}}
	a := s.do("POST", in+"/agents", spec, "")
	if a.status != 201 {
		t.Fatalf("%+v", a)
	}
	id := url.PathEscape(a.body["id"].(string))
	if a := s.do("GET", in+"/agents/"+id+"/composer-options", nil, ""); a.status != 200 || a.body["current"] != "tutti-model-plan/m-a" ||
		len(a.body["options"].([]any)) != 4 || a.body["options"].([]any)[3].(map[string]any)["appliesTo"] != "new_session" || a.body["options"].([]any)[0].(map[string]any)["description"] != "P" {
		t.Errorf("%+v", a)
	}
	if a := s.do("GET", in+"/model-plans/"+q+"/references", nil, ""); a.body["references"].([]any)[0].(map[string]any)["role"] != "fallback" {
		t.Errorf("%+v", a)
	}
	if a := s.do("DELETE", in+"/model-plans/"+q, nil, "*"); a.status != 409 || a.code() != "model_plan_referenced" || len(a.body["references"].([]any)) != 1 {
		t.Errorf("P10: %+v", a)
	}
	spec["modelFallbacks"] = nil
	if a := s.do("PUT", in+"/agents/"+id, spec, `"1"`); a.status != 200 || a.body["revision"] != 2.0 {
		t.Errorf("%+v", a)
	}
	if a := s.do("PUT", in+"/agents/"+id, spec, `"1"`); a.status != 412 || a.code() != "workspace_agent_conflict" {
		t.Errorf("%+v", a)
	}
	for name, c := range map[string]struct {
		change func(map[string]any)
		status int
		code   string
	}{
		"no such client": {func(m map[string]any) { m["harnessAgentTargetId"] = "gone" }, 404, "workspace_agent_dependency_not_found"},
		"no such plan":   {func(m map[string]any) { m["modelPlanId"] = "mp-none" }, 404, "workspace_agent_dependency_not_found"},
		"takes no plan":  {func(m map[string]any) { m["harnessAgentTargetId"] = "none" }, 409, "workspace_agent_plan_unusable"},
		"no name":        {func(m map[string]any) { m["name"] = "" }, 400, "invalid_workspace_agent"},
	} {
		wrong := map[string]any{"name": "B", "harnessAgentTargetId": "one", "modelPlanId": p}
		c.change(wrong)
		if a := s.do("POST", in+"/agents", wrong, ""); a.status != c.status || a.code() != c.code {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := s.do("GET", in+"/agents", nil, ""); len(a.body["agents"].([]any)) != 1 {
		t.Errorf("%+v", a)
	}
	if a := s.do("DELETE", in+"/agents/"+id, nil, "*"); a.status != 200 {
		t.Errorf("%+v", a)
	}
	if a := s.do("GET", "/v1/providers", nil, ""); len(a.body["providers"].([]any)) != 4 {
		t.Errorf("%+v", a)
	}
}

func TestOnlyAPersonAcceptsAndItNamesTheTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "w", Session: "dir/s1", Harness: "one"}); err != nil {
		t.Fatal(err)
	}
	at := in + "/agent-sessions/dir%2Fs1/acceptance"
	if a := s.do("GET", at, nil, ""); a.status != 200 || a.body["acceptance"] != nil {
		t.Errorf("%+v", a)
	}
	if a := s.do("POST", at, map[string]any{"turnId": ""}, ""); a.status != 400 || a.code() != "invalid_acceptance_request" {
		t.Errorf("%+v", a)
	}
	if a := s.do("POST", at, map[string]any{"turnId": "t1", "state": "auto_checked"}, ""); a.status != 400 {
		t.Errorf("%+v", a)
	}
	if a := s.do("POST", at, map[string]any{"turnId": "t1"}, ""); a.status != 200 || a.body["acceptance"].(map[string]any)["state"] != "user_accepted" {
		t.Errorf("%+v", a)
	}
	if a := s.do("GET", in+"/agent-sessions", nil, ""); len(a.body["sessions"].([]any)) != 1 {
		t.Errorf("%+v", a)
	}
	if a := s.do("GET", in+"/agent-sessions/none/acceptance", nil, ""); a.status != 404 {
		t.Errorf("%+v", a)
	}
}

func TestWhoMayComeIn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"no token":      {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"another token": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, 401},
		"two tokens":    {func(r *http.Request) { r.Header.Add("Authorization", "Bearer "+token) }, 401},
		"a page":        {func(r *http.Request) { r.Header.Set("Origin", "https://a.example") }, 403},
		"another host":  {func(r *http.Request) { r.Host = "rebound.example" }, 403},
		"localhost":     {func(r *http.Request) { r.Host = "localhost:80" }, 200},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.server.URL+in+"/model-plans", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		c.change(r)
		if a := s.send(r); a.status != c.status {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := s.do("GET", "/v1/nothing", nil, ""); a.status != 404 || a.code() != "not_found" {
		t.Errorf("%+v", a)
	}
	// The writers of earlier installations are none of this one's, as the decision on plans says.
	for _, gone := range [][2]string{
		{"PUT", "/agent-model-bindings/one"}, {"GET", "/model-policies"}, {"POST", "/model-policies"}, {"DELETE", "/model-policies/pol-1"},
		{"GET", "/agent-sessions/s/model-policy-override"}, {"PUT", "/agent-sessions/s/model-policy-override"},
	} {
		if a := s.do(gone[0], in+gone[1], map[string]any{}, "*"); a.status != 404 {
			t.Errorf("%s: %+v", gone, a)
		}
	}
	if a := s.do("DELETE", in+"/model-plans", nil, ""); a.status != 405 || a.code() != "method_not_allowed" {
		t.Errorf("%+v", a)
	}
}

func TestChangesAreStreamed(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.server.URL+in+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := s.server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if line := lines.Text(); strings.HasPrefix(line, "event: ") || strings.HasPrefix(line, ": listening") {
				return line
			}
		}
		return "the end"
	}
	if got := next(); got != ": listening" {
		t.Fatal(got)
	}
	id, _ := s.plan("P")
	s.do("POST", "/v1/workspaces/other/model-plans", map[string]any{"name": "x", "protocol": "openai"}, "")
	s.do("POST", in+"/model-plans/detect", map[string]any{"planId": id}, "")
	s.do("DELETE", in+"/model-plans/"+id, nil, "*")
	want := []string{"model_plan_changed", "model_plan_detection_began"} // nobody answers, so that one stage begins and all are told
	for range 4 {
		want = append(want, "model_plan_detection_stage")
	}
	for _, w := range append(want, "model_plan_detection_changed", "model_plan_changed") {
		if got := next(); got != "event: "+w {
			t.Errorf("%s, want %s", got, w)
		}
	}
}

// Ids that no database may be asked for are ids of nothing, wherever they stand.
func TestIdsOfNothingAreNotFound(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, odd := range []string{"%00", "a%00b", "%ff", "%0a", "%7f", "%c2%85"} {
		for path := range s.doc.at("paths") {
			for name := range strings.SplitSeq(path, "/") {
				if !strings.HasPrefix(name, "{") {
					continue
				}
				to := strings.NewReplacer(name, odd, "{workspaceID}", "w", "{planID}", "mp-none", "{agentID}", "none", "{sessionID}", "none").Replace(path)
				for method, op := range s.doc.at("paths", path) {
					if _, ok := op.(map[string]any); !ok {
						continue
					}
					if a := s.do(strings.ToUpper(method), to, map[string]any{}, "*"); a.status != 404 || a.code() != "not_found" {
						t.Errorf("%s %s: %+v", method, to, a)
					}
				}
			}
		}
	}
	if a := s.do("POST", in+"/model-plans/detect", map[string]any{"planId": "a\x00"}, ""); a.status != 404 || a.code() != "model_plan_not_found" {
		t.Errorf("%+v", a)
	}
	if _, err := s.access.BindSession(t.Context(), 0, store.Snapshot{Workspace: "w", Session: "s1", Harness: "one"}); err != nil {
		t.Fatal(err)
	}
	if a := s.do("POST", in+"/agent-sessions/s1/acceptance", map[string]any{"turnId": "a\x00"}, ""); a.status != 400 || a.code() != "invalid_acceptance_request" {
		t.Errorf("%+v", a)
	}
}

// Requests made of the document itself, right ones and wrong ones: nothing fails on our side, and no answer is one that the
// document does not have.
func TestRequestsOfTheDocumentAreAnsweredAsItSays(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	plans, agents := []string{"mp-none"}, []string{"none"}
	for range 6 {
		id, _ := s.plan("P")
		plans = append(plans, id)
	}
	seen := map[string]int{}
	for i := range 1500 {
		for path := range s.doc.at("paths") {
			if strings.HasSuffix(path, "/events") || strings.HasSuffix(path, "/detect") && i%20 > 0 || r.IntN(8) > 0 {
				continue
			}
			for method, op := range s.doc.at("paths", path) {
				operation, ok := op.(map[string]any)
				if !ok || method == "delete" && r.IntN(4) > 0 {
					continue
				}
				id := func(of ...string) string {
					if r.IntN(20) == 0 {
						of = []string{"\x00", "\xff", "a\nb", "\u202e", strings.Repeat("n", 500)}
					}
					return url.PathEscape(of[r.IntN(len(of))])
				}
				to := strings.NewReplacer("{workspaceID}", id("w"), "{planID}", id(plans...), "{agentID}", id(agents...), "{sessionID}", id("none")).Replace(path)
				var body any
				if operation["requestBody"] != nil {
					schema := operation["requestBody"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
					body = s.doc.make(r, schema, r.IntN(2) == 0)
				}
				a := s.do(strings.ToUpper(method), to, body, []string{"", "*", `"1"`, "nonsense"}[r.IntN(4)])
				if a.status >= 500 {
					t.Errorf("%s %s: %+v for %v", method, to, a, body)
				}
				seen[fmt.Sprint(operation["operationId"], " ", a.status)]++
				if id, ok := a.body["id"].(string); ok && strings.HasPrefix(id, "workspace-agent:") {
					agents = append(agents, id)
				}
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d kinds of answers were seen: %v", len(seen), seen)
	}
	if strings.Contains(s.said.String(), canary) {
		t.Error("P17: the key is in an answer")
	}
}

func TestNegative_TheDocumentHasNothingGlobalAndNoReview(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	for path, at := range d.at("paths") {
		// Bindings of an earlier installation are shown, and there is no way to write one.
		if methods, ok := at.(map[string]any); strings.HasSuffix(path, "/agent-model-bindings") && ok && len(methods) == 2 && methods["get"] != nil && methods["parameters"] != nil {
			continue
		}
		for _, never := range []string{"binding", "polic", "consult", "review", "current", "select"} {
			if strings.Contains(path, never) {
				t.Errorf("there is %s", path)
			}
		}
	}
	s := newStage(t)
	s.plan("P")
	if a := s.do("GET", in+"/agents", nil, ""); len(a.body["agents"].([]any)) != 0 {
		t.Error("saving a plan made an agent")
	}
}

// What an extension says of its agent is offered with the models. Those of a plan stand in the place of the agent's own, and
// what is said of these is left out.
func TestComposerValuesOfAnExtension(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	plan, _ := s.plan("P")
	options := func(harness, plan string) map[string]any {
		spec := map[string]any{"name": harness, "harnessAgentTargetId": harness}
		if plan != "" {
			spec["modelPlanId"] = plan
		}
		a := s.do("POST", in+"/agents", spec, "")
		if a.status != 201 {
			t.Fatalf("%+v", a)
		}
		a = s.do("GET", in+"/agents/"+url.PathEscape(a.body["id"].(string))+"/composer-options", nil, "")
		if a.status != 200 {
			t.Fatalf("%+v", a)
		}
		return a.body
	}
	want := func(bound bool) map[string]any {
		data, err := os.ReadFile("testdata/composer-options.json")
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		if bound {
			delete(all["options"].(map[string]any), "modelMetadata")
		}
		return all
	}
	native := options("acp:acme", "")
	if diff := cmp.Diff(want(false), native["composer"]); diff != "" || len(native["options"].([]any)) != 0 || native["modelSwitch"] != false || native["runtimeContext"].(map[string]any)["source"] != "provider-native" {
		t.Errorf("%+v\n%s", native, diff)
	}
	bound := options("acp:bound", plan)
	if diff := cmp.Diff(want(true), bound["composer"]); diff != "" || len(bound["options"].([]any)) != 2 || bound["current"] != "m-a" || bound["runtimeContext"].(map[string]any)["source"] != "model-plan" {
		t.Errorf("%+v\n%s", bound, diff)
	}
	if _, said := options("one", plan)["composer"]; said {
		t.Error("an adapter's client has a profile of an extension")
	}
}
