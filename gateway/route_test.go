package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func TestG08_Models(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	got := b.post(strings.Replace(turn, `"m"`, `"other"`, 1))
	if got.status != 400 || got.code() != "model_not_found" || !strings.Contains(got.body, `"param":"model"`) {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if b.up.Hits() != 0 {
		t.Fatal("asked the upstream")
	}
	b.recommit(func(r *gateway.Route) { r.Models = nil })
	if got := b.post(strings.Replace(turn, `"m"`, `"other"`, 1)); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	b.recommit(func(r *gateway.Route) { r.ModelPrefix, r.Models = "plan/", []string{"m"} })
	if got := b.post(strings.Replace(turn, `"m"`, `"plan/m"`, 1)); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if !strings.Contains(string(b.up.Last().Body), `"model":"m"`) {
		t.Fatalf("upstream got %s", b.up.Last().Body)
	}
}

func TestH34_G09_BaseURL(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*gateway.Route)
		path   string
		query  string
	}{
		"host":          {func(*gateway.Route) {}, "/v1/chat/completions", ""},
		"slash":         {func(r *gateway.Route) { r.BaseURL += "/v1/" }, "/v1/chat/completions", ""},
		"version":       {func(r *gateway.Route) { r.BaseURL += "/v1" }, "/v1/chat/completions", ""},
		"other version": {func(r *gateway.Route) { r.BaseURL += "/api/paas/v4" }, "/api/paas/v4/chat/completions", ""},
		"complete":      {func(r *gateway.Route) { r.BaseURL += "/x/chat/completions" }, "/x/chat/completions", ""},
		"no version":    {func(r *gateway.Route) { r.BaseURL += "/openai" }, "/openai/v1/chat/completions", ""},
		"full":          {func(r *gateway.Route) { r.BaseURL += "/odd/path/"; r.FullURL = true }, "/odd/path/", ""},
		"query dropped": {func(r *gateway.Route) { r.BaseURL += "/v1?api-version=1#x" }, "/v1/chat/completions", ""},
		"query kept": {func(r *gateway.Route) { r.BaseURL += "/v1?api-version=1"; r.KeepQuery = true },
			"/v1/chat/completions", "api-version=1"},
		"spaces around": {func(r *gateway.Route) { r.BaseURL = " " + r.BaseURL + "/v1\n" }, "/v1/chat/completions", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{}, gatewaytest.Text("x"))
			b.recommit(tc.change)
			if got := b.turn(); got.status != 200 {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if up := b.up.Last(); up.Path != tc.path || up.Query != tc.query {
				t.Fatalf("upstream saw %s?%s", up.Path, up.Query)
			}
		})
	}
}

func TestG09_RoutesThatAreRefused(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	for name, change := range map[string]func(*gateway.Route){
		"user info":          func(r *gateway.Route) { r.BaseURL = "https://u:p@h.test" },
		"scheme":             func(r *gateway.Route) { r.BaseURL = "ftp://h.test" },
		"no scheme":          func(r *gateway.Route) { r.BaseURL = "h.test/v1" },
		"no host":            func(r *gateway.Route) { r.BaseURL = "https:///v1" },
		"opaque":             func(r *gateway.Route) { r.BaseURL = "https:h.test" },
		"control":            func(r *gateway.Route) { r.BaseURL = "https://h.test/\x01" },
		"no base":            func(r *gateway.Route) { r.BaseURL = " " },
		"no workspace":       func(r *gateway.Route) { r.Workspace = " " },
		"no session":         func(r *gateway.Route) { r.Session = "" },
		"nul in session":     func(r *gateway.Route) { r.Session = "a\x00b" },
		"no key, far away":   func(r *gateway.Route) { r.BaseURL, r.APIKey = "https://h.test", "" },
		"H37 newline in key": func(r *gateway.Route) { r.APIKey = "sk-a\nb" },
		"letter in key":      func(r *gateway.Route) { r.APIKey = "sk-schlüssel" },
		"empty model":        func(r *gateway.Route) { r.Models = []string{""} },
		"many models":        func(r *gateway.Route) { r.Models = make([]string, 5000) },
		"auth header":        func(r *gateway.Route) { r.Headers = map[string]string{"authorization": "x"} },
		"hop-by-hop":         func(r *gateway.Route) { r.Headers = map[string]string{"connection": "close"} },
		"header value":       func(r *gateway.Route) { r.Headers = map[string]string{"X-A": "a\r\nb: c"} },
		"header name":        func(r *gateway.Route) { r.Headers = map[string]string{"X A": "a"} },
		"negative limit":     func(r *gateway.Route) { r.DefaultMaxOutputTokens = -1 },
		"kind":               func(r *gateway.Route) { r.Kind = 9 },
		"passthrough is off": func(r *gateway.Route) { r.Kind = gateway.KindChatPassthrough },
	} {
		t.Run(name, func(t *testing.T) {
			r := b.route()
			change(&r)
			h, err := b.gw.Register(r)
			if err == nil {
				h.Discard()
				t.Fatal("accepted")
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "h.test") || strings.Contains(err.Error(), "sk-a") {
				t.Fatalf("the error tells too much: %v", err)
			}
		})
	}
}

func TestH37_KeyIsTrimmedOnce(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	b.recommit(func(r *gateway.Route) { r.APIKey = "\uFEFF " + secret + "\r\n" })
	if got := b.turn(); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := b.up.Last().Header.Get("Authorization"); got != "Bearer "+secret {
		t.Fatalf("header %q", got)
	}
	b.recommit(func(r *gateway.Route) { r.APIKey = "" })
	b.turn()
	if got := b.up.Last().Header; len(got["Authorization"]) != 0 {
		t.Fatal("a header without a credential")
	}
}

func TestNoRandomnessNoRoute(t *testing.T) {
	t.Parallel()
	gw, err := gateway.Listen(gateway.Config{Random: empty{}})
	if err != nil {
		t.Fatal(err)
	}
	defer gw.Close(context.Background())
	if _, err := gw.Register(gateway.Route{Workspace: "w", Session: "s", BaseURL: "http://127.0.0.1:1"}); err == nil {
		t.Fatal("a route with a token that is not random")
	}
}

type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, errors.New("dry") }
