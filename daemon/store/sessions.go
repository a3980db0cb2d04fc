package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// Snapshot is what a live session is bound to. It holds no credential: that is with the revision of the plan, which stays
// whole as long as a session is bound to it.
type Snapshot struct {
	Workspace string `json:"workspaceId"`
	Session   string `json:"sessionId"`
	// Generation counts what the session was bound to, from 1.
	Generation int64 `json:"generation"`
	// Plan is the id of the plan, "" for the client's own login, and Revision the one that the session is bound to.
	Plan     string `json:"modelPlanId,omitempty"`
	Revision int64  `json:"modelPlanRevision,omitempty"`
	// Fingerprint is that of the revision, and Model what the session was begun with.
	Fingerprint string    `json:"fingerprint,omitempty"`
	Model       string    `json:"model,omitempty"`
	Harness     string    `json:"harnessAgentTargetId"`
	Agent       string    `json:"workspaceAgentId,omitempty"`
	Cwd         string    `json:"cwd,omitempty"`
	Updated     time.Time `json:"updatedAt"`
}

// BindSession stores what a session is bound to, in the place of generation from, 0 for a session that is not there yet.
// Errors: [problem.SessionConflict] when it is bound to something else by now.
func (s *Store) BindSession(ctx context.Context, from int64, snap Snapshot) (Snapshot, error) {
	snap.Generation, snap.Updated = from+1, s.now()
	body, err := json.Marshal(snap)
	if err != nil {
		return snap, failed(err)
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		var old string
		err := s.row(ctx, tx, "SELECT plan FROM sessions WHERE workspace = ? AND session = ? AND generation = ?", snap.Workspace, snap.Session, from).Scan(&old)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var n int64
		if from == 0 {
			n, err = s.exec(ctx, tx, `INSERT INTO sessions (workspace, session, generation, plan, plan_revision, body, updated_ms)
				VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, session) DO NOTHING`,
				snap.Workspace, snap.Session, snap.Generation, snap.Plan, snap.Revision, string(body), snap.Updated.UnixMilli())
		} else {
			n, err = s.exec(ctx, tx, `UPDATE sessions SET generation = ?, plan = ?, plan_revision = ?, body = ?, updated_ms = ?
				WHERE workspace = ? AND session = ? AND generation = ?`,
				snap.Generation, snap.Plan, snap.Revision, string(body), snap.Updated.UnixMilli(), snap.Workspace, snap.Session, from)
		}
		if err == nil && n != 1 {
			err = problem.New(problem.SessionConflict, "", "the session was bound to something else meanwhile")
		}
		if err != nil || old == "" {
			return err
		}
		return s.purge(ctx, tx, snap.Workspace, old)
	})
	if err == nil {
		s.changed(Change{Kind: SessionChanged, Workspace: snap.Workspace, ID: snap.Session})
	}
	return snap, err
}

const sessionColumns = "SELECT body, generation, updated_ms FROM sessions WHERE "

func scanSession(scan func(...any) error) (Snapshot, error) {
	var snap Snapshot
	var body string
	var generation, updated int64
	if err := scan(&body, &generation, &updated); err != nil {
		return snap, err
	}
	err := json.Unmarshal([]byte(body), &snap)
	snap.Generation, snap.Updated = generation, at(updated)
	return snap, err
}

// Session is what a session is bound to. Errors: [problem.SessionNotFound].
func (s *Store) Session(ctx context.Context, workspace, session string) (Snapshot, error) {
	snap, err := scanSession(s.row(ctx, s.db, sessionColumns+"workspace = ? AND session = ?", workspace, session).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return snap, problem.New(problem.SessionNotFound, "", "there is no such session")
	}
	return snap, failed(err)
}

// Sessions are the sessions of a workspace, the one that was bound last at the end.
func (s *Store) Sessions(ctx context.Context, workspace string) ([]Snapshot, error) {
	all := []Snapshot{}
	err := s.rows(ctx, s.db, func(scan func(...any) error) error {
		snap, err := scanSession(scan)
		all = append(all, snap)
		return err
	}, sessionColumns+"workspace = ? ORDER BY updated_ms, session", workspace)
	return all, failed(err)
}

