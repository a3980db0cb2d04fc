package page_test

import (
	"context"
	"crypto/rand"
	"io"
	"iter"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/daemon/page"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	token  = "a token that is long enough"
	canary = "sk-canary-9b41f7c2d8"
	in     = "/w/personal"
)

// stage is a page, and a browser without a window that is let in.
type stage struct {
	*testing.T
	access   *access.Access
	dir      string // of the data
	events   *api.Events
	now      func() time.Time
	page     *page.Page
	server   *httptest.Server
	client   *http.Client
	sessions *sessions

	mu   sync.Mutex
	said strings.Builder // every answer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	return newStageAt(t, time.Now)
}

// newStageAt has a clock of its own.
func newStageAt(t *testing.T, now func() time.Time) *stage {
	t.Helper()
	s := &stage{T: t, sessions: new(sessions), dir: t.TempDir(), now: now}
	events := api.NewEvents()
	var err error
	s.access, err = access.Open(t.Context(), access.Config{Dir: s.dir, Now: time.Now, Random: rand.Reader, Changed: events.Changed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.access.Close() })
	s.open(s.access, events)
	return s
}

// open serves what is in a data directory, to a browser that is let in.
func (s *stage) open(a *access.Access, events *api.Events) {
	s.Helper()
	var err error
	s.access, s.events = a, events
	s.page, err = page.New(page.Config{
		Access: s.access, Sessions: s.sessions, Token: token, Events: events, Now: s.now, Random: rand.Reader,
		Providers: func(context.Context) ([]api.Provider, error) {
			return []api.Provider{
				{ID: "one", Model: preparer.Model{Protocol: preparer.OpenAI, Addressing: preparer.ProviderPrefixed}},
				{ID: "other", Model: preparer.Model{Protocol: preparer.Anthropic}}, {ID: "none"},
			}, nil
		},
	})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(s.page.Close)
	s.server = httptest.NewServer(s.page)
	s.Cleanup(s.server.Close)
	s.client = s.browser()
	if got := s.submit("/login", url.Values{"token": {token}}); got.status != http.StatusSeeOther {
		s.Fatalf("login: %+v", got)
	}
}

// loseKeys takes away what the stored keys were sealed with.
func (s *stage) loseKeys() {
	s.Helper()
	if err := os.Remove(filepath.Join(s.dir, access.KeyFile)); err != nil {
		s.Fatal(err)
	}
	events := api.NewEvents()
	a, err := access.Open(s.Context(), access.Config{Dir: s.dir, Now: time.Now, Random: rand.Reader, Changed: events.Changed})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { a.Close() })
	s.open(a, events)
}

// browser keeps cookies, and follows nothing by itself.
func (s *stage) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	return &http.Client{
		Jar: jar, Transport: s.server.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// shown is an answer, read as a browser reads it.
type shown struct {
	status int
	header http.Header
	text   string
	root   *html.Node
}

func (s *stage) send(r *http.Request) shown {
	s.Helper()
	resp, err := s.client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	s.mu.Lock()
	s.said.Write(data)
	s.mu.Unlock()
	root, err := html.Parse(strings.NewReader(string(data)))
	if err != nil {
		s.Fatal(err)
	}
	return shown{resp.StatusCode, resp.Header, string(data), root}
}

func (s *stage) request(method, path string, form url.Values) *http.Request {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.server.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.server.URL)
	}
	return r
}

func (s *stage) get(path string) shown {
	s.Helper()
	got := s.send(s.request(http.MethodGet, path, nil))
	if got.status < 300 || got.status > 399 {
		s.holds(path, got)
	}
	return got
}

func (s *stage) submit(path string, form url.Values) shown {
	s.Helper()
	got := s.send(s.request(http.MethodPost, path, form))
	if got.status < 300 || got.status > 399 {
		s.holds(path, got)
	}
	return got
}

