package gateway_test

import (
	"context"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func TestH40_LoopbackUpstreamsAvoidTheProxy(t *testing.T) {
	t.Parallel()
	proxy := gatewaytest.Start(gatewaytest.Text("through the proxy"))
	t.Cleanup(proxy.Close)
	at, err := url.Parse(proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, gateway.Config{Proxy: http.ProxyURL(at)}, gatewaytest.Text("direct"))
	if got := b.turn().text(t); got != "direct" || proxy.Hits() != 0 {
		t.Fatalf("text %q, %d requests at the proxy", got, proxy.Hits())
	}
	b.recommit(func(r *gateway.Route) { r.BaseURL = "http://upstream.invalid" })
	if got := b.turn().text(t); got != "through the proxy" || proxy.Last().Host != "upstream.invalid" {
		t.Fatalf("text %q for host %q", got, proxy.Last().Host)
	}
}

func TestUpstreamOverTLS(t *testing.T) {
	t.Parallel()
	for _, h2 := range []bool{false, true} {
		var version atomic.Int64
		gone := make(chan struct{}, 1)
		up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			version.Store(int64(r.ProtoMajor))
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			answer := gatewaytest.Text("Hel", "lo")
			for i, s := range answer.Steps {
				_, _ = w.Write(s.Send)
				w.(http.Flusher).Flush()
				if strings.Contains(string(body), "stall") && i == 1 {
					<-r.Context().Done()
					gone <- struct{}{}
					return
				}
			}
		}))
		up.EnableHTTP2 = h2
		up.Config.ErrorLog = log.New(io.Discard, "", 0)
		up.StartTLS()
		pool := x509.NewCertPool()
		pool.AddCert(up.Certificate())
		b := start(t, gateway.Config{RootCAs: pool}, gatewaytest.Text("x"))
		b.recommit(func(r *gateway.Route) { r.BaseURL = up.URL })
		if r := b.turn(); r.status != 200 || r.text(t) != "Hello" {
			t.Fatalf("%d %s", r.status, r.body)
		}
		if want := map[bool]int64{false: 1, true: 2}[h2]; version.Load() != want {
			t.Fatalf("HTTP/%d", version.Load())
		}
		ctx, cancel := context.WithCancel(context.Background())
		tr := &http.Transport{}
		resp, err := tr.RoundTrip(b.request(ctx, strings.Replace(turn, `"hi"`, `"stall"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		select {
		case <-gone:
		case <-time.After(5 * time.Second):
			t.Fatal("the upstream was not let go")
		}
		_ = resp.Body.Close()

		// A certificate that nobody vouches for gets no request, and so no credential.
		b = start(t, gateway.Config{}, gatewaytest.Text("x"))
		b.recommit(func(r *gateway.Route) { r.BaseURL = up.URL })
		version.Store(0)
		if r := b.turn(); r.status != 502 || r.code() != "upstream_unreachable" || version.Load() != 0 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		up.Close()
	}
}
