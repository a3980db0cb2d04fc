package detect_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const canary = "sk-canary-5c2e8d7f1a"

func detector(t *testing.T) *detect.Detector {
	t.Helper()
	d := detect.New(detect.Config{Now: time.Now, Random: rand.Reader})
	t.Cleanup(d.Close)
	return d
}

func target(url string, models ...string) detect.Target {
	t := detect.Target{Spec: plan.Spec{Name: "p", Protocol: preparer.OpenAI, BaseURL: url}, Key: modelendpoint.NewKey(canary)}
	for _, m := range models {
		t.Models = append(t.Models, plan.Model{ID: m})
	}
	return t
}

// short is how the stages went, in words.
func short(f detect.Found) (all []string) {
	for _, r := range f.Stages {
		text := string(r.Status)
		if r.Reason != "" {
			text += " " + string(r.Reason)
		}
		if r.Remedy != "" {
			text += " " + string(r.Remedy)
		}
		all = append(all, text)
	}
	return all
}

func check(t *testing.T, to detect.Target) detect.Found {
	t.Helper()
	f, err := detector(t).Check(t.Context(), to, detect.Progress{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// endpoint answers by path: GET with the list, POST with the answer.
func endpoint(t *testing.T, list, answer gatewaytest.Answer) *gatewaytest.Upstream {
	t.Helper()
	up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		if r.Method == http.MethodGet {
			return list
		}
		return answer
	})
	t.Cleanup(up.Close)
	return up
}

var (
	fine   = gatewaytest.JSON(gatewaytest.Completion("ok"))
	listed = gatewaytest.JSON(`{"data":[{"id":"m-a"},{"id":"m-b"}]}`)
	none   = gatewaytest.Status(404, `{"error":"nope"}`)
)

func TestP06_TheMatrixOfChecks(t *testing.T) {
	t.Parallel()
	const passed, skipped = "passed", "skipped"
	status := func(code int, text string) gatewaytest.Answer {
		return gatewaytest.Status(code, `{"error":{"message":"`+text+`"}}`)
	}
	redirect := gatewaytest.Status(307, "").With("Location", "http://127.0.0.1:1/")
	for name, c := range map[string]struct {
		list, answer gatewaytest.Answer
		models       []string
		want         []string
		model        string
	}{
		"all is well":               {listed, fine, []string{"m-x"}, []string{passed, passed, passed, passed}, "m-x"},
		"discovered":                {listed, fine, nil, []string{passed, passed, passed, passed}, "m-a"},
		"bad key":                   {status(401, "bad"), fine, nil, []string{passed, "failed unauthorized check_api_key", skipped, skipped}, ""},
		"forbidden":                 {status(403, "bad"), fine, nil, []string{passed, "failed unauthorized check_api_key", skipped, skipped}, ""},
		"no list, own models":       {none, fine, []string{"m-x"}, []string{passed, passed, skipped, passed}, "m-x"},
		"no list, no models":        {none, fine, nil, []string{passed, skipped, "failed model_catalog_unavailable add_models_manually", "failed no_model_selected select_model"}, ""},
		"list is a page":            {gatewaytest.Raw("text/html", "<!doctype html>"), fine, []string{"m-x"}, []string{passed, passed, "failed model_catalog_decode_failed add_models_manually", passed}, "m-x"},
		"list breaks":               {status(500, "oops"), fine, []string{"m-x"}, []string{passed, passed, "failed provider_error add_models_manually", passed}, "m-x"},
		"list redirects":            {redirect, fine, []string{"m-x"}, []string{passed, passed, "failed model_catalog_unavailable add_models_manually", passed}, "m-x"},
		"unknown model":             {listed, status(404, "no such model"), []string{"m-x"}, []string{passed, passed, passed, "failed model_rejected check_model_id"}, "m-x"},
		"bad request":               {listed, status(400, "bad model"), []string{"m-x"}, []string{passed, passed, passed, "failed model_rejected check_model_id"}, "m-x"},
		"P07 inference says 401":    {listed, status(401, "no"), []string{"m-x"}, []string{passed, "failed unauthorized check_api_key", passed, "failed unauthorized check_api_key"}, "m-x"},
		"P07 no list, 403":          {none, status(403, "no"), []string{"m-x"}, []string{passed, "failed unauthorized check_api_key", skipped, "failed unauthorized check_api_key"}, "m-x"},
		"too fast":                  {listed, status(429, "slow down"), []string{"m-x"}, []string{passed, passed, passed, "failed rate_limited retry_inference"}, "m-x"},
		"used up":                   {listed, status(429, "You exceeded your current quota"), []string{"m-x"}, []string{passed, passed, passed, "failed quota_exceeded check_api_key"}, "m-x"},
		"to be paid":                {listed, status(402, "pay"), []string{"m-x"}, []string{passed, passed, passed, "failed quota_exceeded check_api_key"}, "m-x"},
		"overloaded":                {listed, status(503, "later"), []string{"m-x"}, []string{passed, passed, passed, "failed provider_error retry_inference"}, "m-x"},
		"H36 answers with a page":   {listed, gatewaytest.Raw("text/html", "<html>hello</html>"), []string{"m-x"}, []string{passed, passed, passed, "failed inference_failed check_network_or_base_url"}, "m-x"},
		"answers something else":    {listed, gatewaytest.JSON(`{"hello":1}`), []string{"m-x"}, []string{passed, passed, passed, "failed inference_failed check_network_or_base_url"}, "m-x"},
		"answer redirects":          {listed, redirect, []string{"m-x"}, []string{passed, passed, passed, "failed inference_failed check_network_or_base_url"}, "m-x"},
		"an empty answer is one":    {listed, gatewaytest.JSON(gatewaytest.Completion("")), []string{"m-x"}, []string{passed, passed, passed, passed}, "m-x"},
		"list is cut in the middle": {gatewaytest.JSON(`{"data":[{"id":"m-a"}`), fine, []string{"m-x"}, []string{passed, passed, "failed model_catalog_decode_failed add_models_manually", passed}, "m-x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := check(t, target(endpoint(t, c.list, c.answer).URL(), c.models...))
			if diff := cmp.Diff(c.want, short(f)); diff != "" {
				t.Errorf("%s\n%+v", diff, f.Stages)
			}
			if f.Model != c.model {
				t.Errorf("asked %q", f.Model)
			}
		})
	}
}

