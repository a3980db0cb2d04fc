package page

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
)

//go:embed templates/*.html static/*
var files embed.FS

// shared are the templates that every look has.
var shared = []string{"frame.html", "parts.html"}

// look is how one kind of page is written: everything before what it is about, that, and what stands behind it.
type look struct{ *template.Template }

// readLooks reads the looks, by the names of their files.
func readLooks(now func() time.Time) (map[string]*look, error) {
	entries, err := files.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	base := template.New("").Funcs(words(now))
	for _, name := range shared {
		if base, err = base.ParseFS(files, "templates/"+name); err != nil {
			return nil, err
		}
	}
	looks := map[string]*look{}
	for _, e := range entries {
		t, err := base.Clone()
		if err == nil {
			t, err = t.ParseFS(files, "templates/"+e.Name())
		}
		if err != nil {
			return nil, err
		}
		looks[strings.TrimSuffix(e.Name(), ".html")] = &look{t}
	}
	return looks, nil
}

// frame is what stands around what a page is about.
type frame struct {
	Title   string
	Section string // plans, agents or sessions
	Refresh string // where the browser goes on to at once, "" for nowhere
	Done    string // what was done just now
}

// sheet is a page as templates see it.
type sheet struct {
	frame
	Workspace string
	In        bool   // somebody is in
	CSRF      string // the word that forms bring
	Body      any
}

// Link is the path of something in the workspace.
func (s sheet) Link(parts ...string) string { return link(s.Workspace, parts...) }

// Flag is what commands say to mean the workspace, "" for the one that they have anyway.
func (s sheet) Flag() string {
	if s.Workspace == access.Personal {
		return ""
	}
	return " --workspace " + shellenv.Quote(s.Workspace)
}

func (v *visit) link(parts ...string) string { return link(v.workspace, parts...) }

func link(workspace string, parts ...string) string {
	if workspace == "" {
		workspace = access.Personal
	}
	to := "/w/" + url.PathEscape(workspace)
	for _, p := range parts {
		to += "/" + url.PathEscape(p)
	}
	return to
}

func (v *visit) sheet(f frame, body any) sheet {
	s := sheet{frame: f, Workspace: v.workspace, Body: body}
	if s.Workspace == "" {
		s.Workspace = access.Personal
	}
	if v.guest != nil {
		s.In, s.CSRF = true, v.guest.word
	}
	if s.Done == "" {
		s.Done = doneWords[v.URL.Query().Get("done")]
	}
	return s
}

// show writes a page, or nothing of it.
func (p *Page) show(w http.ResponseWriter, v *visit, name string, status int, f frame, body any) {
	var text bytes.Buffer
	if err := p.looks[name].ExecuteTemplate(&text, "page", v.sheet(f, body)); err != nil {
		plain(w, http.StatusInternalServerError, "The page cannot be written.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if v.Method != http.MethodHead {
		_, _ = text.WriteTo(w)
	}
}

// to leads on to another page, which says what was done.
func (v *visit) to(w http.ResponseWriter, done string, parts ...string) error {
	to := v.link(parts...)
	if done != "" {
		to += "?done=" + done
	}
	http.Redirect(w, v.Request, to, http.StatusSeeOther)
	return nil
}

// piece writes a part of a page that is written bit by bit.
func (p *Page) piece(w io.Writer, name, part string, s sheet) error {
	return p.looks[name].ExecuteTemplate(w, part, s)
}

func (p *Page) static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	data, err := files.ReadFile("static/" + name)
	if err != nil {
		plain(w, http.StatusNotFound, "There is no such file.")
		return
	}
	kind := map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(name)]
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(data)
}

func badForm(detail, hint string) error {
	return &api.Problem{Status: http.StatusBadRequest, Detail: detail, Hint: hint}
}
