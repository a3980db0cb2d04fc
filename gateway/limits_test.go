package gateway_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t testing.TB, text string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll([]byte(text), nil)
}

// padded is a turn of exactly n bytes.
func padded(n int) string {
	const head, tail = `{"model":"m","stream":true,"pad":"`, `","input":"hi"}`
	return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
}

func TestG07_RequestSizeIsCountedDecoded(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	b := start(t, gateway.Config{Limits: gateway.Limits{RequestBody: limit}}, gatewaytest.Text("x"))
	fits, over, bomb := padded(limit), padded(limit+1), padded(64*limit)
	for name, tc := range map[string]struct {
		body     []byte
		encoding []string
		chunked  bool
		code     string
	}{
		"fits":          {body: []byte(fits)},
		"fits, chunked": {body: []byte(fits), chunked: true},
		"over":          {body: []byte(over), code: "request_too_large"},
		"over, chunked": {body: []byte(over), chunked: true, code: "request_too_large"},
		"gzip":          {body: gzipped(t, fits), encoding: []string{"gzip"}},
		"gzip over":     {body: gzipped(t, over), encoding: []string{"gzip"}, code: "request_too_large"},
		"gzip bomb":     {body: gzipped(t, bomb), encoding: []string{"GZIP"}, code: "request_too_large"},
		"zstd":          {body: zstandard(t, fits), encoding: []string{"zstd"}},
		"zstd over":     {body: zstandard(t, over), encoding: []string{"zstd"}, code: "request_too_large"},
		"zstd bomb":     {body: zstandard(t, bomb), encoding: []string{"zstd"}, chunked: true, code: "request_too_large"},
		"identity":      {body: []byte(fits), encoding: []string{"identity"}},
		"broken gzip":   {body: []byte(fits), encoding: []string{"gzip"}, code: "unsupported_content_encoding"},
		"cut gzip":      {body: gzipped(t, fits)[:100], encoding: []string{"gzip"}, code: "invalid_request"},
		"brotli":        {body: []byte(fits), encoding: []string{"br"}, code: "unsupported_content_encoding"},
		"two encodings": {body: gzipped(t, fits), encoding: []string{"gzip, gzip"}, code: "unsupported_content_encoding"},
		"two headers":   {body: gzipped(t, fits), encoding: []string{"gzip", "identity"}, code: "unsupported_content_encoding"},
		"not JSON":      {body: []byte("{"), code: "invalid_request"},
		"trailing":      {body: []byte(turn + "{}"), code: "invalid_request"},
		"empty":         {body: nil, code: "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			r := b.request(context.Background(), "")
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(tc.body)), int64(len(tc.body))
			if tc.chunked {
				r.ContentLength = -1
			}
			r.Header["Content-Encoding"] = tc.encoding
			got := b.do(r)
			if tc.code == "" {
				if got.status != 200 {
					t.Fatalf("%d %s", got.status, got.body)
				}
				return
			}
			if got.status != 400 || got.code() != tc.code {
				t.Fatalf("%d %s", got.status, got.body)
			}
		})
	}
}

func TestRequestBodyMayBeSlowButNotStill(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{Timeouts: gateway.Timeouts{RequestBody: 300 * time.Millisecond}}, gatewaytest.Text("x"))
	send := func(pause time.Duration) reply {
		in, out := io.Pipe()
		r := b.request(context.Background(), "")
		r.Body, r.ContentLength = in, int64(len(turn))
		go func() {
			for i := range 8 {
				at := i * len(turn) / 8
				if _, err := io.WriteString(out, turn[at:(i+1)*len(turn)/8]); err != nil {
					return
				}
				time.Sleep(pause)
			}
			_ = out.Close()
		}()
		defer in.Close()
		return b.do(r)
	}
	// The whole takes longer than the limit, no single wait does.
	if got := send(60 * time.Millisecond); got.status != 200 {
		t.Fatalf("slow: %d %s", got.status, got.body)
	}
	if got := send(time.Second); got.status != 408 || got.code() != "request_timeout" {
		t.Fatalf("still: %d %s", got.status, got.body)
	}
}

func TestConcurrencyPerRouteAndInAll(t *testing.T) {
	t.Parallel()
	hold := gatewaytest.Text("a").First(2).Then(gatewaytest.Step{Stall: true})
	b := start(t, gateway.Config{Limits: gateway.Limits{RouteRequests: 2, Requests: 3}}, hold)
	r := b.route()
	r.Session = "s2"
	second := b.register(r)
	if err := second.Commit(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	open := func(token string) int {
		req := b.request(ctx, turn)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == 429 {
			defer resp.Body.Close()
			if resp.Header.Get("Retry-After") != "1" {
				t.Error("429 without Retry-After")
			}
		}
		return resp.StatusCode
	}
	first := b.handle.Token()
	for i, tc := range []struct {
		token  string
		status int
	}{{first, 200}, {first, 200}, {first, 429}, {second.Token(), 200}, {second.Token(), 429}} {
		if got := open(tc.token); got != tc.status {
			t.Fatalf("request %d: %d", i, got)
		}
	}
	cancel()
	eventually(t, "all places are free again", func() bool { return b.gw.Counters().Active == 0 })
	b.up.Script(gatewaytest.Text("x"))
	if got := b.turn(); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if n := b.gw.Counters().Rejected["rate_limit_exceeded"]; n != 2 {
		t.Fatalf("%d rejections counted", n)
	}
}

// TestStalledClientDoesNotPinTheUpstream: a client that takes nothing loses its stream, and the upstream is let go.
func TestStalledClientDoesNotPinTheUpstream(t *testing.T) {
	t.Parallel()
	big := gatewaytest.Delta(strings.Repeat("x", 64<<10))
	var chunks []string
	for range 400 {
		chunks = append(chunks, big)
	}
	b := start(t, gateway.Config{Timeouts: gateway.Timeouts{Write: 400 * time.Millisecond}}, gatewaytest.Stream(chunks...))
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(b.gw.BaseURL(), "http://"), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := b.request(context.Background(), turn)
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the upstream is asked", func() bool { return b.up.Hits() == 1 })
	eventually(t, "the upstream is let go", func() bool { return b.gw.Counters().Active == 0 && b.up.Active() == 0 })
	if e, ok := b.observer.last(gateway.EventRequest); !ok || e.Outcome != gateway.OutcomeCancelled {
		t.Fatalf("outcome %q", e.Outcome)
	}
}

// TestNoQueue: what a client does not take, the gateway does not read, beyond what sockets and buffers hold.
func TestNoQueue(t *testing.T) {
	t.Parallel()
	big := gatewaytest.Delta(strings.Repeat("x", 64<<10))
	answer := gatewaytest.Stream(big)
	var steps []gatewaytest.Step
	for range 1000 {
		steps = append(steps, gatewaytest.Step{Send: []byte("data: " + big + "\n\n")})
	}
	answer.Steps = steps
	b := start(t, gateway.Config{}, answer)
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(b.gw.BaseURL(), "http://"), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	r := b.request(context.Background(), turn)
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the upstream is asked", func() bool { return b.up.Active() == 1 })
	time.Sleep(300 * time.Millisecond)
	if b.up.Active() != 1 {
		t.Fatal("64 MB went through to a client that takes nothing")
	}
	_ = conn.Close()
	eventually(t, "the upstream is let go", func() bool { return b.up.Active() == 0 })
}