func TestH36_AClosedPortIsNoGreenLight(t *testing.T) {
	t.Parallel()
	up := gatewaytest.Start(fine)
	url := up.URL()
	up.Close()
	f := check(t, target(url, "m-x"))
	if diff := cmp.Diff([]string{"failed connection_failed check_network_or_base_url", "skipped", "skipped", "skipped"}, short(f)); diff != "" {
		t.Error(diff)
	}
	if f.OK() {
		t.Error("it is ready")
	}
}

func TestAnEndpointOfThisMachineMayWantNoKey(t *testing.T) {
	t.Parallel()
	up := endpoint(t, listed, fine)
	to := target(up.URL(), "m-x")
	to.Key = plan.Key{}
	// An endpoint on this machine may want none, and gets what a session would send.
	if f := check(t, to); !f.OK() {
		t.Errorf("%+v", f.Stages)
	}
	if got := up.Last().Header.Get("Authorization"); got != "Bearer none" {
		t.Errorf("%q", got)
	}
}

// The rows of the table of lists of models.
func TestH35_ListsOfModels(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/models-endpoint-responses.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID       string
		Status   int
		CType    string
		Body     json.RawMessage
		BodyText string   `json:"body_text"`
		Manual   []string `json:"manual_models"`
		Expect   struct {
			Stage    plan.Outcome
			Reason   plan.Reason
			Models   []string
			Redacted bool
		}
	}
	if err := json.Unmarshal(data, &rows); err != nil || len(rows) < 8 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			body := r.BodyText
			if body == "" {
				body = string(r.Body)
			}
			list := gatewaytest.Raw(r.CType, body)
			list.Status = r.Status
			to := target(endpoint(t, list, fine).URL(), r.Manual...)
			if r.Expect.Redacted {
				to.Key = modelendpoint.NewKey("sk-test-row-m6-key")
				list.Steps[0].Send = []byte(strings.ReplaceAll(body, "sk-test", "sk-test-row-m6-key"))
			}
			f := check(t, to)
			at := 2
			if r.Expect.Reason == plan.Unauthorized {
				at = 1
			}
			if got := f.Stages[at]; got.Status != r.Expect.Stage || got.Reason != r.Expect.Reason {
				t.Errorf("%+v", got)
			}
			var ids []string
			for _, m := range f.Discovered {
				ids = append(ids, m.ID)
			}
			if diff := cmp.Diff(r.Expect.Models, ids); diff != "" {
				t.Error(diff)
			}
			if text := fmt.Sprintf("%+v", f); r.Expect.Redacted && (strings.Contains(text, "sk-test-row") || !strings.Contains(text, "bad key")) {
				t.Errorf("%s", text)
			}
		})
	}
}

