package detect

import (
	"context"
	"errors"

	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// Native asks the client that an official subscription is used through. Errors hold no credential.
type Native interface {
	// Ready says why the client or its adapter cannot be started, nil when they can.
	Ready(ctx context.Context) error
	// LoggedIn says why the client has no login, nil when it has.
	LoggedIn(ctx context.Context) error
	// Models are the models that the client offers, none when it does not tell.
	Models(ctx context.Context) ([]plan.Model, error)
	// Ask has the client ask a model for one word in a session that nobody sees. An error that is ErrLogin says that the
	// client found out only then that it has no login.
	Ask(ctx context.Context, model string) error
}

// ErrLogin is that a client wants its user to log in.
var ErrLogin = errors.New("the client has no login, or one that is good no more")

var errNoNative = errors.New("no client of this installation can use such a subscription")

// native runs the stages through the client.
func (c *check) native(ctx context.Context) {
	n := c.t.Native
	stage := func(s plan.Stage, do func(context.Context) error, reason plan.Reason, remedy plan.Remedy) bool {
		end := c.begin(s)
		limited, cancel := limit(ctx, c.c.Catalog)
		if s == plan.Inference {
			cancel()
			limited, cancel = limit(ctx, 2*c.c.Inference)
		}
		defer cancel()
		r := plan.Result{Status: plan.Passed}
		if err := do(limited); err != nil {
			r = plan.Result{Status: plan.Failed, Reason: reason, Remedy: remedy, Detail: err.Error()}
			if errors.Is(context.Cause(limited), errLate) {
				// A client that hangs is there, and says nothing of a login.
				r.Reason, r.Remedy, r.Detail = plan.Timeout, plan.RetryInference, errLate.Error()
			}
		}
		end(r)
		return r.Status == plan.Passed
	}
	ready := func(ctx context.Context) error {
		if n == nil {
			return errNoNative
		}
		return n.Ready(ctx)
	}
	if !stage(plan.Network, ready, plan.NoRuntime, plan.InstallProvider) {
		c.skip("", plan.Auth, plan.Discovery, plan.Inference)
		return
	}
	if !stage(plan.Auth, n.LoggedIn, plan.LoginRequired, plan.LogIn) {
		c.skip("", plan.Discovery, plan.Inference)
		return
	}
	end := c.begin(plan.Discovery)
	limited, cancel := limit(ctx, c.c.Catalog)
	defer cancel()
	models, err := n.Models(limited)
	if err != nil {
		end(c.without("the client does not tell its models"))
	} else if !c.list(end, models) {
		end(c.without("the client lists no models"))
	}
	if c.found.Model = c.pick(); c.found.Model == "" {
		c.begin(plan.Inference)(plan.Result{Status: plan.Failed, Reason: plan.NoModel, Remedy: plan.SelectModel})
		return
	}
	var login error
	stage(plan.Inference, func(ctx context.Context) error {
		err := n.Ask(ctx, c.found.Model)
		if errors.Is(err, ErrLogin) {
			login = err
		}
		return err
	}, plan.InferenceFailed, plan.RetryInference)
	if login != nil {
		c.authIs(plan.Result{Status: plan.Failed, Reason: plan.LoginRequired, Remedy: plan.LogIn, Detail: login.Error()})
	}
}
