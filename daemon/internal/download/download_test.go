package download_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/extension/index"
	"github.com/greenroom-agents/greenroom/daemon/internal/download"
)

// C345: a redirection that leaves HTTPS is refused before the other address is asked, wherever in a row it stands.
func TestC345_RedirectionsStayWithHTTPS(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); w.Write([]byte("evil")) }))
	t.Cleanup(plain.Close)
	mux := http.NewServeMux()
	s := httptest.NewTLSServer(mux)
	t.Cleanup(s.Close)
	to := func(from, where string) { mux.Handle(from, http.RedirectHandler(where, http.StatusFound)) }
	mux.HandleFunc("/list", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("the list")) })
	mux.HandleFunc("/dir/versions.json", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("the list")) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, index.MaxVersions+1)) })
	to("/moved", "/list")
	to("/down", plain.URL)
	to("/moved-down", "/down")
	to("/file", "file:///etc/hosts")
	to("/round", "/round")
	for path, want := range map[string]error{
		"/list": nil, "/moved": nil, "/down": download.ErrDowngrade, "/moved-down": download.ErrDowngrade, "/file": download.ErrDowngrade,
		"/round": download.ErrTooFar, "/large": download.ErrTooLarge,
	} {
		i := download.Index{URL: s.URL + path, Transport: s.Client().Transport}
		data, err := i.Versions(t.Context())
		if !errors.Is(err, want) || want == nil && string(data) != "the list" || want != nil && data != nil {
			t.Errorf("%s: %q, %v", path, data, err)
		}
		var about *download.Error
		if want != nil && (!errors.As(err, &about) || about.Hosts[0] != "127.0.0.1" || about.Hint == "" || strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v", path, err)
		}
		data, err = i.Artifact(t.Context(), &index.Release{URL: s.URL + path, Size: 8})
		if !errors.Is(err, want) || want == nil && string(data) != "the list" {
			t.Errorf("zip file at %s: %q, %v", path, data, err)
		}
	}
	if data, err := (download.Index{URL: s.URL + "/dir/", Transport: s.Client().Transport}).Versions(t.Context()); err != nil || string(data) != "the list" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := (download.Index{URL: s.URL + "/none", Transport: s.Client().Transport}).Versions(t.Context()); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Error(err)
	}
	if _, err := (download.Index{URL: s.URL + "/list", Transport: s.Client().Transport}).Artifact(t.Context(), &index.Release{URL: s.URL + "/list", Size: 7}); !errors.Is(err, download.ErrTooLarge) {
		t.Error(err)
	}
	if _, err := (download.Index{URL: plain.URL, Transport: s.Client().Transport}).Versions(t.Context()); !errors.Is(err, download.ErrNotHTTPS) {
		t.Error(err)
	}
	if _, err := (download.Index{URL: s.URL + "/list"}).Versions(t.Context()); !errors.Is(err, download.ErrNoTransport) {
		t.Error(err)
	}
	if asked.Load() > 0 {
		t.Error("an address without HTTPS was asked")
	}
}

// Where a redirection leads is not told the address that led there, which may hold a secret of its own; and what goes wrong
// there is told of that host.
func TestRedirectionsTellNothing(t *testing.T) {
	t.Parallel()
	var told atomic.Value
	other := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told.Store(fmt.Sprint(r.Header))
		if r.URL.Path == "/gone" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(other.Close)
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusFound)
	}))
	t.Cleanup(s.Close)
	transport := s.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.ServerName = "example.com" // which the certificate of both is for
	t.Cleanup(transport.CloseIdleConnections)
	i := download.Index{URL: "https://user:canary-word@" + strings.TrimPrefix(s.URL, "https://") + "/list?token=canary-word", Transport: transport}
	if _, err := i.Versions(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := told.Load().(string); strings.Contains(got, "canary") || strings.Contains(got, "Referer") || strings.Contains(got, "Authorization") {
		t.Errorf("the other host is told %s", got)
	}
	i.URL = s.URL + "/gone?token=canary-word"
	_, err := i.Versions(t.Context())
	if err == nil || !strings.Contains(err.Error(), "from localhost, where 127.0.0.1 led") || strings.Contains(err.Error(), "canary") {
		t.Error(err)
	}
}

