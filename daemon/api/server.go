package api

import (
	"context"
	_ "embed"
	"net/http"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/extension/composer"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/api/wire"
	"github.com/greenroom-agents/greenroom/daemon/internal/door"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Document is the description of the interface, in OpenAPI 3.1.
//
//go:embed openapi.yaml
var Document []byte

const (
	maxBody = 4 << 20
	// burst is how many requests may come at once, perSecond how many go on coming.
	burst, perSecond = 200, 50
)

// Provider is a client that agents can be.
type Provider struct {
	ID string
	// Model is what the client's adapter, or its extension, says of model endpoints.
	Model preparer.Model
	// Composer is what an extension lets a person choose of the client that it describes, nil where none says anything.
	Composer *composer.Profile
}

// Catalogue lists the clients that there are adapters for, and those that extensions describe.
type Catalogue func(context.Context) ([]Provider, error)

// Harness is a client that agents can be. One that is not in the catalogue is not available.
func (c Catalogue) Harness(ctx context.Context, id string) (agent.Harness, error) {
	_, h, err := c.find(ctx, id)
	return h, err
}

func (c Catalogue) find(ctx context.Context, id string) (found Provider, h agent.Harness, err error) {
	all, err := c(ctx)
	h = agent.Harness{ID: id, Enabled: true}
	for _, p := range all {
		if p.ID == id {
			found, h.Name, h.Available, h.Model = p, p.ID, true, p.Model
		}
	}
	return found, h, err
}

// Config says what is served. All fields are required.
type Config struct {
	Access    *access.Access
	Providers Catalogue
	// Token is what requests have to bring as bearer token, at least 16 bytes.
	Token  string
	Events *Events
	Now    func() time.Time
}

type server struct {
	Config
	token door.Digest
	limit *door.Limiter
}

// New makes the handler.
func New(c Config) http.Handler {
	s := &server{Config: c, token: door.DigestOf(c.Token), limit: door.NewLimiter(c.Now, burst, perSecond)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/openapi.yaml", s.document)
	wire.HandlerWithOptions(operations{s}, wire.StdHTTPServerOptions{BaseRouter: mux, ErrorHandlerFunc: misdirected})
	return s.guard(mux)
}

// guard lets in who may come in, and makes of what the mux refuses a problem.
func (s *server) guard(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, fromPage := r.Header["Origin"]
		switch {
		case fromPage || !door.Local(r.Host):
			writeProblem(w, refused(http.StatusForbidden, "forbidden", "the request does not come from a local client"))
			return
		case !s.knows(r) && !trusted(r.Context()):
			w.Header().Set("WWW-Authenticate", "Bearer")
			writeProblem(w, refused(http.StatusUnauthorized, "unauthorized", "the token is missing or not the one"))
			return
		case !s.limit.Take():
			w.Header().Set("Retry-After", "1")
			writeProblem(w, refused(http.StatusTooManyRequests, "too_many_requests", "there are too many requests at once"))
			return
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			status := http.StatusNotFound
			code, detail := "not_found", "there is nothing here"
			probe := &probed{header: http.Header{}}
			mux.ServeHTTP(probe, r)
			if probe.status == http.StatusMethodNotAllowed {
				status, code, detail = probe.status, "method_not_allowed", "the method is not one of this resource"
				w.Header().Set("Allow", probe.header.Get("Allow"))
			}
			writeProblem(w, refused(status, code, detail))
			return
		}
		if !plan.IsID(r.URL.Path) {
			writeProblem(w, refused(http.StatusNotFound, "not_found", "no id has control characters, or is no UTF-8"))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		mux.ServeHTTP(w, r)
	})
}

// probed hears what a mux would answer.
type probed struct {
	header http.Header
	status int
}

func (p *probed) Header() http.Header         { return p.header }
func (p *probed) Write(b []byte) (int, error) { return len(b), nil }
func (p *probed) WriteHeader(status int)      { p.status = status }

type peerKey struct{}

// Trust marks the connection of a context as one whose other end was found to be the user's own, as on a socket where the
// kernel says so. Its requests need no token.
func Trust(ctx context.Context) context.Context { return context.WithValue(ctx, peerKey{}, true) }

func trusted(ctx context.Context) bool { is, _ := ctx.Value(peerKey{}).(bool); return is }

func (s *server) knows(r *http.Request) bool {
	values := r.Header["Authorization"]
	if len(values) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	return strings.EqualFold(scheme, "Bearer") && s.token.Is(token)
}

func (s *server) document(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(Document)
}

func (s *server) providers(w http.ResponseWriter, r *http.Request) error {
	all, err := s.Providers(r.Context())
	if err != nil {
		return err
	}
	type provider struct {
		ID         string                   `json:"id"`
		Binding    bool                     `json:"modelPlanBinding"`
		Protocol   preparer.Protocol        `json:"modelPlanProtocol,omitempty"`
		Addressing preparer.Addressing      `json:"modelPlanModelAddressing,omitempty"`
		Adapter    preparer.EndpointAdapter `json:"modelPlanEndpointAdapter,omitempty"`
	}
	list := []provider{}
	for _, p := range all {
		list = append(list, provider{p.ID, p.Model.Protocol != preparer.NoProtocol, p.Model.Protocol, p.Model.Addressing, p.Model.Endpoint})
	}
	return answer(w, http.StatusOK, map[string]any{"providers": list})
}
