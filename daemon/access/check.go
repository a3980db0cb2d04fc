package access

import (
	"context"
	"sync"

	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// CheckRequest says what is checked, beside what a plan says itself.
type CheckRequest struct {
	// Model is the one to ask. "": the plan's, else the first one that the endpoint lists.
	Model    string
	Progress detect.Progress
}

// Check checks a plan and keeps what it finds, unless the plan was changed meanwhile, which kept says. A second check of a
// plan waits for the first one. Errors: [problem.PlanNotFound], [problem.Unreadable], that ctx ended.
func (a *Access) Check(ctx context.Context, workspace, id string, r CheckRequest) (found detect.Found, kept bool, err error) {
	done, err := a.checks.begin(ctx, workspace+"\x00"+id)
	if err != nil {
		return found, false, err
	}
	defer done()
	p, key, err := a.PlanWithKey(ctx, workspace, id)
	if err != nil {
		return found, false, err
	}
	found, err = a.detect(ctx, detect.Target{Spec: p.Spec, Key: key, Model: r.Model, Revision: p.Revision}, r.Progress)
	if err != nil {
		return found, false, err
	}
	kept, err = a.RecordDetection(ctx, workspace, id, found.Detection)
	return found, kept, err
}

// CheckDraft checks what a person has typed, and stores nothing. What is not typed of a plan that is there is taken from it
// by the caller. Errors: [problem.InvalidPlan], that ctx ended.
func (a *Access) CheckDraft(ctx context.Context, spec plan.Spec, key plan.Key, r CheckRequest) (detect.Found, error) {
	if spec.Name == "" {
		spec.Name = "draft"
	}
	spec, err := spec.Clean()
	if err != nil {
		return detect.Found{}, err
	}
	return a.detect(ctx, detect.Target{Spec: spec, Key: key, Model: r.Model}, r.Progress)
}

// detect runs a check, with the vendor's own client where the plan is a subscription of the vendor's.
func (a *Access) detect(ctx context.Context, t detect.Target, p detect.Progress) (detect.Found, error) {
	if t.Template == plan.OfficialSubscription && a.c.Native != nil {
		asks, end, err := a.c.Native(ctx, t.Protocol)
		switch {
		case ctx.Err() != nil:
			return detect.Found{}, ctx.Err()
		case err != nil:
			t.Native = unready{err}
		default:
			defer end()
			t.Native = asks
		}
	}
	return a.detector.Check(ctx, t, p)
}

// unready is a client that could not be asked anything, which is found of the plan like all else that is wrong with it.
type unready struct{ why error }

func (u unready) Ready(context.Context) error                  { return u.why }
func (u unready) LoggedIn(context.Context) error               { return u.why }
func (u unready) Models(context.Context) ([]plan.Model, error) { return nil, u.why }
func (u unready) Ask(context.Context, string) error            { return u.why }

// Find gives the plan that a person means; see [PickPlan].
func (a *Access) Find(ctx context.Context, workspace, said string) (plan.Plan, error) {
	all, err := a.Plans(ctx, workspace)
	if err != nil {
		return plan.Plan{}, err
	}
	return PickPlan(all, said)
}

// checks are the checks that run, by their plan.
type checks struct {
	mu      sync.Mutex
	running map[string]chan struct{}
}

// begin waits until no check of a plan runs, and begins one.
func (c *checks) begin(ctx context.Context, plan string) (done func(), err error) {
	for {
		c.mu.Lock()
		if c.running == nil {
			c.running = map[string]chan struct{}{}
		}
		other, busy := c.running[plan]
		if !busy {
			mine := make(chan struct{})
			c.running[plan] = mine
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				delete(c.running, plan)
				c.mu.Unlock()
				close(mine)
			}, nil
		}
		c.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