// A server that holds on is given up when nothing comes, at whatever point; one that is slow and goes on is waited for.
func TestWhatStandsStillIsGivenUp(t *testing.T) {
	t.Parallel()
	const patience = 2 * time.Second
	mux := http.NewServeMux()
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/begun", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("{"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, _ *http.Request) {
		for range 12 { // longer than the patience all in all
			w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			time.Sleep(patience / 8)
		}
	})
	s := httptest.NewTLSServer(mux)
	t.Cleanup(s.Close)
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and says nothing on them
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { deaf.Close() })
	for name, url := range map[string]string{"silent": s.URL + "/silent", "begun": s.URL + "/begun", "deaf": "https://" + deaf.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := download.Index{URL: url, Transport: s.Client().Transport, Patience: patience}.Versions(t.Context())
			if !errors.Is(err, download.ErrStalled) || !strings.Contains(err.Error(), "nothing came for 2s") {
				t.Error(err)
			}
		})
	}
	if data, err := (download.Index{URL: s.URL + "/slow", Transport: s.Client().Transport, Patience: patience}).Versions(t.Context()); err != nil || len(data) != 12 {
		t.Errorf("%q, %v", data, err)
	}
}

// What goes wrong is said in plain words, with the host and how to mend it.
func TestFailuresAreSaidPlainly(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/short":
			w.Header().Set("Content-Length", "10")
			w.Write([]byte("half"))
		case "/cut":
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/login":
			w.WriteHeader(http.StatusUnauthorized)
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/claims":
			w.Header().Set("Content-Length", fmt.Sprint(index.MaxVersions+1))
			w.(http.Flusher).Flush() // and nobody waits for the body
			<-r.Context().Done()
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	s.StartTLS()
	t.Cleanup(s.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	garbled, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { garbled.Close() })
	go func() {
		for c, err := garbled.Accept(); err == nil; c, err = garbled.Accept() {
			_, _ = bufio.NewReader(c).ReadByte()
			_, _ = io.WriteString(c, "SSH-2.0-none\r\n")
			c.Close()
		}
	}()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	good := s.Client().Transport
	stranger := download.Transport(nil, nil)
	named := good.(*http.Transport).Clone()
	named.TLSClientConfig.ServerName = "other.example"
	late := good.(*http.Transport).Clone()
	late.TLSClientConfig.Time = func() time.Time { return time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		url        string
		by         http.RoundTripper
		says, hint string
	}{
		"unknown authority": {s.URL, stranger, "authority that is not believed here", "SSL_CERT_FILE"},
		"another host":      {s.URL, named, "certificate is that of another host", "address"},
		"expired":           {s.URL, late, "past its time", "clock"},
		"no TLS":            {strings.Replace(plain.URL, "http:", "https:", 1), good, "does not speak HTTPS", "port"},
		"something else":    {"https://" + garbled.Addr().String(), good, "does not speak HTTPS", "port"},
		"nobody":            {"https://" + closed.Addr().String(), good, "nobody answers", "network"},
		"no name":           {"https://none.invalid/", good, "no host of that name", "network"},
		"no address":        {"https://", good, "no address", "versions.json"},
		"short":             {s.URL + "/short", good, "ended before it was whole", "again"},
		"cut":               {s.URL + "/cut", good, "ended before it was whole", "again"},
		"login":             {s.URL + "/login", good, "status 401", "publisher"},
		"busy":              {s.URL + "/busy", good, "status 503", "again"},
		"claims too much":   {s.URL + "/claims", good, "larger than what may come", "publisher"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := download.Index{URL: c.url, Transport: c.by}.Versions(t.Context())
			var e *download.Error
			if data != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), "fetch the list of releases") || !strings.Contains(err.Error(), c.says) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%q, %v, hint %q", data, err, e.Hint)
			}
		})
	}
}
