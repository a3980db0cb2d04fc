package detect

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// world is every host there is: a server with a certificate for each of the names, which the dialer takes for all of them.
type world struct {
	*httptest.Server
	roots *x509.CertPool
	mu    sync.Mutex
	seen  []*http.Request
}

func newWorld(t *testing.T, hosts ...string) *world {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: hosts, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{roots: x509.NewCertPool()}
	if parsed, err := x509.ParseCertificate(der); err == nil {
		w.roots.AddCert(parsed)
	}
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = append(w.seen, r)
		switch {
		case r.Method == http.MethodGet:
			http.Error(rw, "{}", http.StatusNotFound)
		case strings.HasSuffix(r.URL.Path, "/messages"):
			_, _ = io.WriteString(rw, `{"content":[]}`)
		default:
			_, _ = io.WriteString(rw, `{"choices":[]}`)
		}
	}))
	w.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	w.StartTLS()
	t.Cleanup(w.Close)
	return w
}

// The rows of the table of base URLs: what a check asks is what a session would.
func TestH30_H34_AChecksRequestsAreThoseOfASession(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../plan/testdata/plan-endpoint-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Protocol, Base, Error, Header string
		Messages                          string `json:"messages_url"`
		Chat                              string `json:"chat_url"`
		Catalog                           string `json:"models_candidates_first"`
	}
	if err := json.Unmarshal(data, &rows); err != nil || len(rows) < 12 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	w := newWorld(t, "api.anthropic.com", "api.kimi.com", "relay.example", "api.anthropic.com.relay.example")
	for _, r := range rows {
		if r.Error != "" {
			continue // no such plan is stored; TestH34_BaseURLs
		}
		d := New(Config{RootCAs: w.roots, Now: time.Now, Random: rand.Reader})
		d.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, w.Listener.Addr().String())
		}
		w.seen = nil
		spec := plan.Spec{Name: "p", Protocol: preparer.Protocol(r.Protocol), BaseURL: r.Base, Models: []plan.Model{{ID: "m-a"}}}
		c := &check{Detector: d, t: Target{Spec: spec}, key: modelendpoint.NewKey("sk-row-key-123"), base: spec.Base(), auth: modelendpoint.AuthFor(spec.Protocol, spec.Base())}
		if !c.network(t.Context()) || !c.catalog(t.Context()) {
			t.Errorf("%s: %+v", r.ID, c.found.Stages)
			continue
		}
		c.inference(t.Context())
		if got := c.outcome(plan.Inference); got != plan.Passed {
			t.Errorf("%s: %+v", r.ID, c.found.Stages)
		}
		last := w.seen[len(w.seen)-1]
		header := "Authorization"
		if r.Header == "x-api-key" {
			header = "X-Api-Key"
		}
		for _, name := range []string{"Authorization", "X-Api-Key"} {
			if has := last.Header.Get(name) != ""; has != (name == header) {
				t.Errorf("%s: header %s sent: %v", r.ID, name, has)
			}
		}
		if got, want := "https://"+last.Host+last.URL.Path, firstOf(r.Messages, r.Chat); !strings.EqualFold(got, want) {
			t.Errorf("%s: asked %s, want %s", r.ID, got, want)
		}
		first := "https://" + w.seen[0].Host + w.seen[0].URL.Path
		if r.Catalog != "" && first != r.Catalog {
			t.Errorf("%s: the list is looked for at %s, want %s", r.ID, first, r.Catalog)
		}
		if h := w.seen[0].Header; h.Get("Authorization")+h.Get("X-Api-Key") != "" {
			t.Errorf("%s: the first request has the key", r.ID)
		}
		d.Close()
	}
}

func TestTheCertificateOfAnotherHostIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "one.example")
	d := New(Config{RootCAs: w.roots, Now: time.Now, Random: rand.Reader})
	defer d.Close()
	d.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, w.Listener.Addr().String())
	}
	f, err := d.Check(t.Context(), Target{Spec: plan.Spec{Protocol: preparer.OpenAI, BaseURL: "https://two.example"}, Key: modelendpoint.NewKey("sk-row-key-123")}, Progress{})
	if err != nil || f.Stages[0].Reason != plan.TLSError {
		t.Errorf("%+v, %v", f.Stages, err)
	}
	if i := slices.IndexFunc(f.Stages, func(r plan.Result) bool { return r.Status != plan.Skipped }); i != 0 || len(f.Stages) != 4 {
		t.Errorf("%+v", f.Stages)
	}
}