func TestP17_WhatAnEndpointEchoesIsCleared(t *testing.T) {
	t.Parallel()
	for _, code := range []int{200, 400, 401, 404, 429, 500} {
		echo := gatewaytest.Status(code, `{"error":{"message":"you sent `+canary+` and c2stY2FuYXJ5LTVjMmU4ZDdmMWE= `+strings.Repeat("x", 2000)+`"}}`).With("X-Echo", canary)
		for _, list := range []gatewaytest.Answer{echo, none} {
			f := check(t, target(endpoint(t, list, echo).URL(), "m-x"))
			data, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range []string{canary, "c2stY2FuYXJ5LTVjMmU4ZDdmMWE", "canary-5c2e8d"} {
				if strings.Contains(string(data), form) {
					t.Errorf("status %d: %s", code, data)
				}
			}
			for _, r := range f.Stages {
				if len(r.Detail) > 500 {
					t.Errorf("status %d: %d bytes of detail", code, len(r.Detail))
				}
			}
		}
	}
}

func TestRedirectsCarryNoKeyAway(t *testing.T) {
	t.Parallel()
	elsewhere := gatewaytest.Start(fine)
	t.Cleanup(elsewhere.Close)
	for _, protocol := range []preparer.Protocol{preparer.OpenAI, preparer.Anthropic} {
		away := gatewaytest.Status(308, "").With("Location", elsewhere.URL()+"/v1/models")
		to := target(endpoint(t, away, away).URL(), "m-x")
		to.Protocol = protocol
		check(t, to)
	}
	if elsewhere.Hits() != 0 {
		t.Errorf("%d requests went elsewhere", elsewhere.Hits())
	}
}

func TestModelsThatReasonTakeTheLimitByAnotherName(t *testing.T) {
	t.Parallel()
	up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		switch {
		case r.Method == http.MethodGet:
			return listed
		case strings.Contains(string(r.Body), `"max_tokens"`):
			return gatewaytest.Status(400, `{"error":{"message":"Unsupported parameter: use max_completion_tokens"}}`)
		}
		return fine
	})
	t.Cleanup(up.Close)
	if f := check(t, target(up.URL())); !f.OK() {
		t.Errorf("%+v", f.Stages)
	}
}

func TestEachStageHasADeadline(t *testing.T) {
	t.Parallel()
	stall := gatewaytest.Answer{}.Then(gatewaytest.Step{Stall: true})
	slow := gatewaytest.Answer{Delay: time.Hour}
	d := detect.New(detect.Config{Now: time.Now, Random: rand.Reader, Network: 50 * time.Millisecond, Catalog: 50 * time.Millisecond, Inference: 50 * time.Millisecond})
	t.Cleanup(d.Close)
	for name, c := range map[string]struct {
		list, answer gatewaytest.Answer
		stage        int
		remedy       plan.Remedy
	}{
		"network":   {slow, fine, 0, plan.CheckAddress},
		"discovery": {stall, fine, 2, plan.CheckAddress},
		"inference": {listed, slow, 3, plan.RetryInference},
	} {
		f, err := d.Check(t.Context(), target(endpoint(t, c.list, c.answer).URL(), "m-x"), detect.Progress{})
		if err != nil || len(f.Stages) != 4 || f.Stages[c.stage].Reason != plan.Timeout || f.Stages[c.stage].Remedy != c.remedy {
			t.Errorf("%s: %v %+v", name, err, f.Stages)
		}
	}
}

func TestACheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	up := endpoint(t, listed, gatewaytest.Answer{Delay: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	var began atomic.Bool
	_, err := detector(t).Check(ctx, target(up.URL(), "m-x"), detect.Progress{Began: func(s plan.Stage) {
		if s == plan.Inference {
			began.Store(true)
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || !began.Load() {
		t.Error(err)
	}
}

func TestChecksAreBounded(t *testing.T) {
	t.Parallel()
	var running, most atomic.Int64
	gate := make(chan struct{})
	up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		if r.Method == http.MethodGet {
			return listed
		}
		n := running.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		defer running.Add(-1)
		<-gate
		return fine
	})
	t.Cleanup(up.Close)
	d := detect.New(detect.Config{Now: time.Now, Random: rand.Reader, Parallel: 3})
	t.Cleanup(d.Close)
	done := make(chan bool, 20)
	for range cap(done) {
		go func() {
			f, err := d.Check(t.Context(), target(up.URL(), "m-x"), detect.Progress{})
			done <- err == nil && f.OK()
		}()
	}
	for running.Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	close(gate)
	for range cap(done) {
		if !<-done {
			t.Error("a check failed")
		}
	}
	if most.Load() > 3 {
		t.Errorf("%d ran at a time", most.Load())
	}
}

func TestExtrasSayWhatAgentsNeed(t *testing.T) {
	t.Parallel()
	answer := func(streams, calls gatewaytest.Answer) func(gatewaytest.Request) gatewaytest.Answer {
		return func(r gatewaytest.Request) gatewaytest.Answer {
			switch {
			case r.Method == http.MethodGet:
				return listed
			case strings.Contains(string(r.Body), `"tool_choice"`):
				return calls
			case strings.Contains(string(r.Body), `"stream":true`):
				return streams
			}
			return fine
		}
	}
	for name, c := range map[string]struct {
		streams, calls gatewaytest.Answer
		want           []string
	}{
		"both":    {gatewaytest.Text("ok"), gatewaytest.Calls(gatewaytest.Call{ID: "c", Name: "report_status", Arguments: `{"status":"ok"}`}), []string{"streaming passed ", "tool_call passed "}},
		"no tool": {gatewaytest.Text("ok"), gatewaytest.Text("I would rather talk"), []string{"streaming passed ", "tool_call failed tool_call_unsupported"}},
		"refused": {gatewaytest.Text("ok"), gatewaytest.Status(400, `{"error":{"message":"no tools"}}`), []string{"streaming passed ", "tool_call failed tool_call_unsupported"}},
	} {
		up := gatewaytest.StartFunc(answer(c.streams, c.calls))
		t.Cleanup(up.Close)
		f := check(t, target(up.URL(), "m-x"))
		var got []string
		for _, x := range f.Extras {
			got = append(got, fmt.Sprintf("%s %s %s", x.Name, x.Status, x.Reason))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s\n%+v", name, diff, f.Extras)
		}
		if !f.OK() {
			t.Errorf("%s: an extra failed the check", name)
		}
	}
}

func TestExtrasOfTheMessagesProtocol(t *testing.T) {
	t.Parallel()
	up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		switch {
		case r.Method == http.MethodGet:
			return none
		case strings.Contains(string(r.Body), `"tool_choice"`):
			return gatewaytest.Events(`{"type":"content_block_start","content_block":{"type":"tool_use","name":"report_status"}}`, `{"type":"message_stop"}`)
		case strings.Contains(string(r.Body), `"stream":true`):
			return gatewaytest.Events(`{"type":"content_block_start","content_block":{"type":"text"}}`) // and no end
		}
		return gatewaytest.JSON(`{"type":"message","content":[{"type":"text","text":"ok"}]}`)
	})
	t.Cleanup(up.Close)
	to := target(up.URL(), "m-x")
	to.Protocol = preparer.Anthropic
	f := check(t, to)
	if !f.OK() || len(f.Extras) != 2 || f.Extras[0].Reason != plan.NoStreaming || f.Extras[1].Status != plan.Passed {
		t.Errorf("%+v %+v", f.Stages, f.Extras)
	}
}

func TestProgressIsToldInOrder(t *testing.T) {
	t.Parallel()
	var told []string
	up := endpoint(t, none, gatewaytest.Status(401, "{}"))
	_, err := detector(t).Check(t.Context(), target(up.URL(), "m-x"), detect.Progress{
		Began: func(s plan.Stage) { told = append(told, string(s)) },
		Done:  func(r plan.Result) { told = append(told, string(r.Stage)+" "+string(r.Status)) },
	})
	want := []string{
		"network", "network passed", "auth", "auth skipped", "model_discovery", "model_discovery skipped", "inference", "inference failed", "auth failed",
	}
	if diff := cmp.Diff(want, told); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
