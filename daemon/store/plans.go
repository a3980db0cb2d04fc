package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/secret"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// AnyRevision is for changes that are made whatever came before.
const AnyRevision int64 = -1

// sealed is a plan with its credential as it is stored.
type sealed struct {
	plan.Plan
	key string
}

const planColumns = `SELECT r.plan, r.revision, p.created_ms, r.recorded_ms, r.name, r.template, r.protocol, r.base_url, r.models,
	r.default_model, r.enabled, r.key_sealed, d.found
	FROM plans p JOIN plan_revisions r ON r.workspace = p.workspace AND r.plan = p.id`

const currentPlan = planColumns + ` AND r.revision = p.revision
	LEFT JOIN plan_detections d ON d.workspace = p.workspace AND d.plan = p.id WHERE p.workspace = ?`

// planAt finds a revision. What a check found belongs to the current one, so the join finds nothing.
const planAt = planColumns + ` LEFT JOIN plan_detections d ON 1 = 0 WHERE p.workspace = ? AND p.id = ? AND r.revision = ?`

func scanPlan(ring *secret.Ring, workspace string, scan func(...any) error) (sealed, error) {
	p := sealed{Plan: plan.Plan{Workspace: workspace}}
	var created, recorded, enabled int64
	var models, template, protocol string
	var found sql.NullString
	err := scan(&p.ID, &p.Revision, &created, &recorded, &p.Name, &template, &protocol, &p.BaseURL, &models, &p.Default,
		&enabled, &p.key, &found)
	if err != nil {
		return p, err
	}
	p.Template, p.Protocol = plan.Template(template), preparer.Protocol(protocol)
	p.Created, p.Updated, p.Enabled, p.HasKey = at(created), at(recorded), enabled != 0, p.key != ""
	if err := json.Unmarshal([]byte(models), &p.Models); err != nil {
		return p, err
	}
	if found.Valid {
		p.Detection = new(plan.Detection)
		if err := json.Unmarshal([]byte(found.String), p.Detection); err != nil {
			return p, err
		}
	}
	_, err = open(ring, &p)
	p.KeyUnreadable = err != nil
	return p, nil
}

func open(ring *secret.Ring, p *sealed) (plan.Key, error) {
	return ring.Open(p.key, secret.Place{Workspace: p.Workspace, Plan: p.ID, Revision: p.Revision})
}

// current is a plan as a transaction sees it, with its credential unless that cannot be opened.
func (s *Store) current(ctx context.Context, tx *sql.Tx, workspace, id string) (sealed, plan.Key, error) {
	ring, err := s.Ring()
	if ring == nil {
		return sealed{}, plan.Key{}, err
	}
	return s.one(ctx, tx, ring, currentPlan+" AND p.id = ?", workspace, id)
}

