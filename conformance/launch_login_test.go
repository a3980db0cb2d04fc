package conformance_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// answering is an endpoint whose answer is an error, with a status that can be changed.
func answering(t *testing.T) (base string, status *atomic.Int64) {
	status = new(atomic.Int64)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte(`{"type":"error","error":{"type":"some_error","message":"not for you"}}`))
	}))
	t.Cleanup(up.Close)
	return up.URL, status
}

// otherFault is the status of an endpoint that fails for another reason: 500, unless the client then tries again for minutes.
func (c client) otherFault() int64 {
	if c.name == opencode.name || c.name == kimi.name {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// neither is that a turn ends in another way than by a credential or a login.
const neither core.Code = ""

// told runs a turn for each of some statuses of an endpoint, and wants each to end with an error of a code.
func (g *greenroom) told(conn *launch.Conn, status *atomic.Int64, codes map[int64]core.Code) {
	g.Helper()
	for _, s := range slices.Sorted(maps.Keys(codes)) {
		status.Store(s)
		_, last := g.converse(conn, "hello")
		got := core.CodeOf(last.Err)
		if got != launch.ErrCredential && got != launch.ErrLogin {
			got = neither
		}
		if got != codes[s] || last.Err != nil && strings.Contains(last.Err.Error(), "sk-plan-51c2-secret") {
			g.Errorf("status %d: the turn ended with %+v: %v, want %s", s, last, last.Err, codes[s])
		}
	}
}

// endpoint is a model endpoint with a key.
func (c client) endpoint(protocol preparer.Protocol, base string) modelendpoint.Endpoint {
	if c.name != claude.name {
		base += "/v1"
	}
	return modelendpoint.Endpoint{Name: "Plan 51c2", Protocol: protocol, BaseURL: base,
		Key: modelendpoint.NewKey("sk-plan-51c2-secret"), Models: []modelendpoint.Model{{ID: "plan-large"}}}
}

// impatient keeps clients from trying again what an endpoint answers with 500.
func (s *stage) impatient() { s.environ = append(s.environ, "CLAUDE_CODE_MAX_RETRIES=0") }

// A credential that the session's endpoint refuses is said to be that, and no login of the user's; another failure is
// neither. OpenCode does not say it, so the person is told where they can find out.
func TestLaunch_RefusedCredential(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		base, status := answering(t)
		g := driven(t, c)
		g.impatient()
		session := g.session("refused", core.Automation)
		e := c.endpoint(c.descriptor().Model.Wire(), base)
		session.Endpoint = &e
		conn := g.launch(g.prepare(session), nil)
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.name != opencode.name {
			g.told(conn, status, map[int64]core.Code{401: launch.ErrCredential, 403: launch.ErrCredential, c.otherFault(): neither})
			return
		}
		status.Store(401)
		_, last := g.converse(conn, "hello")
		if fault, ok := errors.AsType[*core.Error](last.Err); !ok || fault.Code != launch.ErrFault || !strings.Contains(fault.Error(), "not for you") ||
			!strings.Contains(fault.Hint, "a gateway before it") {
			t.Errorf("the turn ended with %+v: %v", last, last.Err)
		}
	})
}

// Where a gateway stands before the endpoint, it is seen there that the credential is refused, whatever the client says.
func TestLaunch_RefusedCredentialBehindAGateway(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		base, status := answering(t)
		g := driven(t, c)
		g.impatient()
		model := c.descriptor().Model
		server, err := gateway.Listen(gateway.Config{PassthroughAddress: "127.0.0.1:0"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close(context.Background()) })
		session := g.session("refused", core.Automation)
		e := c.endpoint(model.Protocol, base)
		route := gateway.Route{Workspace: session.Workspace, Session: session.ID, BaseURL: e.BaseURL, APIKey: e.Key.Reveal()}
		switch {
		case model.Wire() == preparer.Responses:
			route.StatusMode = gateway.StatusAgent
		case model.Protocol == preparer.Anthropic:
			route.Kind = gateway.KindMessagesPassthrough
		default:
			route.Kind = gateway.KindChatPassthrough
		}
		handle, err := server.Register(route)
		if err == nil {
			err = handle.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
		through := e.Through(modelendpoint.Route{Protocol: model.Wire(), BaseURL: handle.BaseURL(), Token: modelendpoint.NewKey(handle.Token())})
		session.Endpoint = &through
		conn, err := launch.Open(t.Context(), g.prepare(session), launch.Options{Host: g.host, Environ: g.environ, Refused: handle.Refused})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.told(conn, status, map[int64]core.Code{401: launch.ErrCredential, 403: launch.ErrCredential, c.otherFault(): neither})
	})
}

// asksInstead has the user's own set-up ask another server than the scripted one.
func (g *greenroom) asksInstead(base string) {
	g.Helper()
	for _, file := range []string{".codex/config.toml", ".kimi-code/config.toml", ".config/opencode/opencode.json"} {
		if text, err := os.ReadFile(g.inHome(file)); err == nil {
			rig.Write(g, g.inHome(file), strings.ReplaceAll(string(text), g.up.URL(), base))
		}
	}
	for i, kv := range g.environ {
		g.environ[i] = strings.ReplaceAll(kv, g.up.URL(), base)
	}
}

// Without an endpoint the same answers mean the user's own login, as far as the client says so.
func TestLaunch_RefusedLogin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		base, status := answering(t)
		g := driven(t, c)
		g.impatient()
		g.asksInstead(base)
		conn := g.launch(g.prepare(g.session("refused", core.Desktop)), nil)
		if _, err := conn.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := launch.ErrLogin
		if c.name == opencode.name {
			want = neither // it does not say it
		}
		g.told(conn, status, map[int64]core.Code{401: want, c.otherFault(): neither})
	})
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
