package upstream_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/internal/upstream"
)

func start(t *testing.T) *upstream.Upstream {
	t.Helper()
	u, err := upstream.Start(t.Context(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	})
	return u
}

// newClient is a client with connections of its own.
func newClient(t *testing.T) *http.Client {
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func TestTurnIsAStreamOfTypedEvents(t *testing.T) {
	t.Parallel()
	for path, last := range map[string]string{"/v1/responses": "response.completed", "/v1/messages?beta=true": "message_stop"} {
		u := start(t)
		resp, err := newClient(t).Post(u.URL()+path, "application/json", strings.NewReader(`{"ask":1}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatal(err, resp.Header)
		}
		var seen []string
		for block := range strings.SplitSeq(strings.TrimSpace(string(body)), "\n\n") {
			name, data, ok := strings.Cut(block, "\ndata: ")
			var e struct{ Type string }
			if err := json.Unmarshal([]byte(data), &e); err != nil || !ok || name != "event: "+e.Type {
				t.Errorf("%s: bad event %q: %v", path, block, err)
			}
			seen = append(seen, e.Type)
		}
		if got := seen[len(seen)-1]; got != last {
			t.Errorf("%s ends with %s", path, got)
		}
		if !strings.Contains(string(body), "hello") {
			t.Errorf("%s: no reply in %s", path, body)
		}
		if diff := cmp.Diff([]string{`{"ask":1}`}, u.Turns()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestOtherRequestsAreNoTurns(t *testing.T) {
	t.Parallel()
	u := start(t)
	for method, want := range map[string]int{http.MethodHead: 200, http.MethodGet: 404} {
		req, err := http.NewRequestWithContext(t.Context(), method, u.URL()+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := newClient(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d", method, resp.StatusCode)
		}
	}
	if len(u.Turns()) != 0 {
		t.Errorf("turns: %q", u.Turns())
	}
}

// A turn of Chat Completions has no names of events, and ends with a word. A request without tools asks for a title.
func TestTurnOfChatCompletions(t *testing.T) {
	t.Parallel()
	u := start(t)
	for _, ask := range []string{`{"messages":[]}`, `{"tools":[{"type":"function"}]}`} {
		resp, err := newClient(t).Post(u.URL()+"/v1/chat/completions", "application/json", strings.NewReader(ask))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if text := string(body); err != nil || strings.Contains(text, "event:") || !strings.Contains(text, "hello") || !strings.HasSuffix(text, "data: [DONE]\n\n") {
			t.Errorf("got %q, %v", text, err)
		}
	}
	if diff := cmp.Diff([]string{`{"tools":[{"type":"function"}]}`}, u.Turns()); diff != "" {
		t.Error(diff)
	}
}
