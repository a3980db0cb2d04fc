package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestWhoMayComeIn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.plan("Secretly named", nil)
	inside := s.client
	s.client = s.browser()
	for _, path := range []string{"/", in + "/plans", in + "/plans/new", in + "/agents", in + "/sessions", in + "/nothing", "/w"} {
		if got := s.get(path); got.status != http.StatusUnauthorized || strings.Contains(got.text, "Secretly") || find(got.root, byID("token")) == nil {
			t.Errorf("%s: %d %s", path, got.status, words(got.root))
		}
	}
	if got := s.submit(in+"/plans", url.Values{"name": {"x"}}); got.status != http.StatusUnauthorized {
		t.Errorf("%d", got.status)
	}
	if got := s.submit("/login", url.Values{"token": {token + "x"}, "next": {in + "/agents"}}); got.status != http.StatusUnauthorized || attr(find(got.root, isField("next")), "value") != in+"/agents" {
		t.Errorf("%d %s", got.status, got.text)
	}
	got := s.submit("/login", url.Values{"token": {" " + token + "\n"}, "next": {in + "/agents"}})
	if got.status != http.StatusSeeOther || got.header.Get("Location") != in+"/agents" {
		t.Errorf("%d to %s", got.status, got.header.Get("Location"))
	}
	cookie := got.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q has no %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "Max-Age") || strings.Contains(cookie, "Domain") || strings.Contains(cookie, token) {
		t.Errorf("the cookie is %q", cookie)
	}
	// Signing out is for the one who does.
	list := s.get(in + "/plans")
	if got := s.press(list, "/logout", nil); got.status != http.StatusSeeOther {
		t.Errorf("%d", got.status)
	}
	if got := s.get(in + "/plans"); got.status != http.StatusUnauthorized {
		t.Errorf("still in: %d", got.status)
	}
	s.client = inside
	if got := s.get(in + "/plans"); got.status != http.StatusOK {
		t.Errorf("the other one is out: %d", got.status)
	}
}

func byID(id string) func(*html.Node) bool {
	return func(n *html.Node) bool { return attr(n, "id") == id }
}

func isField(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return attr(n, "name") == name }
}

func TestTheWayOnLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for next, want := range map[string]string{
		"": "/", "//evil.example/x": "/", "https://evil.example": "/", `/\evil.example`: "/", "javascript:alert(1)": "/", "evil": "/", "/w/a/plans?q=1": "/w/a/plans?q=1", "/\n/x": "/",
	} {
		if got := s.submit("/login", url.Values{"token": {token}, "next": {next}}); got.header.Get("Location") != want {
			t.Errorf("%q leads to %q", next, got.header.Get("Location"))
		}
	}
}

func TestTheLinkIsGoodOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	old, err := s.page.Link()
	if err != nil {
		t.Fatal(err)
	}
	link, err := s.page.Link()
	if err != nil {
		t.Fatal(err)
	}
	s.client = s.browser()
	if got := s.get(old); got.status != http.StatusUnauthorized {
		t.Errorf("the link before it: %d", got.status)
	}
	ahead := s.request(http.MethodGet, link, nil)
	ahead.Header.Set("Sec-Purpose", "prefetch;prerender")
	if got := s.send(ahead); got.status == http.StatusOK || got.header.Get("Set-Cookie") != "" {
		t.Errorf("looking ahead: %d", got.status)
	}
	if got := s.send(s.request(http.MethodHead, link, nil)); got.header.Get("Set-Cookie") != "" {
		t.Error("HEAD lets somebody in")
	}
	if got := s.get(link); got.status != http.StatusOK || !strings.Contains(got.text, `content="0; url=/"`) {
		t.Errorf("%d %s", got.status, got.text)
	}
	if got := s.get(in + "/plans"); got.status != http.StatusOK {
		t.Errorf("%d", got.status)
	}
	s.client = s.browser()
	if got := s.get(link); got.status != http.StatusUnauthorized || !strings.Contains(words(got.root), "used before") {
		t.Errorf("again: %d", got.status)
	}
}

func TestTryingTokensIsSlow(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.client = s.browser()
	last := 0
	for range 12 {
		last = s.submit("/login", url.Values{"token": {"guess"}}).status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("%d", last)
	}
	if got := s.submit("/login", url.Values{"token": {token}}); got.status != http.StatusTooManyRequests {
		t.Errorf("the right one is told from the wrong ones: %d", got.status)
	}
}

