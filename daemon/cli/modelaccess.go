package cli

import (
	"context"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/api/client"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	modelplan "github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// modelAccess is what commands on plans and agents work on: an [access.Access], or a daemon that has one. No credential comes
// out of it; a session that needs one opens the data directory itself, beside a daemon too.
type modelAccess interface {
	Plans(ctx context.Context, workspace string) ([]modelplan.Plan, error)
	Find(ctx context.Context, workspace, said string) (modelplan.Plan, error)
	CreatePlan(ctx context.Context, workspace string, s modelplan.Spec, key modelplan.Key) (modelplan.Plan, error)
	UpdatePlan(ctx context.Context, workspace, id string, from int64, edit func(modelplan.Plan) (store.Edit, error)) (modelplan.Plan, error)
	DuplicatePlan(ctx context.Context, workspace, id, name string) (modelplan.Plan, error)
	DeletePlan(ctx context.Context, workspace, id string, from int64) error
	References(ctx context.Context, workspace, id string) ([]modelplan.Reference, error)
	Check(ctx context.Context, workspace, id string, r access.CheckRequest) (detect.Found, bool, error)

	Agents(ctx context.Context, workspace string) ([]agent.Agent, error)
	FindAgent(ctx context.Context, workspace, said string) (agent.Agent, error)
	CreateAgent(ctx context.Context, workspace string, h agent.Harness, s agent.Spec) (agent.Agent, error)
	UpdateAgent(ctx context.Context, workspace, id string, from int64, h agent.Harness, s agent.Spec) (agent.Agent, error)
	DeleteAgent(ctx context.Context, workspace, id string, from int64) error
}

// served is the model access of a daemon. It looks at clients itself, and is not told what they take.
type served struct{ *client.Client }

func (s served) Check(ctx context.Context, workspace, id string, r access.CheckRequest) (detect.Found, bool, error) {
	return s.Client.Check(ctx, workspace, id, r.Model, r.Progress)
}

func (s served) CreateAgent(ctx context.Context, workspace string, _ agent.Harness, spec agent.Spec) (agent.Agent, error) {
	return s.Client.CreateAgent(ctx, workspace, spec)
}

func (s served) UpdateAgent(ctx context.Context, workspace, id string, from int64, _ agent.Harness, spec agent.Spec) (agent.Agent, error) {
	return s.Client.UpdateAgent(ctx, workspace, id, from, spec)
}
