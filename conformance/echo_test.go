package conformance_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// An endpoint that refuses a request and repeats its key in the reason, a header and the body: the key is in no error of
// ours, no log, no record and no answer. What the client prints and notes of it is in its own files, which go with the
// session.
func TestH38_AnEndpointThatRepeatsTheKey(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		var asked atomic.Int64
		echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(credentialsIn(r), planKey) {
				w.WriteHeader(http.StatusNotFound) // it asks for something else first
				return
			}
			asked.Add(1)
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			body := `{"error":{"message":"no such key: ` + planKey + `","type":"invalid_request_error"}}`
			fmt.Fprintf(conn, "HTTP/1.1 401 Bearer %s is unknown\r\nX-Key: %s\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
				planKey, planKey, len(body), body)
		}))
		t.Cleanup(echo.Close)
		s := newStage(t, c)
		g := s.open()
		session := g.onPlan("echo")
		session.Endpoint.BaseURL = strings.Replace(session.Endpoint.BaseURL, s.up.URL(), echo.URL, 1)
		p := g.prepare(session)
		conn := g.launch(p, allowOnce)
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		said, end := g.converse(conn, "hello")
		if asked.Load() == 0 || end.Err == nil {
			t.Errorf("the endpoint was asked %d times, and the turn ended with %+v, having said %q", asked.Load(), end, said)
		}
		again := g.prepare(session)
		ours := map[string]string{"the error": fmt.Sprintf("%v %+v", end.Err, end), "the event": encode(t, end), "the answer": encode(t, again),
			"the log": g.log.String(), "what is printed of it": fmt.Sprintf("%v %+v", again, again.Models)}
		for _, dir := range []string{"m", "w", "h", "store"} {
			for name, entry := range s.take(g.state) {
				if entry.Mode.IsRegular() && strings.HasPrefix(name, dir+"/") {
					data, err := os.ReadFile(filepath.Join(g.state, name))
					if err != nil {
						t.Fatal(err)
					}
					ours[name] = string(data)
				}
			}
		}
		for what, text := range ours {
			if strings.Contains(text, planKey) {
				t.Errorf("the key is in %s", what)
			}
		}
	})
}

func credentialsIn(r *http.Request) string {
	return r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + r.Header.Get("Api-Key")
}