// follow goes on to where an answer leads.
func (s *stage) follow(got shown) shown {
	s.Helper()
	if got.status != http.StatusSeeOther {
		s.Fatalf("%d: %s", got.status, words(got.root))
	}
	return s.get(got.header.Get("Location"))
}

// fill gives the form of a page that goes to an address, with what it holds as a browser would send it, changed by what is
// typed. A value "-" takes a field away, as of a box that is not ticked.
func (s *stage) fill(got shown, action string, typed url.Values) url.Values {
	s.Helper()
	form := find(got.root, func(n *html.Node) bool {
		return n.Data == "form" && attr(n, "action") == action && attr(n, "method") == "post"
	})
	if form == nil {
		s.Fatalf("there is no form to %s in %s", action, words(got.root))
	}
	values := url.Values{}
	for n := range all(form) {
		name := attr(n, "name")
		if name == "" {
			continue
		}
		switch kind := attr(n, "type"); {
		case n.Data == "input" && (kind == "radio" || kind == "checkbox"):
			if has(n, "checked") {
				values.Add(name, attr(n, "value"))
			}
		case n.Data == "input":
			values.Add(name, attr(n, "value"))
		case n.Data == "textarea":
			values.Add(name, inner(n))
		case n.Data == "select":
			value := ""
			for o := range all(n) {
				if o.Data == "option" && has(o, "selected") {
					value = attr(o, "value")
				}
			}
			values.Add(name, value)
		}
	}
	for name, value := range typed {
		if values[name] = value; value[0] == "-" {
			delete(values, name)
		}
	}
	return values
}

// press fills a form and sends it.
func (s *stage) press(got shown, action string, typed url.Values) shown {
	s.Helper()
	return s.submit(action, s.fill(got, action, typed))
}

func (s *stage) plan(name string, change func(*plan.Spec)) plan.Plan {
	s.Helper()
	spec := plan.Spec{
		Name: name, Protocol: preparer.OpenAI, BaseURL: "http://127.0.0.1:1", Enabled: true, Models: []plan.Model{{ID: "m-a"}, {ID: "m-b"}},
	}
	if change != nil {
		change(&spec)
	}
	p, err := s.access.CreatePlan(s.Context(), "personal", spec, modelendpoint.NewKey(canary))
	if err != nil {
		s.Fatal(err)
	}
	return p
}

func (s *stage) agent(spec agent.Spec) agent.Agent {
	s.Helper()
	h := agent.Harness{ID: spec.Harness, Enabled: true, Available: true, Model: preparer.Model{Protocol: preparer.OpenAI}}
	a, err := s.access.CreateAgent(s.Context(), "personal", h, spec)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

// holds says what holds of every page: its words for a reader, and that nothing in it runs.
func (s *stage) holds(path string, got shown) {
	s.Helper()
	if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		return
	}
	count := map[string]int{}
	ids := map[string]bool{}
	for n := range all(got.root) {
		count[n.Data]++
		if id := attr(n, "id"); id != "" && ids[id] {
			s.Errorf("%s: two things have the id %s", path, id)
		} else {
			ids[id] = true
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(strings.TrimSpace(a.Val), "javascript:") {
				s.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
			}
		}
		if n.Data == "form" && attr(n, "method") == "post" && attr(n, "action") != "/login" &&
			find(n, func(n *html.Node) bool { return attr(n, "name") == "csrf" && attr(n, "value") != "" }) == nil {
			s.Errorf("%s: the form to %s has no word of the page", path, attr(n, "action"))
		}
	}
	for n := range all(got.root) {
		for _, by := range []string{"aria-describedby", "aria-labelledby"} {
			for _, id := range strings.Fields(attr(n, by)) {
				if !ids[id] {
					s.Errorf("%s: %s leads to %s, which is not there", path, by, id)
				}
			}
		}
		if (n.Data == "input" && attr(n, "type") != "hidden" || n.Data == "select" || n.Data == "textarea") && !labelled(got.root, n) {
			s.Errorf("%s: the field %s has no label", path, attr(n, "name"))
		}
		if (n.Data == "button" || n.Data == "a") && strings.TrimSpace(words(n)) == "" && attr(n, "aria-label") == "" {
			s.Errorf("%s: a <%s> has no words", path, n.Data)
		}
	}
	if count["script"]+count["style"]+count["iframe"] > 0 || count["h1"] != 1 || count["main"] != 1 || count["title"] != 1 {
		s.Errorf("%s: %v", path, count)
	}
	if strings.Contains(got.text, canary) {
		s.Errorf("P17: the key is in %s", path)
	}
}

