//go:build unix

package page_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// A person with a keyboard alone comes in by the link, makes a plan, checks it and takes a model that it lists.
func TestInABrowserAPlanIsMadeAndCheckedWithKeysAlone(t *testing.T) {
	t.Parallel()
	c := newChromium(t)
	s := newStage(t)
	step := make(chan struct{})
	up := endpoint(t, canary, step)
	link, err := s.page.Link()
	if err != nil {
		t.Fatal(err)
	}
	c.look(1200, "light")
	c.open(s.server.URL + link)
	c.until("location.pathname === '" + in + "/plans' && document.readyState === 'complete'")

	c.press("Tab")
	if got := c.focus(); got != "Skip to the content" {
		t.Errorf("the first Tab leads to %q", got)
	}
	c.press("Enter", "Tab")
	if got := c.focus(); got != "New plan" {
		t.Errorf("behind the skip is %q", got)
	}
	c.press("Enter")
	c.until("document.activeElement.id === 'name' && document.readyState === 'complete'")
	c.write("Typed with keys")
	way := c.tabTo("baseUrl")
	c.write(up.URL())
	c.press("Tab")
	c.write(canary)
	way = append(append(way, "baseUrl"), c.tabTo("defaultModel")...)
	if want := []string{"name", "templateKind", "protocol", "baseUrl", "apiKey", "more"}; !slices.Equal(way, want) {
		t.Errorf("the focus goes to %q, want %q", way, want)
	}
	c.press("Enter")
	c.until("document.querySelector('h1').innerText === 'Typed with keys'")
	p := s.only()
	if !p.HasKey || p.BaseURL != up.URL() || !p.Enabled {
		t.Errorf("%+v", p)
	}

	c.tabTo("Check now")
	c.press("Enter")
	const seen = "[...document.querySelectorAll('.pictures > section')].filter(e => e.offsetHeight > 0)"
	c.until(seen + ".length === 1 && " + seen + "[0].innerText.includes('runs now')")
	if got := c.text(); !strings.Contains(got, "Network runs now") || !strings.Contains(got, "Answer waits") {
		t.Errorf("%s", got)
	}
	step <- struct{}{}
	c.until(seen + ".length === 1 && " + seen + "[0].innerText.match(/Network\\s+passed/) && " + seen + "[0].innerText.match(/Key\\s+runs now/)")
	go func() {
		for {
			select {
			case step <- struct{}{}:
			case <-t.Context().Done():
				return
			}
		}
	}()
	c.until("document.readyState === 'complete' && document.querySelector('.alert')")
	if got := c.text(); !strings.Contains(got, "Typed with keys works.") {
		t.Errorf("%s", got)
	}
	c.tabTo("model")
	c.press(" ")
	c.tabTo("Add them to the plan")
	c.press("Enter")
	c.until("document.querySelector('.done')")
	if p = s.only(); len(p.Models) != 1 || p.Models[0].ID != "m-a" || p.Status() != plan.Ready {
		t.Errorf("%+v", p)
	}
	c.tabTo("Delete…")
	c.press("Enter")
	c.until("document.querySelector('h1').innerText.startsWith('Delete')")
	c.tabTo("Delete the plan")
	c.press("Enter")
	c.until("document.body.innerText.includes('There is no plan yet')")
	c.tabTo("Sign out")
	c.press("Enter")
	c.until("document.querySelector('#token')")
	c.calm(s)
}

// calm says that the browser had nothing to complain of, and asked nobody but the page.
func (c *chromium) calm(s *stage) {
	c.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.trouble {
		// A page for somebody who is not in, or that shows a mistake, is one that the browser notes down.
		if !strings.Contains(t, "Failed to load resource: the server responded with a status of 4") {
			c.Errorf("the browser complains: %s", t)
		}
	}
	for _, r := range c.requests {
		if !strings.HasPrefix(r, s.server.URL+"/") && r != "about:blank" {
			c.Errorf("the browser asks %s", r)
		}
	}
}

// faint lists the texts whose contrast with what is behind them is too low (WCAG 2.2, 1.4.3).
const faint = `(() => {
	const rgb = t => { const n = (t.match(/[\d.]+/g) || []).map(Number); return t.startsWith('color(') ? [n[0]*255, n[1]*255, n[2]*255, n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1] };
	const light = c => { const l = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v/12.92 : ((v+.055)/1.055)**2.4); return .2126*l[0] + .7152*l[1] + .0722*l[2] };
	const over = (a, b) => a.slice(0, 3).map((v, i) => v*a[3] + b[i]*(1-a[3])).concat(1);
	const behind = e => { const c = rgb(getComputedStyle(e).backgroundColor); return c[3] === 1 || !e.parentElement ? c : over(c, behind(e.parentElement)) };
	const bad = [];
	for (const e of document.querySelectorAll('body *')) {
		const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()), s = getComputedStyle(e);
		if (!own || !e.offsetHeight || e.closest('.skip')) continue;
		const back = behind(e), front = over(rgb(s.color), back), [a, b] = [light(front), light(back)].sort((x, y) => y - x);
		const big = parseFloat(s.fontSize) >= 24 || parseFloat(s.fontSize) >= 18.66 && s.fontWeight >= 700;
		if ((a+.05)/(b+.05) < (big ? 3 : 4.5)) bad.push(e.innerText.slice(0, 30) + ' ' + s.color + ' on ' + back);
	}
	return bad;
})()`

