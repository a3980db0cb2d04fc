package page

import (
	"context"
	"io"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/daemon/internal/door"
)

const (
	maxBody = 4 << 20
	// burst is how many requests may come at once, perSecond how many go on coming.
	burst, perSecond = 200, 50
	// tries is how often one may try to come in at once, triesPerSecond how often from then on.
	tries, triesPerSecond = 10, 0.2
)

// Sessions is what the page shows and does of sessions; a *core.Host is one.
type Sessions interface {
	Sessions(context.Context) iter.Seq2[core.Info, error]
	Session(context.Context, core.Ref) (core.Info, error)
	Stop(context.Context, core.Ref) (int, error)
	Cleanup(context.Context, core.Ref, core.CleanupOptions) (*core.Report, error)
	CleanupDamaged(context.Context, string, core.CleanupOptions) (*core.Report, error)
}

var _ Sessions = (*core.Host)(nil)

// Config says what is shown. All fields are required.
type Config struct {
	Access    *access.Access
	Providers api.Catalogue
	Sessions  Sessions
	// Token lets a person in, at least 16 bytes.
	Token string
	// Events are told of the stages of checks.
	Events *api.Events
	Now    func() time.Time
	Random io.Reader
}

// Page is the handler. It is safe for concurrent use.
type Page struct {
	Config
	token    door.Digest
	limit    *door.Limiter
	attempts *door.Limiter
	looks    map[string]*look
	handler  http.Handler
	checks   checks

	mu     sync.Mutex
	link   *door.Digest // of the link that is good once, nil when there is none
	guests map[door.Digest]*guest
}

// New makes a Page.
func New(c Config) (*Page, error) {
	p := &Page{
		Config: c, token: door.DigestOf(c.Token), limit: door.NewLimiter(c.Now, burst, perSecond),
		attempts: door.NewLimiter(c.Now, tries, triesPerSecond), guests: map[door.Digest]*guest{},
	}
	var err error
	if p.looks, err = readLooks(c.Now); err != nil {
		return nil, err
	}
	p.handler = p.guard(p.routes())
	return p, nil
}

// Close ends the checks that run, and waits for them.
func (p *Page) Close() { p.checks.close() }

// ServeHTTP serves the page.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// visit is a request of somebody who is in.
type visit struct {
	*http.Request
	workspace string
	guest     *guest
}

// handle does a request. What it gives as an error is shown.
type handle func(http.ResponseWriter, *visit) error

func (p *Page) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /static/{file}", p.static)
	mux.HandleFunc("GET /login", p.showLogin)
	mux.HandleFunc("POST /login", p.login)
	const in = "/w/{workspace}"
	for pattern, do := range map[string]handle{
		"GET /{$}":     p.home,
		"GET /w":       p.changeWorkspace,
		"GET /w/":      p.nothing,
		"POST /logout": p.logout,

		"GET " + in + "/plans":                    p.listPlans,
		"GET " + in + "/plans/new":                p.newPlan,
		"POST " + in + "/plans":                   p.createPlan,
		"GET " + in + "/plans/{id}":               p.showPlan,
		"GET " + in + "/plans/{id}/edit":          p.editPlan,
		"POST " + in + "/plans/{id}":              p.savePlan,
		"POST " + in + "/plans/{id}/enabled":      p.enablePlan,
		"POST " + in + "/plans/{id}/duplicate":    p.duplicatePlan,
		"POST " + in + "/plans/{id}/models":       p.addModels,
		"GET " + in + "/plans/{id}/delete":        p.askDeletePlan,
		"POST " + in + "/plans/{id}/delete":       p.deletePlan,
		"POST " + in + "/plans/{id}/check":        p.beginCheck,
		"GET " + in + "/plans/{id}/check":         p.showCheck,
		"POST " + in + "/plans/{id}/check/stop":   p.stopCheck,
		"GET " + in + "/agents":                   p.listAgents,
		"GET " + in + "/agents/new":               p.newAgent,
		"POST " + in + "/agents":                  p.createAgent,
		"GET " + in + "/agents/{id}":              p.showAgent,
		"GET " + in + "/agents/{id}/edit":         p.editAgent,
		"POST " + in + "/agents/{id}":             p.saveAgent,
		"GET " + in + "/agents/{id}/delete":       p.askDeleteAgent,
		"POST " + in + "/agents/{id}/delete":      p.deleteAgent,
		"GET " + in + "/sessions":                 p.listSessions,
		"GET " + in + "/sessions/{name}":          p.showSession,
		"POST " + in + "/sessions/{name}/stop":    p.stopSession,
		"POST " + in + "/sessions/{name}/accept":  p.acceptTurn,
		"GET " + in + "/sessions/{name}/cleanup":  p.askCleanup,
		"POST " + in + "/sessions/{name}/cleanup": p.cleanup,
		"GET " + in + "/handoff":                  p.handoff,
	} {
		mux.HandleFunc(pattern, p.inside(do))
	}
	mux.HandleFunc("/", p.inside(p.nothing))
	return mux
}
