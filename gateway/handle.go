package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/redact"
)

var (
	// ErrClosed is given when the server is closed.
	ErrClosed = errors.New("gateway: the server is closed")
	// ErrStale is given by Commit when the handle was discarded or revoked, or a later one was committed.
	ErrStale = errors.New("gateway: the handle is stale")
)

// Handle is a registered route. Prepare the session with its token, then Commit it, or Discard it if that failed. The
// route before it stays good until then.
type Handle struct {
	server *Server
	route  *route
	token  string
}

// Register checks a route and prepares it. The token of the handle is refused until Commit.
func (s *Server) Register(r Route) (*Handle, error) {
	if s.passthrough == nil && r.Kind != KindResponses {
		return nil, routeError("Kind", "needs a passthrough listener")
	}
	endpoint, err := r.check()
	if err != nil {
		return nil, err
	}
	if r.Dialect == nil {
		d := dialect.ForURL(endpoint)
		r.Dialect = &d
	}
	token, err := newToken(s.cfg.Random)
	if err != nil {
		return nil, err
	}
	seal := make([]byte, tokenBytes)
	if _, err := io.ReadFull(s.cfg.Random, seal); err != nil {
		return nil, errors.New("gateway: no randomness for a key")
	}
	hosts := []string{endpoint.Host, endpoint.Hostname()}
	if isLoopback(endpoint) {
		// The address of a server on this machine is nothing to hide, and "127.0.0.1" is in many a message.
		hosts = nil
	}
	ctx, stop := context.WithCancelCause(context.Background())
	rt := &route{
		Route: r, key: key{r.Workspace, r.Session}, digest: digestOf(token), endpoint: endpoint, sealKey: seal,
		secrets: redact.New(secretsOf(r, endpoint), hosts), ctx: ctx, stop: stop,
	}
	if err := s.routes.add(rt); err != nil {
		stop(err)
		return nil, err
	}
	h := &Handle{server: s, route: rt, token: token}
	s.tell(Event{Kind: EventRegistered}, rt)
	return h, nil
}

// secretsOf gives the credential and what else may be one, by its name: static headers and parts of a query that is kept.
func secretsOf(r Route, endpoint *url.URL) []string {
	all := []string{r.APIKey}
	add := func(name, value string) {
		name = strings.ToLower(name)
		for _, word := range []string{"key", "token", "secret", "auth", "signature"} {
			if strings.Contains(name, word) {
				all = append(all, value)
				return
			}
		}
	}
	for name, v := range r.Headers {
		add(name, v)
	}
	for name, values := range endpoint.Query() {
		for _, v := range values {
			add(name, v)
		}
	}
	return all
}

// Token is what the client sends as bearer token. It is the only place where the token can be had.
func (h *Handle) Token() string { return h.token }

// Refused is 0, unless the upstream has refused the credential of the route when it answered last: then it is the number of
// that refusal, which no other one has. It is known before the client is answered.
func (h *Handle) Refused() uint64 { return h.route.refusal.Load() }

// Generation counts registrations: the route with the higher one is the newer.
func (h *Handle) Generation() uint64 { return h.route.generation }

// BaseURL is what the client is configured with: for the messages protocol without the version, which its clients add.
func (h *Handle) BaseURL() string {
	switch h.route.Kind {
	case KindMessagesPassthrough:
		return strings.TrimSuffix(h.server.passthrough.base, "/v1")
	case KindChatPassthrough:
		return h.server.passthrough.base
	}
	return h.server.responses.base
}

// Commit makes the token good and the one it replaces dead, at once. Requests that run on the old route go on. It may
// be repeated.
func (h *Handle) Commit() error {
	if err := h.server.routes.commit(h.route); err != nil {
		return err
	}
	h.server.tell(Event{Kind: EventCommitted}, h.route)
	return nil
}

// Discard gives the route up before Commit; afterwards it does nothing. The route before stays as it is.
func (h *Handle) Discard() {
	if h.server.routes.discard(h.route) {
		h.server.tell(Event{Kind: EventDiscarded}, h.route)
	}
}

// Revoke ends this route and the requests that run on it, and leaves other generations alone.
func (h *Handle) Revoke() {
	if h.server.routes.end(h.route) {
		h.server.tell(Event{Kind: EventRevoked}, h.route)
	}
}

// Revoke ends the routes of a session, of every generation and whether committed or not, and the requests that run on
// them. It reports whether there were any.
func (s *Server) Revoke(workspace, session string) bool {
	k := key{strings.TrimSpace(workspace), strings.TrimSpace(session)}
	generation, ok := s.routes.revoke(k)
	if ok {
		s.observe(Event{Kind: EventRevoked, Workspace: k.workspace, Session: k.session, Generation: generation})
	}
	return ok
}

// String names the handle without its token.
func (h *Handle) String() string {
	return h.route.Route.String() + " generation " + strconv.FormatUint(h.route.generation, 10)
}

// GoString is the same as String.
func (h *Handle) GoString() string { return h.String() }

// LogValue is the same as String.
func (h *Handle) LogValue() slog.Value { return slog.StringValue(h.String()) }
