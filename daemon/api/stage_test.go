package api_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/extension/composer"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	token  = "a token that is long enough"
	canary = "sk-canary-5c2e8d7f1a"
)

type stage struct {
	*testing.T
	access *access.Access
	server *httptest.Server
	doc    *document
	listed api.Catalogue // of clients
	said   bytes.Buffer  // every answer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{T: t, doc: readDocument(t)}
	events := api.NewEvents()
	var err error
	s.access, err = access.Open(t.Context(), access.Config{Dir: t.TempDir(), Now: time.Now, Random: rand.Reader, Changed: events.Changed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.access.Close() })
	s.listed = func(context.Context) ([]api.Provider, error) {
		return []api.Provider{
			{ID: "one", Model: preparer.Model{Protocol: preparer.OpenAI, Addressing: preparer.ProviderPrefixed}}, {ID: "none"},
			{ID: "acp:acme", Composer: profile(t)}, {ID: "acp:bound", Model: preparer.Model{Protocol: preparer.OpenAI}, Composer: profile(t)},
		}, nil
	}
	// The clock runs fast, so that the limit of requests is none here.
	begun, ticks := time.Now(), 0
	s.server = httptest.NewServer(api.New(api.Config{
		Access: s.access, Token: token, Events: events, Now: func() time.Time { ticks++; return begun.Add(time.Duration(ticks) * time.Second) },
		Providers: func(ctx context.Context) ([]api.Provider, error) { return s.listed(ctx) },
	}))
	t.Cleanup(s.server.Close)
	return s
}

// profile is what an extension says, all that there is.
func profile(t *testing.T) *composer.Profile {
	t.Helper()
	data, err := os.ReadFile("testdata/composer.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := composer.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answer is what a request was answered with.
type answer struct {
	status int
	etag   string
	body   map[string]any
}

func (a answer) code() string { c, _ := a.body["code"].(string); return c }

// do sends a request, and holds the answer against the document.
func (s *stage) do(method, path string, body any, ifMatch string) answer {
	s.Helper()
	var data io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		data = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			s.Fatal(err)
		}
		data = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(s.Context(), method, s.server.URL+path, data)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if ifMatch != "" {
		r.Header.Set("If-Match", ifMatch)
	}
	return s.send(r)
}

func (s *stage) send(r *http.Request) answer {
	s.Helper()
	resp, err := s.server.Client().Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	s.said.Write(text)
	a := answer{status: resp.StatusCode, etag: resp.Header.Get("ETag")}
	if kind := resp.Header.Get("Content-Type"); strings.Contains(kind, "json") {
		if err := json.Unmarshal(text, &a.body); err != nil {
			s.Errorf("%s %s: %v in %s", r.Method, r.URL.Path, err, text)
		}
	}
	s.doc.holds(s.T, r, resp, a.body)
	return a
}

func (s *stage) plan(name string) (id, etag string) {
	s.Helper()
	a := s.do("POST", "/v1/workspaces/w/model-plans", map[string]any{
		"name": name, "protocol": "openai", "baseUrl": "http://127.0.0.1:1", "apiKey": canary, "enabled": true, "models": []any{map[string]any{"id": "m-a"}, map[string]any{"id": "m-b"}},
	}, "")
	if a.status != 200 {
		s.Fatalf("%+v", a)
	}
	return a.body["id"].(string), a.etag
}
