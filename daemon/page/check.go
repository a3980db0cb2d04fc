package page

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

const (
	// longest bounds a check, which has deadlines of its own for each stage.
	longest = 10 * time.Minute
	// keptFor is how long what a check found is there to choose models of.
	keptFor = 30 * time.Minute
)

// checks are those that were begun on the page, by workspace and plan.
type checks struct {
	mu     sync.Mutex
	closed bool
	all    map[[2]string]*run
	wait   sync.WaitGroup
}

// run is a check that runs, or did.
type run struct {
	cancel context.CancelFunc

	mu      sync.Mutex
	changed chan struct{} // closed when something has happened, and replaced
	state   runState
}

// runState is how far a check is.
type runState struct {
	Stages  []plan.Result
	Running plan.Stage // "" between stages
	Over    bool
	Ended   time.Time
	Found   detect.Found
	Kept    bool
	Err     error
}

func (r *run) update(do func(*runState)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(&r.state)
	close(r.changed)
	r.changed = make(chan struct{})
}

// now is how far the check is, and what tells of the next change.
func (r *run) now() (runState, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Stages = slices.Clone(s.Stages)
	return s, r.changed
}

func (c *checks) get(workspace, id string) *run {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[[2]string{workspace, id}]
}

func (c *checks) running(workspace, id string) bool {
	r := c.get(workspace, id)
	if r == nil {
		return false
	}
	s, _ := r.now()
	return !s.Over
}

// discovered are the models that the last check of a plan found.
func (c *checks) discovered(workspace, id string) []plan.Model {
	r := c.get(workspace, id)
	if r == nil {
		return nil
	}
	s, _ := r.now()
	return s.Found.Discovered
}

// begin begins a check unless one of the plan runs. What was found long ago is forgotten.
func (c *checks) begin(workspace, id string, now time.Time, do func(context.Context, *run)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for of, r := range c.all {
		s, _ := r.now()
		if old := s.Over && now.Sub(s.Ended) > keptFor; old {
			delete(c.all, of)
		} else if !s.Over && of == [2]string{workspace, id} {
			return
		}
	}
	if c.closed {
		return
	}
	if c.all == nil {
		c.all = map[[2]string]*run{}
	}
	// It goes on when the browser goes away.
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	r := &run{cancel: cancel, changed: make(chan struct{})}
	c.all[[2]string{workspace, id}] = r
	c.wait.Go(func() {
		defer cancel()
		do(ctx, r)
	})
}

func (c *checks) close() {
	c.mu.Lock()
	c.closed = true
	for _, r := range c.all {
		r.cancel()
	}
	c.mu.Unlock()
	c.wait.Wait()
}

func (p *Page) beginCheck(w http.ResponseWriter, v *visit) error {
	one, err := p.plan(v)
	if err != nil {
		return err
	}
	workspace := v.workspace
	p.checks.begin(workspace, one.ID, p.Now(), func(ctx context.Context, r *run) {
		found, kept, err := p.Access.Check(ctx, workspace, one.ID, access.CheckRequest{Progress: detect.Progress{
			Began: func(s plan.Stage) {
				p.Events.Began(workspace, one.ID, s)
				r.update(func(now *runState) { now.Running = s })
			},
			Done: func(done plan.Result) {
				p.Events.Stage(workspace, one.ID, done)
				r.update(func(now *runState) { now.done(done) })
			},
		}})
		r.update(func(now *runState) {
			now.Running, now.Over, now.Ended, now.Found, now.Kept, now.Err = "", true, p.Now(), found, kept, err
		})
	})
	return v.to(w, "", "plans", one.ID, "check")
}

// done records how a stage went, perhaps anew.
func (s *runState) done(r plan.Result) {
	if s.Running == r.Stage {
		s.Running = ""
	}
	if i := slices.IndexFunc(s.Stages, func(o plan.Result) bool { return o.Stage == r.Stage }); i >= 0 {
		s.Stages[i] = r
		return
	}
	s.Stages = append(s.Stages, r)
}

// line is a stage as it is shown: one that waits, that runs, or a result.
type line struct {
	Stage   plan.Stage
	Running bool
	Result  *plan.Result
}

// Lines are all stages, in their order.
func (s runState) Lines() []line {
	var all []line
	for _, stage := range plan.Stages() {
		l := line{Stage: stage, Running: s.Running == stage}
		if i := slices.IndexFunc(s.Stages, func(r plan.Result) bool { return r.Stage == stage }); i >= 0 {
			l.Result, l.Running = &s.Stages[i], false
		}
		all = append(all, l)
	}
	return all
}

type checkShown struct {
	Plan  plan.View
	State runState
	Fresh []plan.Model // that the endpoint lists, and the plan does not have
	form
}

// Failed is the first stage that failed.
func (s runState) Failed() *plan.Result {
	for i, r := range s.Stages {
		if r.Status == plan.Failed {
			return &s.Stages[i]
		}
	}
	return nil
}

// showCheck shows a check while it runs: the answer grows by a picture of the stages at each change, of which the last is
// seen. When it is over the same address shows how it went.
func (p *Page) showCheck(w http.ResponseWriter, v *visit) error {
	one, err := p.plan(v)
	if err != nil {
		return err
	}
	r := p.checks.get(v.workspace, one.ID)
	if r == nil {
		return v.to(w, "", "plans", one.ID)
	}
	f := frame{Title: "Check of " + one.Name, Section: "plans"}
	b := checkShown{Plan: one}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if v.Method == http.MethodHead {
		return nil
	}
	rc := http.NewResponseController(w)
	parts := []string{"head", "begin", "picture"}
	for {
		state, changed := r.now()
		b.State = state
		for _, part := range parts {
			if err := p.piece(w, "check", part, v.sheet(f, b)); err != nil {
				return nil // the browser went away
			}
		}
		if state.Over {
			break
		}
		if rc.Flush() != nil {
			return nil
		}
		parts = []string{"picture"}
		select {
		case <-changed:
		case <-v.Context().Done():
			return nil
		}
	}
	// What the check found is stored by now, unless the plan is another one.
	if now, err := p.plan(v); err == nil {
		b.Plan = now
	}
	b.Revision = revisionText(b.Plan.Revision)
	for _, m := range b.State.Found.Discovered {
		if !b.Plan.Has(m.ID) {
			b.Fresh = append(b.Fresh, m)
		}
	}
	for _, part := range []string{"end", "foot"} {
		if err := p.piece(w, "check", part, v.sheet(f, b)); err != nil {
			return nil
		}
	}
	return nil
}

func (p *Page) stopCheck(w http.ResponseWriter, v *visit) error {
	if r := p.checks.get(v.workspace, v.PathValue("id")); r != nil {
		r.cancel()
	}
	return v.to(w, "stopped-check", "plans", v.PathValue("id"))
}
