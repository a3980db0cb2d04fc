package cli

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/daemon/access"
	planbinding "github.com/greenroom-agents/greenroom/daemon/binding"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/relay"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// wanted is the session that the flags name a plan or an agent for.
func (b *binding) wanted(in string, s core.Session) (r planbinding.Request, err error) {
	const itself = "leave them away, or leave --plan and --agent away"
	switch {
	case b.upstream != "" || b.keyName != "" || b.protocol != "":
		return r, usage(itself, "a plan says itself what --upstream, --key-env and --protocol say")
	case b.facts.given():
		return r, usage("change the plan, with `greenroom plans edit`", "a plan says itself what --context and --images say")
	case len(b.models) > 1:
		return r, usage("give the one to begin with; the plan has the others", "--model was given twice with a plan")
	case b.named != "" && b.agent != "":
		return r, usage("name one of them", "--plan and --agent are both given")
	}
	r = planbinding.Request{Session: s, Workspace: cmp.Or(in, access.Personal), Otherwise: b.otherwise(), Shield: b.shield}
	if len(b.models) == 1 {
		r.Model = b.models[0]
	}
	if b.dialect != "" {
		d, known := dialect.Named(b.dialect)
		if !known {
			return r, planFailure(&relay.FieldError{Field: "Dialect", What: fmt.Sprintf("%q is unknown", b.dialect)})
		}
		r.Dialect = &d
	}
	return r, nil
}

// runBound runs a session on the plan or as the agent that was named. It opens the store itself, beside a daemon too, since a
// session needs the key, and follows the plan from turn to turn.
func (a *app) runBound(ctx context.Context, h *core.Host, b binding, m preparer.Model, in string, s core.Session, keep core.Keep, do act) (status int, err error) {
	r, err := b.wanted(in, s)
	if err != nil {
		return 0, err
	}
	c, err := a.accessConfig()
	if err != nil {
		return 0, err
	}
	acc, err := access.Open(ctx, c)
	if err != nil {
		return 0, err
	}
	defer acc.Close()
	if b.agent != "" {
		found, err := acc.FindAgent(ctx, r.Workspace, b.agent)
		if err != nil {
			return 0, err
		}
		if found.Harness != s.Provider {
			return 0, usage("as in: greenroom run "+paint.Clean(found.Harness)+" --agent "+quoted(found.Name), "the agent is of another client")
		}
		r.Agent = found.ID
	} else {
		found, err := acc.Find(ctx, r.Workspace, b.named)
		if err != nil {
			return 0, err
		}
		r.Plan = found.ID
	}
	tally := new(relay.Tally)
	bc := planbinding.Config{Access: acc, Host: h, Observer: tally, Proxy: http.ProxyFromEnvironment, Now: a.Now, Random: a.Rand}
	if m.Endpoint == preparer.ResponsesToChatGateway {
		bc.Address = b.listen
	} else {
		bc.PassthroughAddress = b.listen
	}
	binder, err := planbinding.New(bc)
	if err != nil {
		return 0, planFailure(&relay.FieldError{Field: "Listen", What: strings.TrimPrefix(err.Error(), "gateway: ")})
	}
	rest := context.WithoutCancel(ctx)
	var x *planbinding.Binding
	status, err = a.runPrepared(ctx, h, s, keep, func(ctx context.Context, s core.Session) (*core.Prepared, admission, error) {
		r.Session = s
		var err error
		if x, err = binder.Begin(ctx, r); err != nil {
			return nil, nil, err
		}
		a.refused, a.claim = x.Refused, x.Claim
		return x.Prepared(), x.Admit, nil
	}, func(ctx context.Context, h *core.Host, p *core.Prepared, admit admission) (int, error) {
		a.sayOtherwise(ctx, acc, x)
		return do(ctx, h, p, admit)
	})
	through := x != nil && x.Through()
	if x != nil {
		err = errors.Join(err, x.End(rest))
	}
	_ = binder.Close(rest)
	if sum := tally.Summary(); through && (err == nil || sum.Turns+sum.Failed+sum.Refused > 0) {
		fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Good("greenroom:"), view.Relayed(sum))
	}
	return status, err
}

// finished records of a turn, by its last event, that the agent says it is done, where its session is on a plan or an agent's.
// A turn that went well is no failure because that could not be recorded.
func (a *app) finished(ctx context.Context, last launch.Event) {
	if a.claim == nil || last.Kind != launch.End || last.Reason != launch.Finished {
		return
	}
	// A session is driven by one process after the other, so that a number of this one is no id.
	random := make([]byte, 4)
	_, err := io.ReadFull(a.Rand, random)
	if err == nil {
		err = a.claim(context.WithoutCancel(ctx), a.Now().UTC().Format(time.RFC3339)+"-"+hex.EncodeToString(random))
	}
	if err != nil {
		fmt.Fprintf(a.Stderr, "%s that the turn is done could not be recorded: %s\n", a.notes.Warn("greenroom:"), paint.Clean(err.Error()))
	}
}

// sayOtherwise says what a session is on in the place of the plan that was meant.
func (a *app) sayOtherwise(ctx context.Context, acc *access.Access, x *planbinding.Binding) {
	if x.NotUsed() == nil {
		return
	}
	instead, snap := "your own login is used", x.Snapshot()
	if snap.Plan != "" {
		name := snap.Plan
		if p, err := acc.Plan(ctx, snap.Workspace, snap.Plan); err == nil {
			name = p.Name
		}
		instead = "the plan " + paint.Clean(name) + " is used"
	}
	whose := "the plan that was named"
	if snap.Agent != "" {
		whose = "the agent's plan"
	}
	fmt.Fprintf(a.Stderr, "%s %s instead of %s: %s\n", a.notes.Warn("greenroom:"), instead, whose, paint.Clean(x.NotUsed().Error()))
}
