package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func TestG01_NoOrWrongToken(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	for name, change := range map[string]func(http.Header){
		"none":          func(h http.Header) { h.Del("Authorization") },
		"wrong":         func(h http.Header) { h.Set("Authorization", "Bearer "+strings.Repeat("A", 43)) },
		"empty":         func(h http.Header) { h.Set("Authorization", "Bearer ") },
		"other scheme":  func(h http.Header) { h.Set("Authorization", "Basic "+b.handle.Token()) },
		"no scheme":     func(h http.Header) { h.Set("Authorization", b.handle.Token()) },
		"two headers":   func(h http.Header) { h.Add("Authorization", h.Get("Authorization")) },
		"cut":           func(h http.Header) { h.Set("Authorization", "Bearer "+b.handle.Token()[:42]) },
		"upstream key":  func(h http.Header) { h.Set("Authorization", "Bearer "+secret) },
		"api key field": func(h http.Header) { h.Del("Authorization"); h.Set("X-Api-Key", b.handle.Token()) },
	} {
		t.Run(name, func(t *testing.T) {
			r := b.request(context.Background(), turn)
			change(r.Header)
			got := b.do(r)
			if got.status != http.StatusUnauthorized || got.code() != "invalid_api_key" {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if got.header.Get("WWW-Authenticate") != "Bearer" {
				t.Fatal("no WWW-Authenticate")
			}
			if got.body != `{"error":{"message":"Invalid model gateway token","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}` {
				t.Fatalf("body %s", got.body)
			}
		})
	}
	if n := b.up.Hits(); n != 0 {
		t.Fatalf("%d requests reached the upstream", n)
	}
}

func TestG02_SchemeInAnyCase(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	r := b.request(context.Background(), turn)
	r.Header.Set("Authorization", "bearer "+b.handle.Token())
	if got := b.do(r); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
}

func TestG05_OnlyOnePathAndMethod(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	root := strings.TrimSuffix(b.gw.BaseURL(), "/v1")
	for _, tc := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/v1/responses", 405}, {"PUT", "/v1/responses", 405}, {"OPTIONS", "/v1/responses", 405},
		{"POST", "/v1/responses?x=1", 404}, {"POST", "/v1/responses?", 404}, {"POST", "/v1/responses/", 404},
		{"POST", "/v1/responses/compact", 404}, {"POST", "/v1/chat/completions", 404}, {"POST", "/v1/messages", 404},
		{"GET", "/v1/models", 404}, {"POST", "/v1%2Fresponses", 404}, {"POST", "//v1/responses", 404}, {"GET", "/", 404},
	} {
		for _, token := range []string{b.handle.Token(), "wrong"} {
			r, err := http.NewRequest(tc.method, root+tc.path, strings.NewReader(turn))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+token)
			got := b.do(r)
			if got.status != tc.status {
				t.Errorf("%s %s: %d", tc.method, tc.path, got.status)
			}
			if tc.status == 405 && got.header.Get("Allow") != "POST" {
				t.Errorf("%s %s: no Allow", tc.method, tc.path)
			}
		}
	}
	if n := b.up.Hits(); n != 0 {
		t.Fatalf("%d requests reached the upstream", n)
	}
}

func TestG06_HostAndOrigin(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	port := b.gw.BaseURL()[strings.LastIndex(b.gw.BaseURL(), ":") : len(b.gw.BaseURL())-3]
	for name, change := range map[string]func(*http.Request){
		"host":        func(r *http.Request) { r.Host = "evil.example" + port },
		"localhost":   func(r *http.Request) { r.Host = "localhost" + port },
		"no port":     func(r *http.Request) { r.Host = "127.0.0.1" },
		"origin":      func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"null origin": func(r *http.Request) { r.Header.Set("Origin", "null") },
		"own origin":  func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1"+port) },
		"bad token too": func(r *http.Request) {
			r.Header.Set("Origin", "null")
			r.Header.Del("Authorization")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := b.request(context.Background(), turn)
			change(r)
			if got := b.do(r); got.status != http.StatusForbidden {
				t.Fatalf("%d %s", got.status, got.body)
			}
		})
	}
	if n := b.up.Hits(); n != 0 {
		t.Fatalf("%d requests reached the upstream", n)
	}
}

func TestListenOnlyOnLoopbackAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"0.0.0.0:0", "[::]:0", "localhost:0", ":0", "192.0.2.1:0", "127.0.0.1", "[::ffff:127.0.0.1]:0", "example.test:80",
	} {
		if s, err := gateway.Listen(gateway.Config{Address: address}); err == nil {
			_ = s.Close(context.Background())
			t.Errorf("listens on %s", address)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "127.0.0.2:0", "[::1]:0"} {
		s, err := gateway.Listen(gateway.Config{Address: address})
		if err != nil {
			// Not every system has IPv6 or more than one loopback address.
			if strings.HasPrefix(address, "127.0.0.1:") {
				t.Errorf("%s: %v", address, err)
			}
			continue
		}
		if want := "http://" + address[:strings.LastIndex(address, ":")+1]; !strings.HasPrefix(s.BaseURL(), want) {
			t.Errorf("base URL %s of %s", s.BaseURL(), address)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestF41_NothingOfTheClientGoesUpstream(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	b.recommit(func(r *gateway.Route) { r.Headers = map[string]string{"X-Title": "mine"} })
	r := b.request(context.Background(), strings.Replace(turn, `"model"`,
		`"client_metadata":{"x-codex-installation-id":"canary-1"},"metadata":{"a":"canary-2"},"prompt_cache_key":"canary-3","model"`, 1))
	for _, k := range []string{
		"Cookie", "X-Codex-Turn-Metadata", "Session-Id", "X-Codex-Window-Id", "Originator", "User-Agent", "X-Forwarded-For",
		"X-Api-Key", "Referer", "Traceparent",
	} {
		r.Header.Set(k, "canary-4")
	}
	if got := b.do(r); got.status != 200 || strings.Contains(got.body, "canary") {
		t.Fatalf("%d %s", got.status, got.body)
	}
	up := b.up.Last()
	if strings.Contains(string(up.Body), "canary") {
		t.Fatalf("the body carries it: %s", up.Body)
	}
	want := map[string]string{
		"Authorization": "Bearer " + secret, "Content-Type": "application/json", "Accept": "text/event-stream",
		"Accept-Encoding": "identity", "User-Agent": "greenroom-gateway", "X-Title": "mine",
	}
	for k, v := range up.Header {
		if k == "Content-Length" {
			continue
		}
		if len(v) != 1 || want[k] != v[0] {
			t.Errorf("unexpected header %s: %q", k, v)
		}
		delete(want, k)
	}
	if len(want) > 0 {
		t.Errorf("missing headers: %v", want)
	}
	if strings.Contains(string(up.Body), b.handle.Token()) {
		t.Error("the token went upstream")
	}
}
