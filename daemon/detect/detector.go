package detect

import (
	"context"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// Config says how endpoints are checked. Now and Random are required.
type Config struct {
	// Proxy chooses the proxy of a request, such as http.ProxyFromEnvironment. An endpoint on this machine is never reached
	// through one. nil: none.
	Proxy func(*http.Request) (*url.URL, error)
	// RootCAs verify endpoints; nil is the system's set.
	RootCAs *x509.CertPool
	// Deadlines of the stages. Zero values: 10 s for network, 20 s for auth and discovery together, 60 s for each question
	// to a model.
	Network, Catalog, Inference time.Duration
	// Parallel is how many checks run at a time; others wait. 0: 4.
	Parallel int
	Now      func() time.Time
	Random   io.Reader
}

// Target is an endpoint to check.
type Target struct {
	plan.Spec
	Key plan.Key
	// Model is the one to ask. "": the plan's, else the first one that is discovered, for this check alone.
	Model string
	// Revision is that of the plan, 0 for a draft.
	Revision int64
	// Native is how the client of an official subscription is asked. It is required for one, and used for nothing else.
	Native Native
}

// Progress is told how a check goes, from its goroutine. Either field may be nil.
type Progress struct {
	Began func(plan.Stage)
	// Done is told of a stage once, and once more when the inference showed another outcome of auth.
	Done func(plan.Result)
}

// Found is what a check found.
type Found struct {
	plan.Detection
	// Discovered are the models that the endpoint or the client lists, by their ids, at most as many as a plan can have. They
	// are no choice of anybody's.
	Discovered []plan.Model
}

// Detector checks endpoints.
type Detector struct {
	c         Config
	transport *http.Transport
	slots     chan struct{}
}

// New makes a Detector.
func New(c Config) *Detector {
	for _, d := range []struct {
		field *time.Duration
		zero  time.Duration
	}{{&c.Network, 10 * time.Second}, {&c.Catalog, 20 * time.Second}, {&c.Inference, time.Minute}} {
		if *d.field <= 0 {
			*d.field = d.zero
		}
	}
	if c.Parallel <= 0 {
		c.Parallel = 4
	}
	return &Detector{c: c, transport: newTransport(c), slots: make(chan struct{}, c.Parallel)}
}

// Close gives up the connections that are kept for later.
func (d *Detector) Close() { d.transport.CloseIdleConnections() }

// Check checks an endpoint. An error is that ctx ended; what is wrong with the endpoint is in what was found.
func (d *Detector) Check(ctx context.Context, t Target, p Progress) (Found, error) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return Found{}, ctx.Err()
	}
	c := &check{Detector: d, t: t, progress: p, found: Found{Detection: plan.Detection{Revision: t.Revision, Checked: d.c.Now().UTC()}}}
	if t.Template == plan.OfficialSubscription {
		c.native(ctx)
	} else {
		c.key = t.Credential(t.Key)
		c.base = t.Base()
		c.auth = modelendpoint.AuthFor(t.Protocol, c.base)
		c.redact = secretsOf(c.key)
		c.endpoint(ctx)
	}
	if ctx.Err() != nil {
		return Found{}, ctx.Err()
	}
	for i := range c.found.Stages {
		c.found.Stages[i].Checked = c.found.Checked
	}
	return c.found, nil
}

// endpoint runs the stages on an endpoint.
func (c *check) endpoint(ctx context.Context) {
	if !c.network(ctx) {
		c.skip("", plan.Auth, plan.Discovery, plan.Inference)
		return
	}
	if !c.catalog(ctx) {
		c.skip("", plan.Inference)
		return
	}
	c.inference(ctx)
	if c.outcome(plan.Inference) == plan.Passed {
		c.extras(ctx)
	}
}
