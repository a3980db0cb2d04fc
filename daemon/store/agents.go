package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"sync"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

const agentColumns = "SELECT id, revision, source, body, created_ms, updated_ms FROM agents WHERE workspace = ?"

// scanHead reads an agent but for its spec, which is the body.
func scanHead(workspace string, scan func(...any) error) (a agent.Agent, body []byte, err error) {
	a = agent.Agent{Workspace: workspace}
	var created, updated int64
	var source string
	err = scan(&a.ID, &a.Revision, &source, &body, &created, &updated)
	a.Source, a.Created, a.Updated = agent.Source(source), at(created), at(updated)
	return a, body, err
}

func scanAgent(workspace string, scan func(...any) error) (agent.Agent, error) {
	a, body, err := scanHead(workspace, scan)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(body, &a.Spec)
}

// Agents are the agents of a workspace, the oldest first.
func (s *Store) Agents(ctx context.Context, workspace string) ([]agent.Agent, error) {
	var all []*batch
	var wait sync.WaitGroup
	err := s.rows(ctx, s.db, func(scan func(...any) error) error {
		a, body, err := scanHead(workspace, scan)
		if len(all) == 0 || len(all[len(all)-1].agents) == share {
			all = append(all, &batch{agents: make([]agent.Agent, 0, share)})
		}
		last := all[len(all)-1]
		last.agents, last.bodies = append(last.agents, a), append(last.bodies, body)
		if len(last.agents) == share {
			wait.Go(last.read)
		}
		return err
	}, agentColumns+" ORDER BY created_ms, id", workspace)
	if len(all) > 0 && len(all[len(all)-1].agents) < share {
		all[len(all)-1].read()
	}
	wait.Wait()
	list := make([]agent.Agent, 0, len(all)*share)
	for _, b := range all {
		list, err = append(list, b.agents...), errors.Join(err, b.err)
	}
	return list, failed(err)
}

// share is how many agents a batch has at most.
const share = 512

// batch is some agents whose specs are read while the database gives the next ones: that takes longer than giving them.
type batch struct {
	agents []agent.Agent
	bodies [][]byte
	err    error
}

func (b *batch) read() {
	for i, body := range b.bodies {
		if b.err = json.Unmarshal(body, &b.agents[i].Spec); b.err != nil {
			return
		}
	}
}

// Agent is an agent as it is now. Errors: [problem.AgentNotFound].
func (s *Store) Agent(ctx context.Context, workspace, id string) (agent.Agent, error) {
	a, err := s.agent(ctx, s.db, workspace, id)
	return a, failed(err)
}

func (s *Store) agent(ctx context.Context, on handle, workspace, id string) (agent.Agent, error) {
	a, err := scanAgent(workspace, s.row(ctx, on, agentColumns+" AND id = ?", workspace, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return a, problem.New(problem.AgentNotFound, "", "there is no such agent")
	}
	return a, err
}

// CreateAgent stores a new agent as revision 1. Its harness has to be there, and its plans have to be usable by it now.
// Errors: [problem.InvalidAgent] and those of [agent.Spec.Check].
func (s *Store) CreateAgent(ctx context.Context, workspace string, h agent.Harness, spec agent.Spec) (agent.Agent, error) {
	a := agent.Agent{Workspace: workspace, Revision: 1, Source: agent.User}
	var err error
	if workspace == "" || len(workspace) > 1024 {
		return a, problem.New(problem.InvalidAgent, "workspaceId", "is blank or too long")
	}
	if a.Spec, err = spec.Clean(); err != nil {
		return a, err
	}
	if a.ID, err = agent.NewID(s.Random); err != nil {
		return a, err
	}
	a.Created = s.now()
	a.Updated = a.Created
	err = s.write(ctx, func(tx *sql.Tx) error {
		if err := s.check(ctx, tx, workspace, h, a.Spec); err != nil {
			return err
		}
		body, err := json.Marshal(a.Spec)
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, tx, `INSERT INTO agents (workspace, id, revision, name, source, body, created_ms, updated_ms)
			VALUES (?, ?, 1, ?, ?, ?, ?, ?)`, workspace, a.ID, a.Name, string(a.Source), string(body), a.Created.UnixMilli(), a.Updated.UnixMilli())
		if err != nil {
			return err
		}
		return s.usePlans(ctx, tx, a)
	})
	return s.agentStored(a, err)
}

