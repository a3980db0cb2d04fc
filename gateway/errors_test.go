package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func TestF39_G10_NoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	other := gatewaytest.Start(gatewaytest.Text("stolen"))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for name, location := range map[string]string{"another origin": other.URL() + "/v1/chat/completions", "same origin": "/elsewhere"} {
			for _, mode := range []gateway.StatusMode{gateway.StatusPreserve, gateway.StatusAgent} {
				b := start(t, gateway.Config{}, gatewaytest.Status(status, "").With("Location", location))
				b.recommit(func(r *gateway.Route) { r.StatusMode = mode })
				r := b.turn()
				if r.status != 502 || r.code() != "upstream_redirect" || r.header.Get("Location") != "" {
					t.Errorf("%d to %s: %d %s", status, name, r.status, r.body)
				}
				if b.up.Hits() != 1 {
					t.Errorf("%d to %s: %d requests", status, name, b.up.Hits())
				}
			}
		}
	}
	if other.Hits() != 0 {
		t.Fatal("a redirect was followed with the credential")
	}
}

func TestF37_G78_UpstreamErrors(t *testing.T) {
	t.Parallel()
	const html = `<html><head><title>Service down</title></head><body>secret path</body></html>`
	for name, tc := range map[string]struct {
		answer         gatewaytest.Answer
		agent, keep    int
		code, contains string
		retry          string
	}{
		"429 without header": {gatewaytest.Status(429, `{"error":{"message":"slow down"}}`), 429, 429, "rate_limit_exceeded", "slow down", "10"},
		"429 with header":    {gatewaytest.Status(429, `{"error":{"message":"slow"}}`).With("Retry-After", "7"), 429, 429, "rate_limit_exceeded", "slow", "7"},
		"429 quota":          {gatewaytest.Status(429, `{"error":{"message":"your quota is used up"}}`), 429, 429, "insufficient_quota", "quota", ""},
		"500":                {gatewaytest.Status(500, `{"error":{"message":"broke"}}`), 502, 502, "", "broke", ""},
		"503 html":           {gatewaytest.Status(503, html).With("Content-Type", "text/html"), 503, 503, "", "Service down", ""},
		"400 context":        {gatewaytest.Status(400, `{"error":{"message":"maximum context length is 10"}}`), 400, 400, "context_length_exceeded", "maximum", ""},
		"401":                {gatewaytest.Status(401, `{"error":{"message":"bad key"}}`), 400, 401, "upstream_unauthorized", "bad key", ""},
		"402":                {gatewaytest.Status(402, `{"error":{"message":"pay"}}`), 429, 402, "insufficient_quota", "pay", ""},
		"404 model":          {gatewaytest.Status(404, `{"error":{"message":"model m does not exist"}}`), 400, 404, "model_not_found", "model", ""},
		"minimax":            {gatewaytest.Status(400, `{"base_resp":{"status_code":2013,"status_msg":"odd arguments"}}`), 400, 400, "", "odd arguments", ""},
		"plain text":         {gatewaytest.Status(400, `just no`), 400, 400, "", "just no", ""},
		"empty":              {gatewaytest.Status(418, ``), 400, 418, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{}, tc.answer)
			for mode, want := range map[gateway.StatusMode]int{gateway.StatusPreserve: tc.keep, gateway.StatusAgent: tc.agent} {
				b.recommit(func(r *gateway.Route) { r.StatusMode = mode })
				r := b.turn()
				if r.status != want {
					t.Errorf("mode %d: status %d, want %d: %s", mode, r.status, want, r.body)
				}
				if tc.code != "" && r.code() != tc.code {
					t.Errorf("mode %d: code %q", mode, r.code())
				}
				if !strings.Contains(r.message(), tc.contains) || strings.Contains(r.body, "<html") || strings.Contains(r.body, "secret path") {
					t.Errorf("mode %d: message %q", mode, r.message())
				}
				if got := r.header.Get("X-Upstream-Status"); got != strconv.Itoa(tc.answer.Status) {
					t.Errorf("mode %d: X-Upstream-Status %q", mode, got)
				}
				if r.header.Get("Cache-Control") != "no-store" || r.header.Get("Content-Type") != "application/json" {
					t.Errorf("mode %d: headers %v", mode, r.header)
				}
				if tc.retry != "" && r.header.Get("Retry-After") != tc.retry {
					t.Errorf("mode %d: Retry-After %q", mode, r.header.Get("Retry-After"))
				}
			}
		})
	}
}

