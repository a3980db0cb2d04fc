package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// RecordDetection keeps what a check of a revision of a plan found, and says whether it did: a plan that was changed or
// deleted since then is not what was checked. It makes no revision.
func (s *Store) RecordDetection(ctx context.Context, workspace, id string, d plan.Detection) (kept bool, err error) {
	found, err := json.Marshal(d)
	if err != nil {
		return false, failed(err)
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		kept = false
		p, _, err := s.current(ctx, tx, workspace, id)
		if errors.Is(err, problem.PlanNotFound) || err == nil && p.Revision != d.Revision {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, tx, `INSERT INTO plan_detections (workspace, plan, found) VALUES (?, ?, ?)
			ON CONFLICT (workspace, plan) DO UPDATE SET found = excluded.found`, workspace, id, string(found))
		kept = err == nil
		return err
	})
	if err == nil && kept {
		s.changed(Change{Kind: DetectionChanged, Workspace: workspace, ID: id})
	}
	return kept && err == nil, err
}