// Every page fits a narrow window and a wide one, and can be read in both schemes of colours.
func TestInABrowserPagesFitAndCanBeRead(t *testing.T) {
	t.Parallel()
	c := newChromium(t)
	s := newStage(t)
	up := endpoint(t, canary, nil)
	good := s.plan("A plan with quite a long name, as people give them who have many", func(spec *plan.Spec) { spec.BaseURL = up.URL() })
	bad := s.plan("Bad", nil)
	s.plan("Off", func(spec *plan.Spec) { spec.Enabled, spec.Models = false, nil })
	for _, p := range []plan.Plan{good, bad} {
		at := in + "/plans/" + p.ID
		s.follow(s.press(s.get(at), at+"/check", nil))
	}
	a := s.agent(agent.Spec{Name: "Agent", Harness: "one", Plan: good.ID, Fallbacks: []agent.Route{{Plan: bad.ID}}, Instructions: strings.Repeat("Instructions. ", 50)})
	session := s.sessions.add("a-session-with-a-long-name-of-its-own", true)
	link, err := s.page.Link()
	if err != nil {
		t.Fatal(err)
	}
	grounds := map[string]bool{}
	readable := func(path string) {
		c.look(1200, "light")
		c.open(s.server.URL + path)
		for _, width := range []int{320, 800, 1200} {
			for _, scheme := range []string{"light", "dark"} {
				c.look(width, scheme)
				var wide, scripts int
				c.see("document.documentElement.scrollWidth - document.documentElement.clientWidth", &wide)
				c.see("document.scripts.length", &scripts)
				if wide > 0 || scripts > 0 {
					t.Errorf("%s at %d: %d too wide, %d scripts", path, width, wide, scripts)
				}
				var texts []string
				if c.see(faint, &texts); len(texts) > 0 {
					t.Errorf("%s, %s: too faint: %q", path, scheme, texts)
				}
				var ground string
				c.see("getComputedStyle(document.body).backgroundColor", &ground)
				grounds[scheme+ground] = true
			}
		}
	}
	readable("/login")
	c.open(s.server.URL + link)
	c.until("location.pathname === '" + in + "/plans' && document.readyState === 'complete'")
	for _, path := range []string{
		"/plans", "/plans/new", "/plans/" + good.ID, "/plans/" + bad.ID, "/plans/" + good.ID + "/edit", "/plans/" + good.ID + "/delete", "/plans/" + good.ID + "/check", "/plans/" + bad.ID + "/check",
		"/agents", "/agents/new", "/agents/new?client=one", "/agents/" + a.ID, "/agents/" + a.ID + "/edit", "/agents/" + a.ID + "/delete", "/sessions", "/sessions/" + session.Name,
		"/sessions/" + session.Name + "/cleanup", "/handoff?session=" + session.Name + "&model=" + bad.ID, "/nothing",
	} {
		readable(in + path)
	}
	if len(grounds) != 2 {
		t.Errorf("the grounds are %v", grounds)
	}
	c.calm(s)
}

// What a page of another site does in the browser of somebody who is in changes nothing, and what it is told is nothing.
func TestInABrowserAnotherPortCannotUseThePage(t *testing.T) {
	t.Parallel()
	c := newChromium(t)
	s := newStage(t)
	p := s.plan("Target", nil)
	link, err := s.page.Link()
	if err != nil {
		t.Fatal(err)
	}
	at := s.server.URL + in + "/plans/" + p.ID
	evil := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>evil</title><iframe id="frame" src="` + at + `"></iframe>
<form id="form" method="post" action="` + at + `/enabled" target="_self"><input name="enabled" value="false"><input name="revision" value="1"></form>
<script>fetch("` + at + `", {credentials: "include", mode: "no-cors"}).then(r => r.text(), e => "refused").then(t => { window.got = t })</script>`))
	})
	c.open(s.server.URL + link)
	c.until("location.pathname === '" + in + "/plans' && document.readyState === 'complete'")
	c.open(evil)
	c.until("window.got !== undefined && document.readyState === 'complete'")
	var got string
	if c.see("window.got", &got); strings.Contains(got, "Target") {
		t.Errorf("it reads %s", got)
	}
	var frame bool
	c.see("(() => { try { return document.getElementById('frame').contentDocument.body.innerText.includes('Target') } catch { return false } })()", &frame)
	if frame {
		t.Error("it shows the page in itself")
	}
	c.see("document.getElementById('form').submit()", new(any))
	c.until("document.body.innerText.includes('did not come from the page itself')")
	if p := s.only(); !p.Enabled || p.Revision != 1 {
		t.Errorf("%+v", p)
	}
	c.open(s.server.URL + in + "/plans")
	if text := c.text(); !strings.Contains(text, "Target") {
		t.Errorf("the person is out: %s", text)
	}
}
