package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func TestEventsTellCountsAndNoContent(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	rec := &recorder{}
	adapter := gateway.SlogObserver(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	b := start(t, gateway.Config{Observer: gateway.ObserverFunc(func(e gateway.Event) {
		rec.Observe(e)
		rec.mu.Lock()
		defer rec.mu.Unlock()
		adapter.Observe(e)
	})}, gatewaytest.Text("canary-answer"), gatewaytest.Status(401, `{"error":{"message":"canary-error `+secret+`"}}`))
	b.recommit(func(r *gateway.Route) { r.Revision = "rev-7" })
	ask := `{"model":"m","stream":true,"instructions":"canary-instructions","client_metadata":{"a":"canary"},"input":"canary-input",` +
		`"tools":[{"type":"web_search"},{"type":"function","name":"canary_tool"}]}`
	if r := b.post(ask); r.final(t).Type != "response.completed" {
		t.Fatal(r.body)
	}
	e, ok := rec.last(gateway.EventRequest)
	if !ok {
		t.Fatal("no event")
	}
	if e.Workspace != "w" || e.Session != "s" || e.Generation != b.handle.Generation() || e.Revision != "rev-7" || e.Dialect == "" || e.RequestID == "" {
		t.Errorf("route: %+v", e)
	}
	if e.Outcome != gateway.OutcomeCompleted || e.Status != 200 || e.UpstreamStatus != 200 || e.Finish != "stop" || e.Usage.Total != 18 {
		t.Errorf("outcome: %+v", e)
	}
	if e.ToolsKept != 1 || fmt.Sprint(e.ToolsFiltered) != "[web_search]" || e.Messages != 2 || e.RequestBytes != int64(len(ask)) {
		t.Errorf("counts: %+v", e)
	}
	if e.TimeToHeaders <= 0 || e.TimeToFirstToken < e.TimeToHeaders || e.Duration < e.TimeToFirstToken {
		t.Errorf("times: %v %v %v", e.TimeToHeaders, e.TimeToFirstToken, e.Duration)
	}
	if r := b.post(ask); r.status != 401 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	b.handle.Revoke()
	if r := b.post(ask); r.status != 401 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	c := b.gw.Counters()
	if c.Requests[gateway.OutcomeCompleted] != 1 || c.Requests[gateway.OutcomeFailed] != 1 || c.Rejected["invalid_api_key"] != 1 ||
		c.Failed["upstream_unauthorized"] != 1 || c.Usage.Total != 18 || c.Active != 0 || c.Routes != 0 {
		t.Errorf("counters: %+v", c)
	}
	everything := log.String() + fmt.Sprintf("%+v%+v", rec.events, c)
	for _, word := range []string{"canary", secret, b.handle.Token(), b.up.URL()} {
		if strings.Contains(everything, word) {
			t.Errorf("%q is told", word)
		}
	}
	kinds := ""
	for _, e := range rec.events {
		kinds += string(e.Kind) + " "
	}
	if kinds != "registered committed registered committed request request revoked rejected " {
		t.Errorf("events: %s", kinds)
	}
	var filtered bool
	for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m["msg"] == "model_gateway.tools.filtered" {
			filtered = true
			if m["workspace_id"] != "w" || m["agent_session_id"] != "s" || m["tool_types"] != "web_search" || m["tool_type_count"] != 1.0 {
				t.Errorf("%v", m)
			}
		}
	}
	if !filtered {
		t.Error("nothing about filtered tools")
	}
}

// TestFirstTokenIsVisible: a chunk that only says whose turn it is, or holds no text, is no first token.
func TestFirstTokenIsVisible(t *testing.T) {
	t.Parallel()
	answer := gatewaytest.Stream(gatewaytest.Chunk(`{"role":"assistant"}`), gatewaytest.Delta(""), gatewaytest.Delta("x"), gatewaytest.Finish("stop"))
	answer.Steps[2].Pause = 200 * time.Millisecond
	b := start(t, gateway.Config{}, answer)
	b.turn()
	e, ok := b.observer.last(gateway.EventRequest)
	if !ok || e.TimeToFirstToken < 150*time.Millisecond || e.TimeToHeaders >= e.TimeToFirstToken-100*time.Millisecond {
		t.Fatalf("headers after %v, first token after %v", e.TimeToHeaders, e.TimeToFirstToken)
	}
}
