package binding_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/binding"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	firstKey  = "sk-first-canary-71b0c9"
	secondKey = "sk-second-canary-88aa2e"
)

// host prepares nothing, and keeps what it was asked to.
type host struct {
	model    preparer.Model
	prepared []core.Session
	cleaned  int
	fail     error
	during   func() // within Prepare
}

func (h *host) Descriptor(context.Context, string) (preparer.Descriptor, error) {
	return preparer.Descriptor{Model: h.model}, nil
}

func (h *host) Session(_ context.Context, r core.Ref) (core.Info, error) {
	for _, s := range h.prepared {
		if s.Ref() == r {
			return core.Info{Ref: r}, nil
		}
	}
	return core.Info{}, core.ErrNotFound
}

func (h *host) Prepare(_ context.Context, s core.Session) (*core.Prepared, error) {
	if h.during != nil {
		do := h.during
		h.during = nil
		do()
	}
	if h.fail != nil {
		err := h.fail
		h.fail = nil
		return nil, err
	}
	h.prepared = append(h.prepared, s)
	return &core.Prepared{Ref: s.Ref(), Provider: s.Provider, Generation: len(h.prepared)}, nil
}

func (h *host) Cleanup(context.Context, core.Ref, core.CleanupOptions) (*core.Report, error) {
	h.cleaned++
	return &core.Report{}, nil
}

func (h *host) last() core.Session { return h.prepared[len(h.prepared)-1] }

var (
	// throughGateway is a client that speaks Responses, direct one that speaks what the endpoint does.
	throughGateway = preparer.Model{Protocol: preparer.OpenAI, Endpoint: preparer.ResponsesToChatGateway}
	direct         = preparer.Model{Protocol: preparer.OpenAI}
)

type scene struct {
	*testing.T
	access *access.Access
	host   *host
	binder *binding.Binder
	up     *gatewaytest.Upstream
	log    bytes.Buffer
}

func newScene(t *testing.T, model preparer.Model) *scene {
	t.Helper()
	s := &scene{T: t, host: &host{model: model}, up: gatewaytest.Start(gatewaytest.Text("ok"))}
	t.Cleanup(s.up.Close)
	var err error
	if s.access, err = access.Open(t.Context(), access.Config{Dir: t.TempDir(), Now: time.Now, Random: rand.Reader}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.access.Close() })
	s.binder, err = binding.New(binding.Config{
		Access: s.access, Host: s.host, Logger: slog.New(slog.NewTextHandler(&s.log, nil)), Now: time.Now, Random: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.binder.Close(context.Background()) })
	return s
}

func (s *scene) plan() plan.Plan {
	s.Helper()
	p, err := s.access.CreatePlan(s.Context(), "w", plan.Spec{
		Name: "P", Protocol: preparer.OpenAI, BaseURL: s.up.URL(), Enabled: true, Models: []plan.Model{{ID: "m-a"}, {ID: "m-b"}},
	}, modelendpoint.NewKey(firstKey))
	if err != nil {
		s.Fatal(err)
	}
	return p
}

func (s *scene) edit(p plan.Plan, key string, change func(*plan.Spec)) {
	s.Helper()
	_, err := s.access.UpdatePlan(s.Context(), "w", p.ID, store.AnyRevision, func(p plan.Plan) (store.Edit, error) {
		e := store.Edit{Spec: p.Spec}
		if change != nil {
			change(&e.Spec)
		}
		if key != "" {
			k := modelendpoint.NewKey(key)
			e.Key = &k
		}
		return e, nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

func request(p plan.Plan) binding.Request {
	return binding.Request{Workspace: "w", Plan: p.ID, Session: core.Session{Workspace: "dir", ID: "s1", Provider: "h", Cwd: "/"}}
}

func (s *scene) begin(r binding.Request) *binding.Binding {
	s.Helper()
	x, err := s.binder.Begin(s.Context(), r)
	if err != nil {
		s.Fatal(err)
	}
	return x
}

// ask asks the gateway as a client that was prepared for s would, and gives the status.
func (s *scene) ask(to core.Session, model string) int {
	s.Helper()
	e := to.Endpoint
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, e.BaseURL+"/responses", strings.NewReader(`{"model":"`+model+`","input":"hi","stream":true}`))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+e.Key.Reveal())
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// sent is the key that the endpoint was last sent.
func (s *scene) sent() string {
	return strings.TrimPrefix(s.up.Last().Header.Get("Authorization"), "Bearer ")
}
