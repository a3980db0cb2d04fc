package page

import (
	"errors"
	"net/http"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/daemon/internal/door"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// policy allows the style sheet and the pictures of the page itself, and forms that go to it. There is no script.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard lets in what comes from this machine, and from the page itself where something is to change.
func (p *Page) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // "no-referrer" would take the origin from forms
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		switch {
		case !door.Local(r.Host):
			plain(w, http.StatusForbidden, "This page is for this machine alone, by the address that `greenroom serve` says.")
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
			h.Set("Allow", "GET, HEAD, POST")
			plain(w, http.StatusMethodNotAllowed, "The page knows GET and POST.")
		case r.Method == http.MethodPost && !fromPage(r):
			plain(w, http.StatusForbidden, "This did not come from the page itself. Open the page, and do it there.")
		case embedded(r):
			plain(w, http.StatusForbidden, "Another site asked for this page.")
		case !p.limit.Take():
			h.Set("Retry-After", "1")
			plain(w, http.StatusTooManyRequests, "There are too many requests at once. Try again in a second.")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			next.ServeHTTP(w, r)
		}
	})
}

// plain is an answer to what is no use of the page.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// fromPage says whether a browser sends this for the page itself. A site on another port of this machine shares its
// cookies, and not its origin.
func fromPage(r *http.Request) bool {
	switch origin := r.Header.Values("Origin"); len(origin) {
	case 0:
		return r.Header.Get("Sec-Fetch-Site") == "same-origin"
	case 1:
		return origin[0] == "http://"+r.Host
	}
	return false
}

// embedded says whether another site shows this in itself, instead of leading to it.
func embedded(r *http.Request) bool {
	site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
	return (site == "cross-site" || site == "same-site") && mode != "navigate"
}

// inside does a request for somebody who is in, and shows others the way in.
func (p *Page) inside(do handle) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		g := p.guestOf(r)
		if g == nil {
			p.askToken(w, r, http.StatusUnauthorized, "")
			return
		}
		if !plan.IsID(r.URL.Path) {
			p.showProblem(w, &visit{r, access.Personal, g}, &api.Problem{Status: http.StatusNotFound, Detail: "no id has control characters, or is no UTF-8"})
			return
		}
		v := &visit{r, r.PathValue("workspace"), g}
		if r.Method == http.MethodPost {
			if err := r.ParseForm(); err != nil {
				p.showProblem(w, v, &api.Problem{Status: http.StatusBadRequest, Detail: "the form cannot be read", Hint: "it may be larger than 4 MiB"})
				return
			}
			if !g.csrf.Is(r.PostForm.Get("csrf")) {
				p.showProblem(w, v, &api.Problem{
					Status: http.StatusForbidden, Detail: "the form was made for another visit", Hint: "go back, load the page again, and send it once more",
				})
				return
			}
		}
		if err := do(w, v); err != nil && r.Context().Err() == nil {
			p.showProblem(w, v, err)
		}
	}
}

// trouble is a problem as it is shown.
type trouble struct {
	Status            int
	Title, What, Hint string
	Code              string
	Back, BackTo      string
}

// showProblem shows a problem in place of what was asked for. What is not known of an error is not shown.
func (p *Page) showProblem(w http.ResponseWriter, v *visit, err error) {
	t := trouble{Status: api.StatusOf(err), What: "the operation failed", Back: v.link("plans"), BackTo: "Plans"}
	if told, ok := errors.AsType[*api.Problem](err); ok {
		t.Status, t.What, t.Hint, t.Code = told.Status, told.Detail, told.Hint, told.Code
	} else if e, ok := errors.AsType[*problem.Error](err); ok {
		t.What, t.Hint, t.Code = e.Error(), e.Hint, string(e.Code)
	} else if e, ok := errors.AsType[*core.Error](err); ok {
		t.Status, t.What, t.Hint, t.Code = http.StatusConflict, e.Error(), e.Hint, string(e.Code)
		if t.Hint == "" {
			t.Hint = sessionRemedies[e.Code]
		}
		t.Back, t.BackTo = v.link("sessions"), "Sessions"
	}
	switch {
	case t.Status == http.StatusNotFound:
		t.Title = "Not found"
	case t.Status >= 500:
		t.Title = "Something is wrong here"
	default:
		t.Title = "This was not done"
	}
	t.What = sentence(t.What)
	t.Hint = sentence(t.Hint)
	p.show(w, v, "problem", t.Status, frame{Title: t.Title, Section: section(v.URL.Path)}, t)
}

// section is the part of the page that a path is in.
func section(path string) string {
	for _, name := range []string{"plans", "agents", "sessions"} {
		if strings.Contains(path+"/", "/"+name+"/") {
			return name
		}
	}
	return ""
}

func (p *Page) nothing(_ http.ResponseWriter, _ *visit) error {
	return &api.Problem{Status: http.StatusNotFound, Detail: "there is nothing at this address"}
}