// agentStored tells of an agent that was stored. A plan that was deleted at the same moment is one that is not there.
func (s *Store) agentStored(a agent.Agent, err error) (agent.Agent, error) {
	if err != nil && s.engine.inUse(err) {
		return a, problem.New(problem.NoDependency, "modelPlanId", "names a plan that is not there")
	}
	if err != nil {
		return agent.Agent{}, err
	}
	s.changed(Change{Kind: AgentChanged, Workspace: a.Workspace, ID: a.ID})
	return a, nil
}

// UpdateAgent stores an agent anew that is at revision from. Errors: [problem.AgentNotFound], [problem.AgentConflict] and
// those of CreateAgent.
func (s *Store) UpdateAgent(ctx context.Context, workspace, id string, from int64, h agent.Harness, spec agent.Spec) (agent.Agent, error) {
	spec, err := spec.Clean()
	if err != nil {
		return agent.Agent{}, err
	}
	var a agent.Agent
	err = s.write(ctx, func(tx *sql.Tx) error {
		if a, err = s.agent(ctx, tx, workspace, id); err != nil {
			return err
		}
		if from != AnyRevision && from != a.Revision {
			return agentConflict()
		}
		if err := s.check(ctx, tx, workspace, h, spec); err != nil {
			return err
		}
		body, err := json.Marshal(spec)
		if err != nil {
			return err
		}
		before := a.Revision
		a.Spec, a.Revision, a.Updated = spec, before+1, s.now()
		n, err := s.exec(ctx, tx, "UPDATE agents SET revision = ?, name = ?, body = ?, updated_ms = ? WHERE workspace = ? AND id = ? AND revision = ?",
			a.Revision, a.Name, string(body), a.Updated.UnixMilli(), workspace, id, before)
		if err == nil && n != 1 {
			err = agentConflict()
		}
		if err != nil {
			return err
		}
		if _, err := s.exec(ctx, tx, "DELETE FROM agent_plans WHERE workspace = ? AND agent = ?", workspace, id); err != nil {
			return err
		}
		return s.usePlans(ctx, tx, a)
	})
	return s.agentStored(a, err)
}

func agentConflict() error {
	return problem.New(problem.AgentConflict, "", "the agent was changed by somebody else meanwhile").
		WithHint("read it again, and make the change on what it is now")
}

func (s *Store) check(ctx context.Context, tx *sql.Tx, workspace string, h agent.Harness, spec agent.Spec) error {
	return spec.Check(h, func(id string) (plan.Plan, error) {
		p, _, err := s.current(ctx, tx, workspace, id)
		return p.Plan, err
	})
}

func (s *Store) usePlans(ctx context.Context, tx *sql.Tx, a agent.Agent) error {
	for i, r := range a.Routes() {
		if _, err := s.exec(ctx, tx, "INSERT INTO agent_plans (workspace, agent, position, plan) VALUES (?, ?, ?, ?)", a.Workspace, a.ID, i, r.Plan); err != nil {
			return err
		}
	}
	return nil
}

// DeleteAgent deletes an agent that is at revision from. Nothing keeps one from being deleted. Errors:
// [problem.AgentNotFound], [problem.AgentConflict].
func (s *Store) DeleteAgent(ctx context.Context, workspace, id string, from int64) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		a, err := s.agent(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		if from != AnyRevision && from != a.Revision {
			return agentConflict()
		}
		_, err = s.exec(ctx, tx, "DELETE FROM agents WHERE workspace = ? AND id = ?", workspace, id)
		return err
	})
	if err == nil {
		s.changed(Change{Kind: AgentChanged, Workspace: workspace, ID: id, Deleted: true})
	}
	return err
}
