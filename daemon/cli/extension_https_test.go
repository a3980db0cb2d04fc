package cli_test

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/core/extension/index"
)

// site serves a mirror over HTTPS, but for what a test has it serve otherwise.
type site struct {
	*mirror
	server *httptest.Server
	mu     sync.Mutex
	other  map[string]http.HandlerFunc // by the end of a path
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{mirror: newMirror(t)}
	files := http.FileServer(http.Dir(filepath.Join(s.project, "mirror")))
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle := files.ServeHTTP
		s.mu.Lock()
		for end, other := range s.other {
			if strings.HasSuffix(r.URL.Path, end) {
				handle = other
			}
		}
		s.mu.Unlock()
		handle(w, r)
	}))
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are meant to fail
	s.server.StartTLS()
	t.Cleanup(s.server.Close)
	s.at = s.server.URL
	return s
}

func (s *site) instead(other map[string]http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other = other
}

// believed has the tool believe the certificate of the server, as a person does it.
func (s *site) believed() {
	s.t.Helper()
	file := filepath.Join(s.home, "authority.pem")
	s.write(file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw})), 0o600)
	s.environ = append(s.environ, "SSL_CERT_FILE="+file)
}

// From an address to a prepared session, by a server that has to show who it is.
func TestC345_ExtensionsAreInstalledOverHTTPS(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.publish("1.0.0", "0.0.0", "active")
	s.publish("1.1.0", "9.0.0", "active")
	s.publish("1.2.0", "0.0.0", "withdrawn")
	list := s.server.URL + "/versions.json"
	s.refused("fetch_failed", []string{"fetch the list of releases from 127.0.0.1", "authority that is not believed here", "SSL_CERT_FILE"}, "extension", "install", "acme", "--index", list)
	s.believed()
	got := s.must("extension", "install", "acme", "--index", list)
	for _, want := range []string{"installed acme 1.0.0", "signed by acme-v1", "left out 1.2.0: its publisher withdrew it", "left out 1.1.0: it is for version 9.0.0"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
	if runtime.GOOS != "windows" { // the agent of this test is a shell script
		s.write(filepath.Join(s.bin, "acme"), "#!/bin/sh\nexit 0\n", 0o755)
		s.must("prepare", "acp:acme", "--session", "one")
		if home, err := filepath.Glob(filepath.Join(s.state, "s", "one-*", "acme-home")); err != nil || len(home) != 1 {
			t.Errorf("%v, %v", home, err)
		}
		s.must("cleanup", "one")
	}
	// The directory of a list is as good as the list, and a publisher may move it to another place over HTTPS.
	s.instead(map[string]http.HandlerFunc{"/old": http.RedirectHandler("/versions.json", http.StatusFound).ServeHTTP})
	if got := s.must("extension", "install", "acme", "--index", s.server.URL+"/old", "--host-version", "9.1.0"); !strings.Contains(got, "acme 1.1.0") {
		t.Error(got)
	}
	if got := s.must("extension", "install", "acme", "--index", s.server.URL+"/", "--version", "1.0.0", "--allow-downgrade"); !strings.Contains(got, "acme 1.0.0") {
		t.Error(got)
	}
	// What is installed needs no network.
	s.server.Close()
	s.must("explain", "acp:acme")
}

// What goes wrong on the way is said with what was to be fetched, from where, and how to mend it; what is installed stays.
func TestC345_WhatGoesWrongOverHTTPS(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.believed()
	s.publish("1.0.0", "0.0.0", "active")
	list := s.server.URL + "/versions.json"
	s.must("extension", "install", "acme", "--index", list)
	s.publish("1.1.0", "0.0.0", "active")
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an address without HTTPS was asked") }))
	t.Cleanup(plain.Close)
	zip, err := os.ReadFile(filepath.Join(s.project, "mirror", "1.1.0", "acme-1.1.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	gives := func(data []byte, claims string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if claims != "" {
				w.Header().Set("Content-Length", claims)
			}
			_, _ = w.Write(data)
		}
	}
	altered := append([]byte(nil), zip...)
	altered[len(altered)/2] ^= 1
	const theList, theZip, anyZip = "/versions.json", "fetch acme 1.1.0 from ", ".zip"
	stands := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		end    string
		serves http.HandlerFunc
		code   string
		says   []string
	}{
		"no list":          {theList, http.NotFound, "fetch_failed", []string{"status 404", "versions.json"}},
		"no zip file":      {anyZip, http.NotFound, "fetch_failed", []string{theZip, "status 404"}},
		"without HTTPS":    {theList, http.RedirectHandler(plain.URL, http.StatusFound).ServeHTTP, "fetch_failed", []string{"does not begin with https://", "ask the publisher"}},
		"zip, no HTTPS":    {anyZip, http.RedirectHandler(plain.URL, http.StatusFound).ServeHTTP, "fetch_failed", []string{theZip, "does not begin with https://"}},
		"another host":     {anyZip, http.RedirectHandler(strings.Replace(list, "127.0.0.1", "localhost", 1), http.StatusFound).ServeHTTP, "fetch_failed", []string{theZip, "localhost, where 127.0.0.1 led", "certificate is that of another host"}},
		"truncated list":   {theList, gives([]byte(`{"schemaVersion"`), "4000"), "fetch_failed", []string{"ended before it was whole", "try again"}},
		"truncated zip":    {anyZip, gives(zip[:len(zip)/2], strconv.Itoa(len(zip))), "fetch_failed", []string{theZip, "ended before it was whole"}},
		"shorter zip":      {anyZip, gives(zip[:len(zip)/2], ""), "release_tampered", []string{"bytes, signed are", "fetch the release again"}},
		"altered zip":      {anyZip, gives(altered, ""), "release_tampered", []string{"its SHA-256 is", "fetch the release again"}},
		"large list":       {theList, gives(make([]byte, index.MaxVersions+1), ""), "fetch_failed", []string{"larger than what may come"}},
		"large zip":        {anyZip, gives(append(zip, 0), ""), "fetch_failed", []string{theZip, "larger than what may come"}},
		"stalled list":     {theList, stands, "fetch_failed", []string{"nothing came for 2s", "--patience"}},
		"stalled zip":      {anyZip, stands, "fetch_failed", []string{theZip, "nothing came for 2s"}},
		"no list but HTML": {theList, gives([]byte("<html>"), ""), "package_refused", []string{"release index", "not valid JSON", "is the list of the publisher"}},
	} {
		s.instead(map[string]http.HandlerFunc{c.end: c.serves})
		a := s.run("extension", "install", "acme", "--index", list, "--patience", "2s")
		if a.status != 3 || !strings.Contains(a.errors, "["+c.code+"]") {
			t.Errorf("%s: status %d\n%s", name, a.status, a.errors)
		}
		for _, part := range c.says {
			if !strings.Contains(a.errors, part) {
				t.Errorf("%s: it does not say %q:\n%s", name, part, a.errors)
			}
		}
		var there []struct{ Active struct{ Version string } }
		if err := json.Unmarshal([]byte(s.must("extension", "list", "--json")), &there); err != nil || len(there) != 1 || there[0].Active.Version != "1.0.0" {
			t.Errorf("%s: installed is %+v, %v", name, there, err)
		}
	}
	// Another list may stand in where the first cannot be had, and none for one that can.
	s.instead(map[string]http.HandlerFunc{theList: http.NotFound})
	s.refused("release_not_found", []string{"none of 2 can be read", "status 404", "no versions.json"}, "extension", "install", "acme", "--index", list, "--index", "nowhere")
	if got := s.must("extension", "install", "acme", "--index", list, "--index", "mirror"); !strings.Contains(got, "acme 1.1.0") {
		t.Error(got)
	}
	for _, args := range [][]string{{"acme", "--index", list, "--patience", "0s"}, {"acme.zip", "--patience", "1s"}, {"acme", "--index", "http://127.0.0.1"}, {"acme", "--index", "ftp://127.0.0.1"}} {
		if a := s.run(append([]string{"extension", "install"}, args...)...); a.status != 2 {
			t.Errorf("%v: status %d\n%s", args, a.status, a.errors)
		}
	}
	s.write(filepath.Join(s.home, "authority.pem"), "no certificate", 0o600)
	s.refused("file_unreadable", []string{"SSL_CERT_FILE", "holds no certificate", "in PEM"}, "extension", "install", "acme", "--index", list)
	s.environ = append(s.environ, "SSL_CERT_FILE="+filepath.Join(s.home, "none.pem"))
	s.refused("file_unreadable", []string{"SSL_CERT_FILE"}, "extension", "install", "acme", "--index", list)
}