// What another site, another port of this machine or another name of it makes a browser send changes nothing and shows nothing.
func TestOtherSitesCannotUseThePage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.plan("Target", nil)
	at := in + "/plans/" + p.ID
	form := s.fill(s.get(at), at+"/enabled", nil)
	for name, change := range map[string]func(*http.Request){
		"another site":            func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"another port":            func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"another scheme":          func(r *http.Request) { r.Header.Set("Origin", "https://"+r.URL.Host) },
		"no origin":               func(r *http.Request) { r.Header.Set("Origin", "null") },
		"none said":               func(r *http.Request) { r.Header.Del("Origin") },
		"none said, another site": func(r *http.Request) { r.Header.Del("Origin"); r.Header.Set("Sec-Fetch-Site", "same-site") },
		"two origins":             func(r *http.Request) { r.Header.Add("Origin", "https://evil.example") },
		"another name":            func(r *http.Request) { r.Host = "rebound.example"; r.Header.Set("Origin", "http://rebound.example") },
		"a name like ours": func(r *http.Request) {
			r.Host = "127.0.0.1.evil.example"
			r.Header.Set("Origin", "http://127.0.0.1.evil.example")
		},
	} {
		r := s.request(http.MethodPost, at+"/enabled", form)
		change(r)
		if got := s.send(r); got.status != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
	}
	for name, word := range map[string]string{"no word": "", "a wrong word": "guess"} {
		form := s.fill(s.get(at), at+"/enabled", url.Values{"csrf": {word}})
		if got := s.submit(at+"/enabled", form); got.status != http.StatusForbidden {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	// The word of another browser is not that of this one.
	mine, other := s.client, s.browser()
	s.client = other
	s.submit("/login", url.Values{"token": {token}})
	theirs := s.fill(s.get(at), at+"/enabled", nil)
	s.client = mine
	if got := s.submit(at+"/enabled", theirs); got.status != http.StatusForbidden {
		t.Errorf("another browser's word: %d", got.status)
	}
	for name, change := range map[string]func(*http.Request){
		"rebinding": func(r *http.Request) { r.Host = "rebound.example:80" },
		"shown in a site": func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
		},
		"fetched by a port": func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "same-site")
			r.Header.Set("Sec-Fetch-Mode", "cors")
		},
	} {
		r := s.request(http.MethodGet, at, nil)
		change(r)
		if got := s.send(r); got.status != http.StatusForbidden || strings.Contains(got.text, "Target") {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch} {
		if got := s.send(s.request(method, at, nil)); got.status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, got.status)
		}
	}
	if now, err := s.access.Plan(t.Context(), "personal", p.ID); err != nil || now.Revision != 1 {
		t.Errorf("%+v, %v", now, err)
	}
	// What a browser sends for the page itself does.
	r := s.request(http.MethodPost, at+"/enabled", form)
	r.Header.Del("Origin")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if got := s.send(r); got.status != http.StatusSeeOther {
		t.Errorf("%d %s", got.status, got.text)
	}
}

func TestNothingButThePageItselfIsAllowedInIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, path := range []string{in + "/plans", "/static/style.css", "/static/icon.svg", "/static/none", "/login", in + "/nothing"} {
		h := s.get(path).header
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'", "style-src 'self'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: %q has no %s", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") || strings.Contains(policy, "http") || strings.Contains(policy, "*") {
			t.Errorf("%s: %s", path, policy)
		}
		if h.Get("X-Frame-Options") != "DENY" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" || h.Get("Cache-Control") == "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	// What a person types is text.
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	p := s.plan(evil, nil)
	for _, path := range []string{"/plans", "/plans/" + p.ID, "/plans/" + p.ID + "/edit", "/plans/" + p.ID + "/delete", "/plans?q=" + url.QueryEscape(evil), "/agents/new?client=" + url.QueryEscape(evil)} {
		s.get(in + path)
	}
	s.get("/w/" + url.PathEscape(evil) + "/plans")
}

func TestAFormThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if got := s.submit(in+"/plans", url.Values{"name": {strings.Repeat("x", 5<<20)}}); got.status != http.StatusBadRequest {
		t.Errorf("%d", got.status)
	}
}
