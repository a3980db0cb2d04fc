package download_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

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
		if want != nil && (!errors.As(err, &about) || about.Host != "127.0.0.1" || strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v", path, err)
		}
		data, err = i.Artifact(t.Context(), &index.Release{URL: s.URL + path, Size: 8})
		if !errors.Is(err, want) || want == nil && string(data) != "the list" {
			t.Errorf("zip file at %s: %q, %v", path, data, err)
		}
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
