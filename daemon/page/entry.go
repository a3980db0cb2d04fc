package page

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/internal/door"
)

const (
	// stay is how long somebody who does nothing stays in.
	stay = 12 * time.Hour
	// maxGuests bounds how many browsers are in at once. The one that was seen longest ago has to come in again.
	maxGuests = 64
)

// guest is a browser that was let in.
type guest struct {
	csrf door.Digest
	word string // that forms bring, whose digest csrf is
	seen time.Time
}

// Link is the path of a link that lets a browser in once. It takes the place of the one before.
func (p *Page) Link() (string, error) {
	code, err := p.secret()
	if err != nil {
		return "", err
	}
	d := door.DigestOf(code)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.link = &d
	return "/login?code=" + code, nil
}

// secret is 256 random bits in words of the URL alphabet.
func (p *Page) secret() (string, error) {
	var b [32]byte
	if _, err := io.ReadFull(p.Random, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// cookieName differs by port, since the cookies of a machine are shared by all of its ports.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "greenroom_" + port
}

// guestOf is who sends a request, nil for somebody who is not in.
func (p *Page) guestOf(r *http.Request) *guest {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return nil
	}
	now := p.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	d := door.DigestOf(c.Value)
	g := p.guests[d]
	if g == nil || now.Sub(g.seen) > stay {
		delete(p.guests, d)
		return nil
	}
	g.seen = now
	return g
}

// enter lets a browser in.
func (p *Page) enter(w http.ResponseWriter, r *http.Request) error {
	cookie, err := p.secret()
	if err != nil {
		return err
	}
	word, err := p.secret()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.guests) >= maxGuests {
		var oldest door.Digest
		var seen time.Time
		for d, g := range p.guests {
			if seen.IsZero() || g.seen.Before(seen) {
				oldest, seen = d, g.seen
			}
		}
		delete(p.guests, oldest)
	}
	p.guests[door.DigestOf(cookie)] = &guest{csrf: door.DigestOf(word), word: word, seen: p.Now()}
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	return nil
}

// entry is the way in as it is shown.
type entry struct {
	Error string
	Next  string // where to go from there
}

func (p *Page) askToken(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	next := "/"
	if r.Method == http.MethodGet && r.URL.Path != "/login" {
		next = r.URL.RequestURI()
	}
	if after := r.PostFormValue("next"); r.URL.Path == "/login" && after != "" {
		next = after
	}
	p.show(w, &visit{Request: r}, "login", status, frame{Title: "Open Greenroom"}, entry{wrong, ours(next)})
}

// ours is a path of the page, and "/" for everything else.
func ours(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return u.RequestURI()
}

// showLogin lets in whoever brings the link that is good once. A browser that only looks ahead does not use it up.
func (p *Page) showLogin(w http.ResponseWriter, r *http.Request) {
	code := r.URL.Query().Get("code")
	switch ahead := r.Header.Get("Sec-Purpose") + r.Header.Get("Purpose"); {
	case p.guestOf(r) != nil:
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case code == "":
		p.askToken(w, r, http.StatusOK, "")
	case ahead != "" || r.Method != http.MethodGet:
		p.askToken(w, r, http.StatusServiceUnavailable, "")
	case !p.attempts.Take():
		p.tooOften(w, r)
	case !p.use(code):
		p.askToken(w, r, http.StatusUnauthorized, "This link was used before, or is of a server that has ended. Give the token instead.")
	default:
		if err := p.enter(w, r); err != nil {
			p.askToken(w, r, http.StatusInternalServerError, "This machine has no randomness to give.")
			return
		}
		// A redirect from a link in another program would not carry the cookie; a page of our own leads on with it.
		p.show(w, &visit{Request: r}, "welcome", http.StatusOK, frame{Title: "Greenroom", Refresh: "/"}, nil)
	}
}

// use uses the link up, if this is its code.
func (p *Page) use(code string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == nil || !p.link.Is(code) {
		return false
	}
	p.link = nil
	return true
}

func (p *Page) tooOften(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "5")
	p.askToken(w, r, http.StatusTooManyRequests, "That was tried too often. Wait five seconds, and try again.")
}

func (p *Page) login(w http.ResponseWriter, r *http.Request) {
	switch {
	case !p.attempts.Take():
		p.tooOften(w, r)
	case !p.token.Is(strings.TrimSpace(r.PostFormValue("token"))):
		p.askToken(w, r, http.StatusUnauthorized, "This is not the token. `greenroom serve` said it when it began, unless GREENROOM_API_TOKEN holds it.")
	default:
		if err := p.enter(w, r); err != nil {
			p.askToken(w, r, http.StatusInternalServerError, "This machine has no randomness to give.")
			return
		}
		http.Redirect(w, r, ours(r.PostFormValue("next")), http.StatusSeeOther)
	}
}

func (p *Page) logout(w http.ResponseWriter, v *visit) error {
	p.mu.Lock()
	for d, g := range p.guests {
		if g == v.guest {
			delete(p.guests, d)
		}
	}
	p.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookieName(v.Request), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: -1})
	http.Redirect(w, v.Request, "/login", http.StatusSeeOther)
	return nil
}

func (p *Page) home(w http.ResponseWriter, v *visit) error {
	v.workspace = access.Personal
	http.Redirect(w, v.Request, v.link("plans"), http.StatusSeeOther)
	return nil
}

// changeWorkspace shows the plans of another workspace. That chooses nothing for anybody but the one who looks.
func (p *Page) changeWorkspace(w http.ResponseWriter, v *visit) error {
	if v.workspace = strings.TrimSpace(v.URL.Query().Get("name")); v.workspace == "" {
		v.workspace = access.Personal
	}
	http.Redirect(w, v.Request, v.link("plans"), http.StatusSeeOther)
	return nil
}