// EndSession forgets what a session is bound to, and what only it needed. What a person accepted of its work stays, as the
// session itself does. One that is not there is no error.
func (s *Store) EndSession(ctx context.Context, workspace, session string) error {
	gone := false
	err := s.write(ctx, func(tx *sql.Tx) error {
		gone = false
		var old string
		err := s.row(ctx, tx, "SELECT plan FROM sessions WHERE workspace = ? AND session = ?", workspace, session).Scan(&old)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = s.exec(ctx, tx, "DELETE FROM sessions WHERE workspace = ? AND session = ?", workspace, session)
		}
		if err != nil {
			return err
		}
		gone = true
		return s.purge(ctx, tx, workspace, old)
	})
	if err == nil && gone {
		s.changed(Change{Kind: SessionChanged, Workspace: workspace, ID: session, Deleted: true})
	}
	return err
}

// EndSessionAnywhere forgets a session that was cleaned up, and how far its work was accepted, in whichever workspaces it is
// bound: its host may have been killed before it could say so.
func (s *Store) EndSessionAnywhere(ctx context.Context, session string) error {
	var in []string
	err := s.rows(ctx, s.db, func(scan func(...any) error) error {
		var workspace string
		err := scan(&workspace)
		in = append(in, workspace)
		return err
	}, "SELECT workspace FROM sessions WHERE session = ?", session)
	err = failed(err)
	for _, workspace := range in {
		err = errors.Join(err, s.EndSession(ctx, workspace, session))
	}
	return errors.Join(err, s.write(ctx, func(tx *sql.Tx) error {
		_, err := s.exec(ctx, tx, "DELETE FROM acceptances WHERE session = ?", session)
		return err
	}))
}

// Acceptance is how far the work of a session is accepted, nil when nothing was claimed. It outlives what the session is
// bound to. Errors: [problem.SessionNotFound].
func (s *Store) Acceptance(ctx context.Context, workspace, session string) (*acceptance.Acceptance, error) {
	a, err := s.acceptance(ctx, s.db, workspace, session)
	if err == nil && a == nil {
		_, err = s.Session(ctx, workspace, session)
	}
	return a, failed(err)
}

func (s *Store) acceptance(ctx context.Context, on handle, workspace, session string) (*acceptance.Acceptance, error) {
	var a acceptance.Acceptance
	var step string
	var updated int64
	err := s.row(ctx, on, "SELECT step, turn, updated_ms FROM acceptances WHERE workspace = ? AND session = ?", workspace, session).
		Scan(&step, &a.Turn, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	a.Step, a.Updated = acceptance.Step(step), at(updated)
	return &a, err
}

// Accept moves the acceptance of a session; see [acceptance.Move]. Errors: [problem.SessionNotFound],
// [problem.InvalidAcceptance].
func (s *Store) Accept(ctx context.Context, workspace, session string, step acceptance.Step, turn string, by acceptance.By) (acceptance.Acceptance, error) {
	var next acceptance.Acceptance
	if _, err := s.Acceptance(ctx, workspace, session); err != nil {
		return next, err
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		old, err := s.acceptance(ctx, tx, workspace, session)
		if err != nil {
			return err
		}
		if next, err = acceptance.Move(old, step, turn, by, s.now()); err != nil {
			return err
		}
		_, err = s.exec(ctx, tx, `INSERT INTO acceptances (workspace, session, step, turn, updated_ms) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (workspace, session) DO UPDATE SET step = excluded.step, turn = excluded.turn, updated_ms = excluded.updated_ms`,
			workspace, session, string(next.Step), next.Turn, next.Updated.UnixMilli())
		return err
	})
	if err == nil {
		s.changed(Change{Kind: SessionChanged, Workspace: workspace, ID: session})
	}
	return next, err
}
