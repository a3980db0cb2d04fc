package client_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/daemon/api/client"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	token  = "a token that is long enough"
	canary = "sk-canary-91f3b7c05d"
)

// served is a daemon with a client that asks it.
type served struct {
	*testing.T
	*client.Client
	access *access.Access
	url    string
	mu     sync.Mutex
	asked  []string // methods and paths
}

func serve(t *testing.T) *served {
	t.Helper()
	s := &served{T: t}
	events := api.NewEvents()
	var err error
	s.access, err = access.Open(t.Context(), access.Config{Dir: t.TempDir(), Now: time.Now, Random: rand.Reader, Changed: events.Changed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.access.Close() })
	handler := api.New(api.Config{
		Access: s.access, Token: token, Events: events, Now: time.Now,
		Providers: func(context.Context) ([]api.Provider, error) {
			return []api.Provider{{ID: "one", Model: preparer.Model{Protocol: preparer.OpenAI, Addressing: preparer.ProviderPrefixed}}, {ID: "none"}}, nil
		},
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.Client = client.New(client.Config{BaseURL: server.URL + "/", Token: token})
	t.Cleanup(func() { s.Client.Close() })
	return s
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Every operation of the document has a method, and what a method gives is what the store has.
func TestEachOperationOfTheDocumentHasAMethod(t *testing.T) {
	t.Parallel()
	s, ctx := serve(t), t.Context()
	events := must[*client.Events](t)(s.Events(ctx, "w"))
	defer events.Close()
	spec := plan.Spec{Name: "P", Protocol: preparer.OpenAI, BaseURL: "http://127.0.0.1:1", Models: []plan.Model{{ID: "m", ContextTokens: 9000, Images: true}}, Default: "m", Enabled: true}
	key := must[plan.Key](t)(plan.CleanKey(canary))
	made := must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec, key))
	stored, storedKey, err := s.access.PlanWithKey(ctx, "w", made.ID)
	if err != nil || storedKey.Reveal() != canary {
		t.Fatal(err)
	}
	same := func(what string, got, want any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	same("created", made, stored)
	same("plan", must[plan.Plan](t)(s.Plan(ctx, "w", made.ID)), stored)
	same("found", must[plan.Plan](t)(s.Find(ctx, "w", "p")), stored)
	same("plans", must[[]plan.Plan](t)(s.Plans(ctx, "w")), []plan.Plan{stored})
	if e := must[client.Event](t)(events.Next()); e.Name != "model_plan_changed" || !strings.Contains(string(e.Data), made.ID) {
		t.Errorf("%s %s", e.Name, e.Data)
	}

	changed := must[plan.Plan](t)(s.UpdatePlan(ctx, "w", made.ID, made.Revision, func(p plan.Plan) (store.Edit, error) {
		p.Name = "Q"
		return store.Edit{Spec: p.Spec}, nil
	}))
	if _, kept, err := s.access.PlanWithKey(ctx, "w", made.ID); err != nil || kept.Reveal() != canary || changed.Revision != 2 {
		t.Errorf("the key was not kept: %v", err)
	}
	off := must[plan.Plan](t)(s.EnablePlan(ctx, "w", made.ID, store.AnyRevision, false))
	on := must[plan.Plan](t)(s.EnablePlan(ctx, "w", made.ID, off.Revision, true))
	double := must[plan.Plan](t)(s.DuplicatePlan(ctx, "w", made.ID, "Double"))
	same("state", []bool{off.Enabled, on.Enabled, double.Enabled, double.HasKey}, []bool{false, true, false, true})

	var began, done []plan.Stage
	found, kept, err := s.Check(ctx, "w", made.ID, "", detect.Progress{
		Began: func(s plan.Stage) { began = append(began, s) }, Done: func(r plan.Result) { done = append(done, r.Stage) },
	})
	if err != nil || !kept || found.OK() || found.Stages[0].Reason != plan.ConnectionFailed {
		t.Errorf("%+v, %v, %v", found, kept, err)
	}
	same("began", began, plan.Stages())
	same("done", done, plan.Stages())
	draft := must[detect.Found](t)(s.CheckDraft(ctx, "w", plan.Spec{Protocol: preparer.OpenAI, BaseURL: "http://127.0.0.1:1"}, key, "m"))
	same("draft", draft.Stages[0].Reason, plan.ConnectionFailed)

	a := must[agent.Agent](t)(s.CreateAgent(ctx, "w", agent.Spec{Name: "A", Harness: "one", Plan: made.ID}))
	a = must[agent.Agent](t)(s.UpdateAgent(ctx, "w", a.ID, a.Revision, agent.Spec{Name: "B", Harness: "one", Plan: made.ID, Model: "m"}))
	same("agent", must[agent.Agent](t)(s.Agent(ctx, "w", a.ID)), must[agent.Agent](t)(s.access.Agent(ctx, "w", a.ID)))
	same("found agent", must[agent.Agent](t)(s.FindAgent(ctx, "w", "b")), a)
	composer := must[client.Composer](t)(s.Composer(ctx, "w", a.ID))
	if len(composer.Options) != 1 || composer.Options[0].Description != "Q" || !composer.ModelSwitch || composer.Runtime.Plan.ID != made.ID || composer.Current == "" {
		t.Errorf("%+v", composer)
	}
	refs := must[[]plan.Reference](t)(s.References(ctx, "w", made.ID))
	same("references", refs, must[[]plan.Reference](t)(s.access.References(ctx, "w", made.ID)))
	err = s.DeletePlan(ctx, "w", made.ID, store.AnyRevision)
	if used, ok := errors.AsType[*store.Referenced](err); !errors.Is(err, problem.PlanReferenced) || !ok || len(used.References) != 1 {
		t.Errorf("%v", err)
	}
	_ = must[store.Snapshot](t)(s.access.BindSession(ctx, 0, store.Snapshot{Workspace: "w", Session: "s/1", Plan: made.ID, Revision: on.Revision, Fingerprint: "f", Model: "m", Harness: "one", Cwd: "/x"}))
	same("sessions", must[[]store.Snapshot](t)(s.Sessions(ctx, "w")), must[[]store.Snapshot](t)(s.access.Sessions(ctx, "w")))
	accepted := must[*acceptance.Acceptance](t)(s.Accept(ctx, "w", "s/1", "turn-1"))
	same("acceptance", must[*acceptance.Acceptance](t)(s.Acceptance(ctx, "w", "s/1")), accepted)
	if err := errors.Join(s.DeleteAgent(ctx, "w", a.ID, a.Revision), s.DeletePlan(ctx, "w", double.ID, double.Revision)); err != nil {
		t.Error(err)
	}
	providers := must[[]client.Provider](t)(s.Providers(ctx))
	same("providers", providers, []client.Provider{{ID: "one", Binding: true, Protocol: preparer.OpenAI, Addressing: preparer.ProviderPrefixed}, {ID: "none"}})
	if _, err := s.Agents(ctx, "w"); err != nil {
		t.Error(err)
	}
	if all := must[[]client.Binding](t)(s.Bindings(ctx, "w")); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	text := must[[]byte](t)(s.Document(ctx))

	var document struct {
		Paths map[string]map[string]yaml.Node
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for path, methods := range document.Paths {
		pattern := regexp.MustCompile("^" + regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(regexp.QuoteMeta(path), ".+") + "$")
		for method := range methods {
			if method == "parameters" {
				continue
			}
			for _, one := range s.asked {
				if m, p, _ := strings.Cut(one, " "); m == strings.ToUpper(method) && pattern.MatchString(p) {
					asked[method+path] = true
				}
			}
			if !asked[method+path] {
				t.Errorf("no method asks for %s %s", method, path)
			}
		}
	}
	if len(asked) < 20 {
		t.Errorf("the document has %d operations", len(asked))
	}
}

func TestWhatADaemonRefusesIsAProblemOfAStore(t *testing.T) {
	t.Parallel()
	s, ctx := serve(t), t.Context()
	p := must[plan.Plan](t)(s.CreatePlan(ctx, "w", plan.Spec{Name: "P", Protocol: preparer.OpenAI}, plan.Key{}))
	if _, err := s.EnablePlan(ctx, "w", p.ID, p.Revision, true); err != nil {
		t.Fatal(err)
	}
	rename := func(c interface {
		UpdatePlan(context.Context, string, string, int64, func(plan.Plan) (store.Edit, error)) (plan.Plan, error)
	}, name string) error {
		_, err := c.UpdatePlan(ctx, "w", p.ID, p.Revision, func(p plan.Plan) (store.Edit, error) {
			p.Name = name
			return store.Edit{Spec: p.Spec}, nil
		})
		return err
	}
	for what, both := range map[string][2]error{
		"conflict": {rename(s.Client, "x"), rename(s.access, "x")},
		"unknown plan": {
			func() error { _, err := s.Plan(ctx, "w", "mp-none"); return err }(),
			func() error { _, err := s.access.Plan(ctx, "w", "mp-none"); return err }(),
		},
		"invalid": {
			func() error { _, err := s.CreatePlan(ctx, "w", plan.Spec{Name: " "}, plan.Key{}); return err }(),
			func() error { _, err := s.access.CreatePlan(ctx, "w", plan.Spec{Name: " "}, plan.Key{}); return err }(),
		},
	} {
		told, of := new(problem.Error), new(problem.Error)
		if !errors.As(both[0], &told) || !errors.As(both[1], &of) {
			t.Errorf("%s: %v, %v", what, both[0], both[1])
			continue
		}
		if told.Code != of.Code || told.Field != of.Field || told.Error() != of.Error() || told.Hint != of.Hint {
			t.Errorf("%s: %+v, of the store itself %+v", what, told, of)
		}
	}
	if _, err := client.New(client.Config{BaseURL: s.url, Token: "another one"}).Plans(ctx, "w"); problem.CodeOf(err) != "unauthorized" {
		t.Errorf("%v", err)
	}
	for _, id := range []string{"", ".", ".."} {
		if _, err := s.Plan(ctx, "w", id); err == nil {
			t.Errorf("an id %q was asked for", id)
		}
	}
	if _, err := s.Plan(ctx, "w", "a/../b?x=1#y"); !errors.Is(err, problem.PlanNotFound) {
		t.Errorf("%v", err)
	}
}

// What answers in the place of a daemon is told from one, is given no second token, and makes no error with its words in it.
func TestSomethingElseThanADaemon(t *testing.T) {
	t.Parallel()
	var second []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		second = append(second, r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	for what, handle := range map[string]http.HandlerFunc{
		"a web page":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>"+canary) },
		"an error page": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, canary, http.StatusTeapot) },
		"a problem of no code": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(400)
			_, _ = io.WriteString(w, "{}")
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		"a hang-up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		server := httptest.NewServer(handle)
		c := client.New(client.Config{BaseURL: server.URL, Token: token})
		_, err := c.Plans(t.Context(), "w")
		if !errors.Is(err, client.Unreachable) || strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), server.URL) {
			t.Errorf("%s: %v", what, err)
		}
		c.Close()
		server.Close()
		if _, err := c.Plans(t.Context(), "w"); !errors.Is(err, client.Unreachable) {
			t.Errorf("%s, when it is gone: %v", what, err)
		}
	}
	if slices.ContainsFunc(second, func(s string) bool { return s != "" }) {
		t.Errorf("the token went to another server: %q", second)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.New(client.Config{BaseURL: "http://127.0.0.1:1"}).Plans(ctx, "w"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A daemon that hangs takes connections, and says nothing on them.
func TestADaemonThatHangs(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := client.New(client.Config{BaseURL: "http://" + l.Addr().String(), Token: token, Patience: 50 * time.Millisecond})
	t.Cleanup(func() { c.Close() })
	if _, err := c.Plans(t.Context(), "w"); !errors.Is(err, client.Unreachable) {
		t.Errorf("%v", err)
	}
	if _, err := c.Events(t.Context(), "w"); !errors.Is(err, client.Unreachable) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Events(ctx, "w"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