func TestG79_G80_SecretInErrors(t *testing.T) {
	t.Parallel()
	const key = `sk-up/st+ream"sec&ret0123456789`
	quoted, _ := json.Marshal(key)
	for name, body := range map[string]string{
		"plain":     `{"error":{"message":"bad key ` + strings.ReplaceAll(key, `"`, "'") + ` and ` + key[:17] + `"}}`,
		"json":      `{"error":{"message":` + string(quoted) + `,"code":` + string(quoted) + `}}`,
		"unicode":   `{"error":{"message":"` + strings.ReplaceAll(strings.ReplaceAll(key, `"`, `\u0022`), "s", `\u0073`) + `"}}`,
		"percent":   `{"error":{"message":"` + url.QueryEscape(key) + `"}}`,
		"text":      "key " + key,
		"html":      "<html><title>" + key + "</title></html>",
		"over cap":  strings.Repeat("x", 4000-10) + key,
		"straddles": strings.Repeat("x", 64<<10-20) + key + strings.Repeat("y", 1<<10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{Limits: gateway.Limits{ErrorBody: 64 << 10}}, gatewaytest.Status(401, body))
			b.recommit(func(r *gateway.Route) { r.APIKey = key })
			r := b.turn()
			text := r.body
			var decoded any
			if json.Unmarshal([]byte(r.body), &decoded) == nil {
				text += r.message() + r.code()
			}
			for _, form := range []string{key, string(quoted[1 : len(quoted)-1]), url.QueryEscape(key)} {
				for i := 0; i+12 <= len(form); i++ {
					if strings.Contains(text, form[i:i+12]) {
						t.Fatalf("%q is in %s", form[i:i+12], text)
					}
				}
			}
			if e, _ := b.observer.last(gateway.EventRequest); strings.Contains(e.Code, key[:12]) {
				t.Fatalf("the event holds it: %q", e.Code)
			}
		})
	}
}

func TestErrorsDoNotNameTheUpstream(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{Timeouts: gateway.Timeouts{Connect: time.Second}}, gatewaytest.Text("x"))
	down := gatewaytest.Start()
	address := down.URL()
	down.Close()
	b.recommit(func(r *gateway.Route) { r.BaseURL = address })
	r := b.turn()
	if r.status != 502 || r.code() != "upstream_unreachable" {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if strings.Contains(r.body, "127.0.0.1") || strings.Contains(r.body, "refused") {
		t.Fatalf("the address is in %s", r.body)
	}
	b.recommit(func(r *gateway.Route) { r.BaseURL = "https://no-such-host.invalid" })
	if r := b.turn(); r.status < 500 || strings.Contains(r.body, "no-such-host") {
		t.Fatalf("%d %s", r.status, r.body)
	}
}

func TestF34_G39_RefusedFieldIsLeftOutOnce(t *testing.T) {
	t.Parallel()
	refuse := gatewaytest.Status(400, `{"error":{"message":"unknown field: stream_options"}}`)
	b := start(t, gateway.Config{}, refuse, gatewaytest.Text("a"), gatewaytest.Text("b"))
	if r := b.turn(); r.final(t).Type != "response.completed" || r.text(t) != "a" {
		t.Fatalf("%s", r.body)
	}
	reqs := b.up.Requests()
	if len(reqs) != 2 || !strings.Contains(string(reqs[0].Body), `"include_usage":true`) || strings.Contains(string(reqs[1].Body), "stream_options") {
		t.Fatalf("%d requests", len(reqs))
	}
	if r := b.turn(); r.text(t) != "b" || b.up.Hits() != 3 || strings.Contains(string(b.up.Last().Body), "stream_options") {
		t.Fatal("the route forgot")
	}
	if n := b.gw.Counters().Omitted; n != 1 {
		t.Fatalf("%d omissions counted", n)
	}

	// Refusing for ever is not retried for ever, nor is a 400 that names no field of ours.
	b.up.Script(refuse)
	before := b.up.Hits()
	if r := b.turn(); r.status != 400 || b.up.Hits() != before+1 {
		t.Fatalf("%d after %d requests", r.status, b.up.Hits()-before)
	}
	b.up.Script(gatewaytest.Status(400, `{"error":{"message":"messages: stream of nonsense"}}`))
	before = b.up.Hits()
	if r := b.turn(); r.status != 400 || b.up.Hits() != before+1 {
		t.Fatalf("%d after %d requests", r.status, b.up.Hits()-before)
	}
}

