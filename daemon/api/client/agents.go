package client

import (
	"context"
	"net/http"

	"github.com/greenroom-agents/greenroom/core/extension/composer"
	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/api/wire"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Provider is a client that the daemon has an adapter for, or an extension that describes it.
type Provider struct {
	ID string `json:"id"`
	// Binding says whether its sessions can be bound to a plan.
	Binding    bool                     `json:"modelPlanBinding"`
	Protocol   preparer.Protocol        `json:"modelPlanProtocol"`
	Addressing preparer.Addressing      `json:"modelPlanModelAddressing"`
	Endpoint   preparer.EndpointAdapter `json:"modelPlanEndpointAdapter"`
}

// Providers are the clients that there are adapters for, and those that extensions describe.
func (c *Client) Providers(ctx context.Context) ([]Provider, error) {
	var all struct{ Providers []Provider }
	err := c.do(ctx, c.c.Patience, &all, func(ctx context.Context) (*http.Response, error) { return c.wire.ListProviders(ctx) })
	return all.Providers, err
}

// document asks for what the generated client leaves out, since it is no value of the interface.
func (c *Client) document(ctx context.Context) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.c.BaseURL+"/v1/openapi.yaml", nil)
	if err != nil {
		return nil, err
	}
	_ = c.authorize(ctx, r)
	return c.http.Do(r)
}

// Document is the daemon's own description of what it serves.
func (c *Client) Document(ctx context.Context) ([]byte, error) {
	var text raw
	err := c.do(ctx, c.c.Patience, &text, c.document)
	return text, err
}

// Agents are the agents of a workspace.
func (c *Client) Agents(ctx context.Context, workspace string) ([]agent.Agent, error) {
	var all struct{ Agents []agent.Agent }
	err := c.do(ctx, c.c.Patience, &all, func(ctx context.Context) (*http.Response, error) { return c.wire.ListWorkspaceAgents(ctx, workspace) }, workspace)
	return all.Agents, err
}

// Binding is a binding of an earlier installation that an agent was made of.
type Binding struct {
	Target string `json:"agentTargetId"`
	Plan   string `json:"modelPlanId"`
	Model  string `json:"defaultModel"`
	Agent  string `json:"workspaceAgentId"`
}

// Bindings are the bindings of an earlier installation. They are changed as the agents that were made of them.
func (c *Client) Bindings(ctx context.Context, workspace string) ([]Binding, error) {
	var all struct{ Bindings []Binding }
	err := c.do(ctx, c.c.Patience, &all, func(ctx context.Context) (*http.Response, error) {
		return c.wire.ListAgentModelBindings(ctx, workspace)
	}, workspace)
	return all.Bindings, err
}

// Agent is one agent. Errors: [problem.AgentNotFound].
func (c *Client) Agent(ctx context.Context, workspace, id string) (agent.Agent, error) {
	return c.agent(ctx, func(ctx context.Context) (*http.Response, error) { return c.wire.GetWorkspaceAgent(ctx, workspace, id) }, workspace, id)
}

func (c *Client) agent(ctx context.Context, op operation, ids ...string) (a agent.Agent, err error) {
	err = c.do(ctx, c.c.Patience, &a, op, ids...)
	return a, err
}

// FindAgent gives the agent that a person means; see [access.PickAgent].
func (c *Client) FindAgent(ctx context.Context, workspace, said string) (agent.Agent, error) {
	all, err := c.Agents(ctx, workspace)
	if err != nil {
		return agent.Agent{}, err
	}
	return access.PickAgent(all, said)
}

// CreateAgent stores an agent. Errors: [problem.InvalidAgent], [problem.NoDependency], [problem.HarnessOff],
// [problem.AgentPlanWrong].
func (c *Client) CreateAgent(ctx context.Context, workspace string, s agent.Spec) (agent.Agent, error) {
	form, err := body[wire.PutWorkspaceAgentRequest](s)
	if err != nil {
		return agent.Agent{}, err
	}
	return c.agent(ctx, func(ctx context.Context) (*http.Response, error) {
		return c.wire.CreateWorkspaceAgent(ctx, workspace, form)
	}, workspace)
}