// one is the one plan that a query finds, with its credential unless that cannot be opened.
func (s *Store) one(ctx context.Context, on handle, ring *secret.Ring, query, workspace string, more ...any) (sealed, plan.Key, error) {
	p, err := scanPlan(ring, workspace, s.row(ctx, on, query, append([]any{workspace}, more...)...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = noPlan()
	}
	if err != nil {
		return p, plan.Key{}, err
	}
	return p, opened(open(ring, &p)), nil
}

// read reads plans. What cannot be opened is read once more: a rotation may have come between the keys and the rows.
func (s *Store) read(work func(*secret.Ring) (unreadable bool, err error)) error {
	for again := false; ; again = true {
		ring, err := s.Ring()
		if ring == nil {
			return err
		}
		if unreadable, err := work(ring); err != nil || !unreadable || again {
			return failed(err)
		}
	}
}

// readOne reads one plan. Errors: [problem.PlanNotFound], [problem.Unreadable].
func (s *Store) readOne(ctx context.Context, query, workspace string, more ...any) (p sealed, key plan.Key, err error) {
	err = s.read(func(ring *secret.Ring) (bool, error) {
		p, key, err = s.one(ctx, s.db, ring, query, workspace, more...)
		return p.KeyUnreadable, err
	})
	return p, key, err
}

func noPlan() error { return problem.New(problem.PlanNotFound, "", "there is no such plan") }

func conflict() error {
	return problem.New(problem.PlanConflict, "", "the plan was changed by somebody else meanwhile").
		WithHint("read it again, and make the change on what it is now")
}

// Plans are the plans of a workspace, the oldest first.
func (s *Store) Plans(ctx context.Context, workspace string) ([]plan.Plan, error) {
	var all []plan.Plan
	err := s.read(func(ring *secret.Ring) (unreadable bool, err error) {
		all = []plan.Plan{}
		err = s.rows(ctx, s.db, func(scan func(...any) error) error {
			p, err := scanPlan(ring, workspace, scan)
			all = append(all, p.Plan)
			unreadable = unreadable || p.KeyUnreadable
			return err
		}, currentPlan+" ORDER BY p.created_ms, p.id", workspace)
		return unreadable, err
	})
	return all, err
}

// Plan is a plan as it is now. Errors: [problem.PlanNotFound].
func (s *Store) Plan(ctx context.Context, workspace, id string) (plan.Plan, error) {
	p, _, err := s.readOne(ctx, currentPlan+" AND p.id = ?", workspace, id)
	return p.Plan, err
}

// PlanWithKey is a plan as it is now, with its credential. Errors: [problem.PlanNotFound], [problem.Unreadable].
func (s *Store) PlanWithKey(ctx context.Context, workspace, id string) (plan.Plan, plan.Key, error) {
	return withKey(s.readOne(ctx, currentPlan+" AND p.id = ?", workspace, id))
}

// PlanAt is a revision of a plan, with its credential unless that was taken out. Errors: [problem.PlanNotFound],
// [problem.Unreadable].
func (s *Store) PlanAt(ctx context.Context, workspace, id string, revision int64) (plan.Plan, plan.Key, error) {
	return withKey(s.readOne(ctx, planAt, workspace, id, revision))
}

func withKey(p sealed, key plan.Key, err error) (plan.Plan, plan.Key, error) {
	if err == nil && p.KeyUnreadable {
		err = secret.Unreadable()
	}
	return p.Plan, key, err
}

// CreatePlan stores a new plan as revision 1. Errors: [problem.InvalidPlan].
func (s *Store) CreatePlan(ctx context.Context, workspace string, spec plan.Spec, key plan.Key) (plan.Plan, error) {
	spec, err := ready(workspace, spec, key)
	if err != nil {
		return plan.Plan{}, err
	}
	p := plan.Plan{Workspace: workspace, Spec: spec}
	if p.ID, err = plan.NewID(s.Random); err != nil {
		return p, err
	}
	if err := s.write(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, &p, key) }); err != nil {
		return p, err
	}
	s.changed(Change{Kind: PlanChanged, Workspace: workspace, ID: p.ID})
	return p, nil
}

// insert stores a plan that is not there yet.
func (s *Store) insert(ctx context.Context, tx *sql.Tx, p *plan.Plan, key plan.Key) error {
	p.Created = s.now()
	_, err := s.exec(ctx, tx, "INSERT INTO plans (workspace, id, revision, created_ms) VALUES (?, ?, 1, ?)", p.Workspace, p.ID, p.Created.UnixMilli())
	if err != nil {
		return err
	}
	p.Revision = 1
	return s.record(ctx, tx, p, key)
}

// ready is a spec that may be stored with a key.
func ready(workspace string, spec plan.Spec, key plan.Key) (plan.Spec, error) {
	if workspace == "" || len(workspace) > 1024 {
		return spec, problem.New(problem.InvalidPlan, "workspaceId", "is blank or too long")
	}
	spec, err := spec.Clean()
	if err == nil && spec.Template == plan.OfficialSubscription && !key.IsZero() {
		err = problem.New(problem.InvalidPlan, "apiKey", "is none of an official subscription, which uses the login of the vendor's client")
	}
	return spec, err
}