func labelled(root, field *html.Node) bool {
	if attr(field, "aria-label") != "" {
		return true
	}
	for p := field.Parent; p != nil; p = p.Parent {
		if p.Data == "label" {
			return true
		}
	}
	id := attr(field, "id")
	return id != "" && find(root, func(n *html.Node) bool { return n.Data == "label" && attr(n, "for") == id }) != nil
}

// all are the elements of a tree, in their order.
func all(root *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		if root.Type == html.ElementNode && !yield(root) {
			return
		}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && !yield(n) {
				return
			}
		}
	}
}

func find(root *html.Node, is func(*html.Node) bool) *html.Node {
	for n := range all(root) {
		if is(n) {
			return n
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// words are what a tree says, with one space between any two.
func words(root *html.Node) string { return strings.Join(strings.Fields(inner(root)), " ") }

func inner(root *html.Node) string {
	var text strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
		}
	}
	return text.String()
}

// sessions is a host with sessions that are told to it.
type sessions struct {
	mu      sync.Mutex
	all     []core.Info
	damaged map[string]bool
	stopped []core.Ref
	cleaned []string
	keep    core.Keep
	report  core.Report
}

func (s *sessions) add(id string, running bool, tree ...core.Node) core.Info {
	i := core.Info{
		Ref: core.Ref{Workspace: "dir", ID: id}, Name: manifest.Name("dir", id), Provider: "one", Cwd: "/project", Dir: "/state/s/" + id, State: manifest.Ready,
		Running: running, Env: []string{"ONE_HOME", "SECRET_TOKEN"}, Inherit: []string{"skills=all", "memories=none"}, Models: "native", Tree: tree, Generation: 1,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, i)
	return i
}

func (s *sessions) Sessions(context.Context) iter.Seq2[core.Info, error] {
	return func(yield func(core.Info, error) bool) {
		for _, i := range s.all {
			var err error
			if s.damaged[i.Name] {
				i, err = core.Info{Name: i.Name}, &core.Error{Code: core.ErrCorrupt, Op: "read", Subject: "record", Detail: "it is cut off"}
			}
			if !yield(i, err) {
				return
			}
		}
	}
}

func (s *sessions) Session(context.Context, core.Ref) (core.Info, error) { return core.Info{}, nil }

func (s *sessions) Stop(_ context.Context, r core.Ref) (int, error) {
	s.stopped = append(s.stopped, r)
	return 1, nil
}

func (s *sessions) Cleanup(_ context.Context, r core.Ref, o core.CleanupOptions) (*core.Report, error) {
	for _, i := range s.all {
		if i.Ref == r && i.Running {
			return nil, &core.Error{Code: core.ErrRunning, Op: "clean up", Subject: "session", Detail: "a client runs in it"}
		}
	}
	s.cleaned, s.keep = append(s.cleaned, r.ID), o.Keep
	return &s.report, nil
}

func (s *sessions) CleanupDamaged(_ context.Context, name string, _ core.CleanupOptions) (*core.Report, error) {
	s.cleaned = append(s.cleaned, name)
	return &core.Report{}, nil
}

// newSite is another site on this machine.
func newSite(t *testing.T, serve http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	return server.URL
}
