package gateway_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func TestTextOverHTTP(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("Hel", "lo"))
	r := b.turn()
	if e := r.final(t); e.Type != "response.completed" {
		t.Fatalf("ended in %s", e.Type)
	}
	if got := r.text(t); got != "Hello" {
		t.Fatalf("text %q", got)
	}
	if got := r.header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("content type %q", got)
	}
	up := b.up.Last()
	if got := up.Header.Get("Authorization"); got != "Bearer "+secret {
		t.Fatal("the upstream did not get the credential")
	}
	if up.Path != "/v1/chat/completions" {
		t.Fatalf("path %q", up.Path)
	}
}

func TestCallOverHTTP(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Calls(gatewaytest.Call{ID: "c1", Name: "f", Arguments: `{"x":1}`}))
	r := b.post(`{"model":"m","stream":true,"input":"hi","tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}]}`)
	e := r.final(t)
	if e.Type != "response.completed" {
		t.Fatalf("ended in %s", e.Type)
	}
	if got := e.get("response", "output", 0, "arguments"); got != `{"x":1}` {
		t.Fatalf("arguments %v", got)
	}
}
