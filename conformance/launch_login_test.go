package conformance_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
)

// A credential that the session's endpoint refuses is said to be that, and no login of the user's.
func TestLaunch_RefusedCredential(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, c client) {
		refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"type":"error","error":{"type":"authentication_error","message":"no such key"}}`))
		}))
		t.Cleanup(refuses.Close)
		g := driven(t, c)
		session := g.session("refused", core.Automation)
		base := refuses.URL
		if c.name != claude.name {
			base += "/v1"
		}
		session.Endpoint = &modelendpoint.Endpoint{
			Name: "Plan 51c2", Protocol: c.descriptor().Model.Wire(), BaseURL: base, Key: modelendpoint.NewKey("sk-plan-51c2-secret"),
			Models: []modelendpoint.Model{{ID: "plan-large"}},
		}
		conn := g.launch(g.prepare(session), nil)
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, last := g.converse(conn, "hello")
		if !errors.Is(last.Err, launch.ErrCredential) || strings.Contains(last.Err.Error(), "sk-plan-51c2-secret") {
			t.Errorf("the turn ended with %+v: %v", last, last.Err)
		}
	}
	// OpenCode passes on the endpoint's words, and not that it refused.
	for _, c := range []client{codex, claude, kimi} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refused(t, c)
		})
	}
}

// Where nobody is logged in, a person is told to.
func TestLaunch_NobodyIsLoggedIn(t *testing.T) {
	t.Parallel()
	for _, c := range []client{claude, kimi} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c)
			s.environ = slices.DeleteFunc(s.environ, func(v string) bool {
				return strings.HasPrefix(v, "ANTHROPIC_") || strings.HasPrefix(v, "LAB_KEY=")
			})
			g := s.open()
			conn := g.launch(g.prepare(g.session("nobody", core.Automation)), nil)
			_, err := conn.NewSession(t.Context())
			if err == nil {
				_, last := g.converse(conn, "hello")
				err = last.Err
			}
			if !errors.Is(err, launch.ErrLogin) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