// record stores a revision.
func (s *Store) record(ctx context.Context, tx *sql.Tx, p *plan.Plan, key plan.Key) error {
	p.Updated = s.now()
	models, err := json.Marshal(p.Models)
	if err != nil {
		return err
	}
	if lock := s.engine.sealing(); lock != "" && !key.IsZero() {
		if _, err := tx.ExecContext(ctx, lock); err != nil {
			return err
		}
	}
	ring, err := s.Ring()
	if err != nil {
		return err
	}
	text, err := ring.Seal(key, secret.Place{Workspace: p.Workspace, Plan: p.ID, Revision: p.Revision})
	if err != nil {
		return err
	}
	p.HasKey, p.KeyUnreadable = text != "", false
	_, err = s.exec(ctx, tx, `INSERT INTO plan_revisions (workspace, plan, revision, name, template, protocol, base_url, models,
		default_model, enabled, key_sealed, recorded_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.Workspace, p.ID, p.Revision, p.Name, string(p.Template), string(p.Protocol), p.BaseURL, string(models), p.Default,
		truth(p.Enabled), text, p.Updated.UnixMilli())
	return err
}

// Edit is what becomes of a plan.
type Edit struct {
	Spec plan.Spec
	// Key replaces the credential, or takes it away when it is none. nil keeps it.
	Key *plan.Key
}

// UpdatePlan stores the next revision of a plan that is at revision from, made by edit of what it is then. A check of
// another connection than the new one is forgotten. Errors: [problem.PlanNotFound], [problem.PlanConflict],
// [problem.InvalidPlan], what edit gives, and [problem.Unreadable] when a credential is to be kept that cannot be opened.
func (s *Store) UpdatePlan(ctx context.Context, workspace, id string, from int64, edit func(plan.Plan) (Edit, error)) (plan.Plan, error) {
	var next plan.Plan
	var reset bool
	err := s.write(ctx, func(tx *sql.Tx) error {
		old, oldKey, err := s.current(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		if from != AnyRevision && from != old.Revision {
			return conflict()
		}
		e, err := edit(old.Plan)
		if err != nil {
			return err
		}
		key := oldKey
		switch {
		case e.Key != nil:
			key = *e.Key
		case old.KeyUnreadable:
			return secret.Unreadable()
		}
		next = old.Plan
		if next.Spec, err = ready(workspace, e.Spec, key); err != nil {
			return err
		}
		next.Revision++
		n, err := s.exec(ctx, tx, "UPDATE plans SET revision = ? WHERE workspace = ? AND id = ? AND revision = ?", next.Revision, workspace, id, old.Revision)
		if err == nil && n != 1 {
			err = conflict()
		}
		if err != nil {
			return err
		}
		if err := s.record(ctx, tx, &next, key); err != nil {
			return err
		}
		reset = old.Enabled != next.Enabled || old.Fingerprint(oldKey) != next.Fingerprint(key)
		if e.Key != nil || !old.SameConnection(next.Spec) {
			next.Detection = nil
			if _, err := s.exec(ctx, tx, "DELETE FROM plan_detections WHERE workspace = ? AND plan = ?", workspace, id); err != nil {
				return err
			}
		}
		return s.purge(ctx, tx, workspace, id)
	})
	if err != nil {
		return plan.Plan{}, err
	}
	s.changed(Change{Kind: PlanChanged, Workspace: workspace, ID: id, Reset: reset})
	return next, nil
}

func opened(key plan.Key, _ error) plan.Key { return key }

// purge takes out the credentials of revisions that are not current and that no session is bound to.
func (s *Store) purge(ctx context.Context, tx *sql.Tx, workspace, id string) error {
	_, err := s.exec(ctx, tx, `UPDATE plan_revisions SET key_sealed = '' WHERE workspace = ? AND plan = ? AND key_sealed <> ''
		AND revision <> (SELECT revision FROM plans WHERE workspace = ? AND id = ?)
		AND revision NOT IN (SELECT plan_revision FROM sessions WHERE workspace = ? AND plan = ?)`,
		workspace, id, workspace, id, workspace, id)
	return err
}

// EnablePlan stores a revision of a plan that may be used, or may not.
func (s *Store) EnablePlan(ctx context.Context, workspace, id string, from int64, enabled bool) (plan.Plan, error) {
	return s.UpdatePlan(ctx, workspace, id, from, func(p plan.Plan) (Edit, error) {
		p.Enabled = enabled
		return Edit{Spec: p.Spec}, nil
	})
}

// DuplicatePlan stores a disabled copy of a plan with its credential, under another name, by default "NAME copy".
func (s *Store) DuplicatePlan(ctx context.Context, workspace, id, name string) (plan.Plan, error) {
	from, key, err := s.PlanWithKey(ctx, workspace, id)
	if err != nil {
		return plan.Plan{}, err
	}
	spec := from.Spec
	spec.Models = slices.Clone(spec.Models)
	if spec.Name = name; name == "" {
		const suffix = " copy"
		spec.Name = cut(from.Name, plan.MaxName-len(suffix)) + suffix
	}
	spec.Enabled = false
	return s.CreatePlan(ctx, workspace, spec, key)
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