// A refusal may name a field and mean another: what did not help is asked for again.
func TestF34_OnlyWhatHelpedIsRemembered(t *testing.T) {
	t.Parallel()
	refused := func(field string) gatewaytest.Answer {
		return gatewaytest.Status(400, `{"error":{"message":"unsupported parameter: `+field+`"}}`)
	}
	b := start(t, gateway.Config{}, refused("stream_options"), gatewaytest.Status(400, `{"error":{"message":"something else"}}`))
	if r := b.turn(); r.status != 400 || b.up.Hits() != 2 {
		t.Fatalf("%d after %d requests", r.status, b.up.Hits())
	}
	b.up.Script(gatewaytest.Text("x"))
	if r := b.turn(); r.status != 200 || !strings.Contains(string(b.up.Last().Body), "stream_options") {
		t.Fatalf("%d, the field is gone: %s", r.status, b.up.Last().Body)
	}
	// One after the other, three of them at most.
	const four = `{"model":"m","stream":true,"input":"hi","temperature":1,"top_p":1,"stop":"x"}`
	b.up.Script(refused("stream_options"), refused("temperature"), refused("top_p"), gatewaytest.Text("x"), gatewaytest.Text("y"))
	before := b.up.Hits()
	if r := b.post(four); r.status != 200 || b.up.Hits() != before+4 {
		t.Fatalf("%d after %d requests", r.status, b.up.Hits()-before)
	}
	if r := b.post(four); r.status != 200 || b.up.Hits() != before+5 {
		t.Fatal("the route forgot")
	}
	b.recommit(func(*gateway.Route) {})
	b.up.Script(refused("stream_options"), refused("temperature"), refused("top_p"), refused("stop"))
	before = b.up.Hits()
	if r := b.post(four); r.status != 400 || b.up.Hits() != before+4 {
		t.Fatalf("%d after %d requests", r.status, b.up.Hits()-before)
	}
}

func TestG79_SecretInTheAddress(t *testing.T) {
	t.Parallel()
	const inQuery = "query-credential-abcdef"
	b := start(t, gateway.Config{}, gatewaytest.Status(400, `{"error":{"message":"no such key: `+inQuery+`"}}`))
	b.recommit(func(r *gateway.Route) { r.BaseURL += "/v1?api-key=" + inQuery; r.KeepQuery = true })
	if r := b.turn(); strings.Contains(r.body, inQuery) || b.up.Last().Query != "api-key="+inQuery {
		t.Fatalf("%s, asked with %q", r.body, b.up.Last().Query)
	}
}

func TestDeadKeptConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	// The second request meets a kept connection that the server closes without a byte.
	kill := make(chan struct{}, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-kill:
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.Close()
			}
			return
		default:
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(gatewaytest.Text("x").Together().Steps[0].Send)
	})}
	l := localListener(t)
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	b := start(t, gateway.Config{}, gatewaytest.Text("y"))
	b.recommit(func(r *gateway.Route) { r.BaseURL = "http://" + l.Addr().String() })
	// A busy machine may not get the connection back in time to keep it; then there is nothing to see, and it is tried anew.
	for range 20 {
		if got := b.turn().text(t); got != "x" {
			t.Fatalf("text %q", got)
		}
		eventually(t, "the answer is over", func() bool { return b.gw.Counters().Active == 0 })
		kill <- struct{}{}
		r := b.turn()
		if b.gw.Counters().Resent == 0 {
			continue
		}
		if r.status != 200 || r.text(t) != "x" || b.gw.Counters().Resent != 1 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		return
	}
	t.Fatal("no kept connection was used")
}

// TestZeroDelayUpstream: an upstream that answers before it has read the request must not break small streams.
func TestZeroDelayUpstream(t *testing.T) {
	t.Parallel()
	up := startWire(t, [][]byte{gatewaytest.Text("x").Together().Steps[0].Send}, 0)
	up.eager.Store(true)
	b := start(t, gateway.Config{}, gatewaytest.Text("y"))
	b.recommit(func(r *gateway.Route) { r.BaseURL = up.url() })
	for _, size := range []int{len(turn), 40 << 10, 200 << 10} {
		body := turn
		if size > len(turn) {
			body = strings.Replace(turn, `"hi"`, `"`+strings.Repeat("h", size)+`"`, 1)
		}
		for i := range 60 {
			if r := b.post(body); r.status != 200 || r.final(t).Type != "response.completed" {
				t.Fatalf("request %d of %d bytes: %d %s", i, size, r.status, r.body)
			}
		}
	}
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("a", "b").First(2).Then(gatewaytest.Step{Stall: true}))
	resp, done := b.stalled()
	defer done()
	eventually(t, "the upstream is asked", func() bool { return b.up.Active() == 1 })
	began := time.Now()
	if err := b.gw.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Fatalf("took %v", took)
	}
	if code := readReply(resp).failure(t); code != "gateway_closed" {
		t.Fatalf("code %q", code)
	}
	eventually(t, "the upstream is let go", func() bool { return b.up.Active() == 0 })
	if err := b.gw.Close(context.Background()); err != nil {
		t.Fatalf("second close: %v", err)
	}
	if _, err := b.gw.Register(b.route()); err != gateway.ErrClosed {
		t.Fatalf("register after close: %v", err)
	}
	tr := &http.Transport{}
	if resp, err := tr.RoundTrip(b.request(context.Background(), turn)); err == nil {
		_ = resp.Body.Close()
		t.Fatal("it still answers")
	}
}
