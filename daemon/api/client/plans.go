package client

import (
	"context"
	"net/http"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/api/wire"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Plans are the plans of a workspace, the oldest first.
func (c *Client) Plans(ctx context.Context, workspace string) ([]plan.Plan, error) {
	var all struct{ Plans []plan.Plan }
	err := c.do(ctx, c.c.Patience, &all, func(ctx context.Context) (*http.Response, error) { return c.wire.ListModelPlans(ctx, workspace) }, workspace)
	return all.Plans, err
}

// Plan is one plan. Errors: [problem.PlanNotFound].
func (c *Client) Plan(ctx context.Context, workspace, id string) (plan.Plan, error) {
	return c.plan(ctx, func(ctx context.Context) (*http.Response, error) { return c.wire.GetModelPlan(ctx, workspace, id) }, workspace, id)
}

func (c *Client) plan(ctx context.Context, op operation, ids ...string) (p plan.Plan, err error) {
	err = c.do(ctx, c.c.Patience, &p, op, ids...)
	return p, err
}

// Find gives the plan that a person means; see [access.PickPlan].
func (c *Client) Find(ctx context.Context, workspace, said string) (plan.Plan, error) {
	all, err := c.Plans(ctx, workspace)
	if err != nil {
		return plan.Plan{}, err
	}
	return access.PickPlan(all, said)
}

// sent is a plan as it is sent.
type sent struct {
	Name     string            `json:"name"`
	Protocol preparer.Protocol `json:"protocol"`
	Template plan.Template     `json:"templateKind,omitempty"`
	Key      *string           `json:"apiKey,omitempty"`
	BaseURL  string            `json:"baseUrl"`
	Models   []plan.Model      `json:"models"`
	Default  string            `json:"defaultModel"`
	Enabled  bool              `json:"enabled"`
}

func send(s plan.Spec, key *plan.Key) sent {
	out := sent{Name: s.Name, Protocol: s.Protocol, Template: s.Template, BaseURL: s.BaseURL, Models: s.Models, Default: s.Default, Enabled: s.Enabled}
	if key != nil {
		text := key.Reveal()
		out.Key = &text
	}
	if out.Models == nil {
		out.Models = []plan.Model{}
	}
	return out
}

// CreatePlan stores a plan. Errors: [problem.InvalidPlan].
func (c *Client) CreatePlan(ctx context.Context, workspace string, s plan.Spec, key plan.Key) (plan.Plan, error) {
	form, err := body[wire.PutModelPlanRequest](send(s, &key))
	if err != nil {
		return plan.Plan{}, err
	}
	return c.plan(ctx, func(ctx context.Context) (*http.Response, error) { return c.wire.CreateModelPlan(ctx, workspace, form) }, workspace)
}

// UpdatePlan stores the next revision of a plan that is at revision from, made by edit of what it is then. Errors:
// [problem.PlanNotFound], [problem.PlanConflict], [problem.InvalidPlan], [problem.Unreadable], what edit gives.
func (c *Client) UpdatePlan(ctx context.Context, workspace, id string, from int64, edit func(plan.Plan) (store.Edit, error)) (plan.Plan, error) {
	old, err := c.Plan(ctx, workspace, id)
	if err != nil {
		return old, err
	}
	made, err := edit(old)
	if err != nil {
		return plan.Plan{}, err
	}
	if from == store.AnyRevision {
		from = old.Revision // what edit was made from
	}
	form, err := body[wire.PutModelPlanRequest](send(made.Spec, made.Key))
	if err != nil {
		return plan.Plan{}, err
	}
	return c.plan(ctx, func(ctx context.Context) (*http.Response, error) {
		return c.wire.UpdateModelPlan(ctx, workspace, id, &wire.UpdateModelPlanParams{IfMatch: ifMatch(from)}, form)
	}, workspace, id)
}

// EnablePlan says whether a plan may be used. Errors: [problem.PlanNotFound], [problem.PlanConflict].
func (c *Client) EnablePlan(ctx context.Context, workspace, id string, from int64, enabled bool) (plan.Plan, error) {
	return c.plan(ctx, func(ctx context.Context) (*http.Response, error) {
		return c.wire.SetModelPlanEnabled(ctx, workspace, id, &wire.SetModelPlanEnabledParams{IfMatch: ifMatch(from)}, wire.EnabledRequest{Enabled: enabled})
	}, workspace, id)
}

// DuplicatePlan makes a disabled copy, with the key. name "" is that of the plan with " copy". Errors:
// [problem.PlanNotFound], [problem.InvalidPlan].
func (c *Client) DuplicatePlan(ctx context.Context, workspace, id, name string) (plan.Plan, error) {
	var form wire.DuplicateModelPlanRequest
	if name != "" {
		form.Name = &name
	}
	return c.plan(ctx, func(ctx context.Context) (*http.Response, error) {
		return c.wire.DuplicateModelPlan(ctx, workspace, id, form)
	}, workspace, id)
}

// DeletePlan deletes a plan that nothing uses. Errors: [problem.PlanNotFound], [problem.PlanConflict],
// [problem.PlanReferenced] with a [store.Referenced] behind it.
func (c *Client) DeletePlan(ctx context.Context, workspace, id string, from int64) error {
	return c.do(ctx, c.c.Patience, nil, func(ctx context.Context) (*http.Response, error) {
		return c.wire.DeleteModelPlan(ctx, workspace, id, &wire.DeleteModelPlanParams{IfMatch: ifMatch(from)})
	}, workspace, id)
}

// References are what uses a plan. Errors: [problem.PlanNotFound].
func (c *Client) References(ctx context.Context, workspace, id string) ([]plan.Reference, error) {
	all := struct{ References []plan.Reference }{[]plan.Reference{}}
	err := c.do(ctx, c.c.Patience, &all, func(ctx context.Context) (*http.Response, error) {
		return c.wire.ListModelPlanReferences(ctx, workspace, id)
	}, workspace, id)
	return all.References, err
}

// Check checks a stored plan, and says whether what was found is kept. model "" is the plan's own choice. Errors:
// [problem.PlanNotFound], [problem.Unreadable].
func (c *Client) Check(ctx context.Context, workspace, id, model string, progress detect.Progress) (found detect.Found, kept bool, err error) {
	told := newTelling(progress)
	listening, stop := context.WithCancel(ctx)
	over := make(chan struct{})
	if events, err := c.Events(listening, workspace); err != nil {
		close(over) // nobody hears how it goes, which keeps nobody from checking
	} else {
		go func() {
			defer close(over)
			defer events.Close()
			told.hear(events, id)
		}()
	}
	form := wire.DetectModelPlanRequest{PlanId: &id}
	if model != "" {
		form.Model = &model
	}
	found, kept, err = c.detect(ctx, workspace, form)
	stop()
	<-over
	if err == nil {
		told.rest(found.Stages)
	}
	return found, kept, err
}

// CheckDraft checks what a person has typed, and stores nothing. Errors: invalid_model_plan_detection.
func (c *Client) CheckDraft(ctx context.Context, workspace string, s plan.Spec, key plan.Key, model string) (detect.Found, error) {
	draft := struct {
		sent
		Model string `json:"model,omitempty"`
	}{send(s, &key), model}
	if draft.Name == "" {
		draft.Name = "draft"
	}
	form, err := body[wire.DetectModelPlanRequest](draft)
	if err != nil {
		return detect.Found{}, err
	}
	found, _, err := c.detect(ctx, workspace, form)
	return found, err
}

func (c *Client) detect(ctx context.Context, workspace string, form wire.DetectModelPlanRequest) (found detect.Found, kept bool, err error) {
	var answer struct {
		Detection  plan.Detection
		Discovered []plan.Model `json:"discoveredModels"`
		Kept       bool
	}
	err = c.do(ctx, checkPatience, &answer, func(ctx context.Context) (*http.Response, error) { return c.wire.DetectModelPlan(ctx, workspace, form) }, workspace)
	return detect.Found{Detection: answer.Detection, Discovered: answer.Discovered}, answer.Kept, err
}
