package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

const chatTurn = `{ "messages":[{"role":"user","content":"hi"}],"model":"m","stream":true,"x_own":{"z":1,"a":[1.50]}}`

func startPassthrough(t *testing.T, kind gateway.Kind, cfg gateway.Config, script ...gatewaytest.Answer) *bench {
	t.Helper()
	cfg.PassthroughAddress = "127.0.0.1:0"
	b := start(t, cfg, script...)
	b.recommit(func(r *gateway.Route) { r.Kind = kind })
	return b
}

func (b *bench) forward(path, body string, change func(http.Header)) reply {
	b.t.Helper()
	root := strings.TrimSuffix(b.gw.PassthroughURL(), "/v1")
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, root+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.handle.Token())
	if change != nil {
		change(r.Header)
	}
	return b.do(r)
}

func TestPassthroughIsOffByDefault(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	if b.gw.PassthroughURL() != "" {
		t.Fatal("there is a passthrough listener")
	}
}

func TestChatPassthrough(t *testing.T) {
	t.Parallel()
	plain := gatewaytest.Text("Hello ", "there")
	b := startPassthrough(t, gateway.KindChatPassthrough, gateway.Config{}, plain)
	r := b.forward("/v1/chat/completions", chatTurn, func(h http.Header) {
		h.Set("X-Stainless-Os", "canary")
		h.Set("Cookie", "canary")
	})
	if want := string(plain.Together().Steps[0].Send); r.status != 200 || r.body != want {
		t.Fatalf("%d %s", r.status, r.body)
	}
	up := b.up.Last()
	if string(up.Body) != chatTurn {
		t.Fatalf("the body was changed: %s", up.Body)
	}
	if up.Header.Get("Authorization") != "Bearer "+secret || up.Path != "/v1/chat/completions" {
		t.Fatalf("%s %v", up.Path, up.Header)
	}
	for k, v := range up.Header {
		if strings.Contains(strings.Join(v, ""), "canary") {
			t.Errorf("header %s went upstream", k)
		}
	}
	// The listener serves these routes alone, and the other listener none of them.
	if got := b.turn(); got.status != 401 {
		t.Fatalf("the Responses listener takes the token: %d", got.status)
	}
	for path, status := range map[string]int{
		"/v1/responses": 404, "/v1/messages": 401, "/v1/chat/completions?x=1": 404, "/v1/models": 404,
	} {
		if got := b.forward(path, chatTurn, nil); got.status != status {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if got := b.forward("/v1/chat/completions", chatTurn, func(h http.Header) { h.Set("Origin", "null") }); got.status != 403 {
		t.Errorf("origin: %d", got.status)
	}
	if got := b.forward("/v1/chat/completions", strings.Replace(chatTurn, `"m"`, `"n"`, 1), nil); got.code() != "model_not_found" {
		t.Errorf("model: %s", got.body)
	}
	for _, body := range []string{
		`{"model":"m","model":"n"}`, `{"model":"m","Model":"n"}`, `{"Model":"m"}`, `{"model":"m","\u006dODEL":"n"}`, `{"model":["m"]}`, `{}`, `["model"]`,
	} {
		if got := b.forward("/v1/chat/completions", body, nil); got.status != 400 {
			t.Errorf("%s: %d", body, got.status)
		}
	}
	if b.up.Hits() != 1 {
		t.Fatalf("%d requests went upstream", b.up.Hits())
	}
}

func TestMessagesPassthrough(t *testing.T) {
	t.Parallel()
	const answer = "event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	b := startPassthrough(t, gateway.KindMessagesPassthrough, gateway.Config{}, gatewaytest.Raw("text/event-stream", answer))
	key := func(h http.Header) {
		h.Del("Authorization")
		h.Set("X-Api-Key", b.handle.Token())
		h.Set("Anthropic-Version", "2024-01-02")
		h.Set("Anthropic-Beta", "a-1,b-2")
	}
	if !strings.HasSuffix(b.handle.BaseURL(), strings.TrimPrefix(strings.TrimSuffix(b.gw.PassthroughURL(), "/v1"), "http:")) {
		t.Fatalf("base URL %s", b.handle.BaseURL())
	}
	body := `{"model":"m","stream":true,"max_tokens":5,"messages":[]}`
	r := b.forward("/v1/messages?beta=true", body, key)
	if r.status != 200 || r.body != answer {
		t.Fatalf("%d %s", r.status, r.body)
	}
	up := b.up.Last()
	if up.Path != "/v1/messages" || up.Query != "beta=true" || string(up.Body) != body {
		t.Fatalf("%s?%s %s", up.Path, up.Query, up.Body)
	}
	if up.Header.Get("Authorization") != "Bearer "+secret || up.Header.Get("X-Api-Key") != "" {
		t.Fatal("the credential is not where it belongs")
	}
	if up.Header.Get("Anthropic-Version") != "2024-01-02" || up.Header.Get("Anthropic-Beta") != "a-1,b-2" {
		t.Fatalf("%v", up.Header)
	}
	b.up.Script(gatewaytest.JSON(`{"input_tokens":3}`))
	b.recommit(func(r *gateway.Route) {
		r.Kind, r.Auth = gateway.KindMessagesPassthrough, gateway.AuthAPIKey
	})
	r = b.forward("/v1/messages/count_tokens", body, key)
	up = b.up.Last()
	if r.body != `{"input_tokens":3}` || up.Path != "/v1/messages/count_tokens" || up.Header.Get("X-Api-Key") != secret || up.Header.Get("Authorization") != "" {
		t.Fatalf("%s %v %s", up.Path, up.Header, r.body)
	}
	// H31: two credentials are one too many.
	if got := b.forward("/v1/messages", body, func(h http.Header) { h.Set("X-Api-Key", b.handle.Token()) }); got.status != 401 || !strings.HasPrefix(got.body, `{"type":"error"`) {
		t.Fatalf("%d %s", got.status, got.body)
	}
}

func TestPassthroughHidesTheCredential(t *testing.T) {
	t.Parallel()
	half := len(secret) / 2
	b := startPassthrough(t, gateway.KindChatPassthrough, gateway.Config{},
		gatewaytest.Raw("text/event-stream", `data: {"x":"`+secret[:half], secret[half:]+"\"}\n\n"))
	if r := b.forward("/v1/chat/completions", chatTurn, nil); r.body != "data: {\"x\":\"[redacted]\"}\n\n" {
		t.Fatalf("%q", r.body)
	}
	// The same in the texts of several events, which otherwise pass byte by byte.
	ordinary := gatewaytest.Delta("up") + "\n\ndata:  " + gatewaytest.Delta("upstream-sea") + "\n\n: note\n\n"
	b.up.Script(gatewaytest.Raw("text/event-stream", "data: "+ordinary, "data: "+gatewaytest.Delta("say "+secret[:5])+"\n\n",
		"data: "+gatewaytest.Delta(secret[5:9])+"\n\ndata: "+gatewaytest.Delta(secret[9:]+" up")+"\n\n", "data: [DONE]\n\n"))
	want := "data: " + ordinary + "data: " + gatewaytest.Delta("say ") + "\n\ndata: " + gatewaytest.Delta("") + "\n\ndata: " +
		gatewaytest.Delta("[redacted] up") + "\n\ndata: [DONE]\n\n"
	if r := b.forward("/v1/chat/completions", chatTurn, nil); r.body != want {
		t.Fatalf("got\n%s\nwant\n%s", r.body, want)
	}
	b.up.Script(gatewaytest.Status(401, `{"error":{"message":"key `+secret+`"},"detail":"`+secret[:14]+`"}`))
	r := b.forward("/v1/chat/completions", chatTurn, nil)
	if r.status != 401 || strings.Contains(r.body, secret[:12]) || !strings.Contains(r.body, `"detail":"[redacted]"`) {
		t.Fatalf("%d %s", r.status, r.body)
	}
	b.up.Script(gatewaytest.Status(429, `{"error":{"message":"slow"}}`))
	if r := b.forward("/v1/chat/completions", chatTurn, nil); r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Fatalf("%d %v", r.status, r.header)
	}
	for _, status := range []int{500, 503, 529} {
		b.up.Script(gatewaytest.Status(status, `{"error":{"type":"overloaded_error","message":"busy"}}`).With("Retry-After", secret))
		if r := b.forward("/v1/chat/completions", chatTurn, nil); r.status != status || !strings.Contains(r.body, "overloaded_error") || r.header.Get("Retry-After") != "10" {
			t.Fatalf("%d %s %v", r.status, r.body, r.header)
		}
	}
	b.up.Script(gatewaytest.Status(307, "").With("Location", "https://h.test"))
	if r := b.forward("/v1/chat/completions", chatTurn, nil); r.status != 502 || r.code() != "upstream_redirect" {
		t.Fatalf("%d %s", r.status, r.body)
	}
	b.up.Script(gatewaytest.Raw("text/html", "<html>"))
	if r := b.forward("/v1/chat/completions", chatTurn, nil); r.status != 502 {
		t.Fatalf("%d %s", r.status, r.body)
	}
}

func TestPassthroughThatBreaksOffDoesNotLookFinished(t *testing.T) {
	t.Parallel()
	idle := gateway.Config{Timeouts: gateway.Timeouts{Idle: 150 * time.Millisecond}}
	event := "data: " + gatewaytest.Delta("a") + "\n\n"
	for name, tc := range map[string]struct {
		answer gatewaytest.Answer
		code   string
	}{
		"stall between events": {gatewaytest.Raw("text/event-stream", event).Then(gatewaytest.Step{Stall: true}), "upstream_timeout"},
		"reset between events": {gatewaytest.Raw("text/event-stream", event).Then(gatewaytest.Step{Cut: true}), "upstream_stream_error"},
		"stall in an event":    {gatewaytest.Raw("text/event-stream", event, "data: {").Then(gatewaytest.Step{Stall: true}), "upstream_timeout"},
		"reset in an event":    {gatewaytest.Raw("text/event-stream", event, "data: {").Then(gatewaytest.Step{Cut: true}), "upstream_stream_error"},
		"reset in JSON":        {gatewaytest.JSON(`{"choices":[`).Then(gatewaytest.Step{Cut: true}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startPassthrough(t, gateway.KindChatPassthrough, idle, tc.answer)
			r := b.forward("/v1/chat/completions", chatTurn, nil)
			if tc.code == "" {
				if r.err == nil {
					t.Fatalf("ended as if finished: %q", r.body)
				}
				return
			}
			if r.err != nil || !strings.Contains(r.body, `"code":"`+tc.code+`"`) || strings.Contains(r.body, "data: {data") {
				t.Fatalf("%v %q", r.err, r.body)
			}
		})
	}
	b := startPassthrough(t, gateway.KindChatPassthrough, gateway.Config{}, gatewaytest.Raw("text/event-stream", event).Then(gatewaytest.Step{Stall: true}))
	done := make(chan reply)
	go func() { done <- b.forward("/v1/chat/completions", chatTurn, nil) }()
	eventually(t, "the upstream is asked", func() bool { return b.up.Active() == 1 })
	time.Sleep(50 * time.Millisecond)
	b.gw.Revoke("w", "s")
	if r := <-done; !strings.Contains(r.body, `"code":"route_revoked"`) {
		t.Fatalf("%v %q", r.err, r.body)
	}
}
