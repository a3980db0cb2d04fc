package store

import (
	"context"
	"database/sql"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// Referenced says what keeps a plan from being deleted. It stands behind a [problem.PlanReferenced].
type Referenced struct{ References []plan.Reference }

func (r *Referenced) Error() string { return "the plan is used" }

// References are what uses a plan, in each of its roles. Errors: [problem.PlanNotFound].
func (s *Store) References(ctx context.Context, workspace, id string) ([]plan.Reference, error) {
	if _, err := s.Plan(ctx, workspace, id); err != nil {
		return nil, err
	}
	refs, err := s.references(ctx, s.db, workspace, id)
	return refs, failed(err)
}

func (s *Store) references(ctx context.Context, on handle, workspace, id string) ([]plan.Reference, error) {
	refs := []plan.Reference{}
	err := s.rows(ctx, on, func(scan func(...any) error) error {
		r := plan.Reference{Kind: plan.RefAgent, Role: "fallback"}
		var first int64
		err := scan(&r.ID, &r.Name, &first)
		if first != 0 {
			r.Role = "default"
		}
		refs = append(refs, r)
		return err
	}, `SELECT DISTINCT a.id, a.name, CASE WHEN p.position = 0 THEN 1 ELSE 0 END AS first
		FROM agent_plans p JOIN agents a ON a.workspace = p.workspace AND a.id = p.agent
		WHERE p.workspace = ? AND p.plan = ? ORDER BY a.name, a.id, first DESC`, workspace, id)
	if err != nil {
		return nil, err
	}
	err = s.rows(ctx, on, func(scan func(...any) error) error {
		r := plan.Reference{Kind: plan.RefSession, Role: "default"}
		err := scan(&r.ID)
		refs = append(refs, r)
		return err
	}, "SELECT session FROM sessions WHERE workspace = ? AND plan = ? ORDER BY session", workspace, id)
	return refs, err
}

// DeletePlan deletes a plan that is at revision from, with its revisions and their credentials. Sessions that are bound to
// it end with their running turn. Errors: [problem.PlanNotFound], [problem.PlanConflict], [problem.PlanReferenced].
func (s *Store) DeletePlan(ctx context.Context, workspace, id string, from int64) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		p, _, err := s.current(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		if from != AnyRevision && from != p.Revision {
			return conflict()
		}
		refs, err := s.references(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		for _, r := range refs {
			if r.Blocks() {
				return referenced(refs)
			}
		}
		_, err = s.exec(ctx, tx, "DELETE FROM plans WHERE workspace = ? AND id = ?", workspace, id)
		return err
	})
	if err != nil && s.engine.inUse(err) {
		// Somebody began to use it between the look and the deletion.
		refs, err := s.references(ctx, s.db, workspace, id)
		if err != nil {
			return failed(err)
		}
		return referenced(refs)
	}
	if err == nil {
		s.changed(Change{Kind: PlanChanged, Workspace: workspace, ID: id, Deleted: true, Reset: true})
	}
	return err
}

func referenced(refs []plan.Reference) error {
	e := problem.Wrap(&Referenced{refs}, problem.PlanReferenced, "the plan is used")
	return e.WithHint("give what uses it another plan first")
}