// UpdateAgent stores the next revision of an agent that is at revision from. Errors: those of CreateAgent,
// [problem.AgentNotFound], [problem.AgentConflict].
func (c *Client) UpdateAgent(ctx context.Context, workspace, id string, from int64, s agent.Spec) (agent.Agent, error) {
	form, err := body[wire.PutWorkspaceAgentRequest](s)
	if err != nil {
		return agent.Agent{}, err
	}
	return c.agent(ctx, func(ctx context.Context) (*http.Response, error) {
		return c.wire.UpdateWorkspaceAgent(ctx, workspace, id, &wire.UpdateWorkspaceAgentParams{IfMatch: ifMatch(from)}, form)
	}, workspace, id)
}

// DeleteAgent deletes an agent. Errors: [problem.AgentNotFound], [problem.AgentConflict].
func (c *Client) DeleteAgent(ctx context.Context, workspace, id string, from int64) error {
	return c.do(ctx, c.c.Patience, nil, func(ctx context.Context) (*http.Response, error) {
		return c.wire.DeleteWorkspaceAgent(ctx, workspace, id, &wire.DeleteWorkspaceAgentParams{IfMatch: ifMatch(from)})
	}, workspace, id)
}

// Composer is which models a session of an agent can have.
type Composer struct {
	Options      []Option `json:"options"`
	Current      string   `json:"current"`
	Configurable bool     `json:"configurable"`
	ModelSwitch  bool     `json:"modelSwitch"`
	// PlanNotUsed says why a plan of the agent is not the one that a session gets, "" when it is.
	PlanNotUsed string `json:"planNotUsed"`
	// Profile is what the extension of the agent's client lets a person choose besides, nil where there is none.
	Profile *composer.Profile `json:"composer"`
	Runtime Runtime           `json:"runtimeContext"`
}

// Option is a model that can be chosen.
type Option struct {
	ID          string `json:"id"`
	Value       string `json:"value"` // as the client spells it
	Label       string `json:"label"`
	Description string `json:"description"` // the name of its plan
	AppliesTo   string `json:"appliesTo"`   // "session", or "new_session" for a model of another plan
}

// Runtime is what a session runs on.
type Runtime struct {
	Source string `json:"source"` // "model-plan" or "provider-native"
	Model  string `json:"model"`
	Plan   *struct {
		ID       string            `json:"id"`
		Name     string            `json:"name"`
		Protocol preparer.Protocol `json:"protocol"`
	} `json:"modelPlan"`
}

// Composer gives the models that a session of an agent can have. Errors: [problem.AgentNotFound], and those of an agent that
// is to fail without its plan.
func (c *Client) Composer(ctx context.Context, workspace, id string) (options Composer, err error) {
	err = c.do(ctx, c.c.Patience, &options, func(ctx context.Context) (*http.Response, error) {
		return c.wire.GetComposerOptions(ctx, workspace, id)
	}, workspace, id)
	return options, err
}

// Sessions are the sessions of a workspace that are bound to plans.
func (c *Client) Sessions(ctx context.Context, workspace string) ([]store.Snapshot, error) {
	var all struct{ Sessions []store.Snapshot }
	err := c.do(ctx, c.c.Patience, &all, func(ctx context.Context) (*http.Response, error) { return c.wire.ListAgentSessions(ctx, workspace) }, workspace)
	return all.Sessions, err
}

// Acceptance is how far the work of a session is accepted, nil when nothing was said of it.
func (c *Client) Acceptance(ctx context.Context, workspace, session string) (*acceptance.Acceptance, error) {
	return c.acceptance(ctx, func(ctx context.Context) (*http.Response, error) {
		return c.wire.GetAcceptance(ctx, workspace, session)
	}, workspace, session)
}

func (c *Client) acceptance(ctx context.Context, op operation, ids ...string) (*acceptance.Acceptance, error) {
	var told struct{ Acceptance *acceptance.Acceptance }
	err := c.do(ctx, c.c.Patience, &told, op, ids...)
	return told.Acceptance, err
}

// Accept is that the person whose client this is accepts a turn. Errors: [problem.SessionNotFound],
// [problem.InvalidAcceptance].
func (c *Client) Accept(ctx context.Context, workspace, session, turn string) (*acceptance.Acceptance, error) {
	return c.acceptance(ctx, func(ctx context.Context) (*http.Response, error) {
		return c.wire.AcceptTurn(ctx, workspace, session, wire.AcceptRequest{TurnId: turn})
	}, workspace, session)
}
