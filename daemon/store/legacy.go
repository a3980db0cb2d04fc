package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Imported counts what came of an earlier installation. What was there already counts for nothing.
type Imported struct {
	Plans  int `json:"plans"`
	Agents int `json:"agents"`
	// Skipped are rows that make no plan or agent of now, such as a binding to a plan that is not there.
	Skipped int `json:"skipped"`
}

// ImportLegacy makes plans of the credentials in the SQLite file of an earlier installation, and agents of its bindings. The
// file is only read, so that the earlier installation goes on working. Sealed credentials are copied as they are: the ring
// of this store needs the keys that they were made with (see [secret.Ring.WithLegacy]), and [Store.Reseal] seals them anew.
// Doing it again changes nothing, and brings back what was deleted since.
func (s *Store) ImportLegacy(ctx context.Context, path string) (Imported, error) {
	var done Imported
	db, err := sql.Open("sqlite", fileURL(path, url.Values{"mode": {"ro"}}))
	if err != nil {
		return done, failed(err)
	}
	defer db.Close()
	plans, skipped, err := legacyPlans(ctx, db)
	if err != nil {
		return done, problem.Wrap(err, problem.Storage, "the file is no store of an earlier installation that can be read")
	}
	bindings, err := legacyBindings(ctx, db)
	if err != nil {
		return done, problem.Wrap(err, problem.Storage, "the bindings of the earlier installation cannot be read")
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		done = Imported{Skipped: skipped}
		for _, p := range plans {
			fresh, err := s.importPlan(ctx, tx, p)
			if err != nil {
				return err
			}
			done.Plans += int(fresh)
		}
		for _, b := range bindings {
			fresh, err := s.importBinding(ctx, tx, b)
			switch {
			case errors.Is(err, problem.PlanNotFound) || errors.Is(err, problem.InvalidAgent):
				done.Skipped++
			case err != nil:
				return err
			}
			done.Agents += int(fresh)
		}
		return nil
	})
	return done, err
}

// legacyNames are what earlier installations called the plans of providers, and what those speak.
var legacyNames = map[string]struct {
	name     string
	protocol preparer.Protocol
}{
	"anthropic": {"Anthropic", preparer.Anthropic}, "agnes": {"Agnes", preparer.OpenAI}, "openai": {"OpenAI", preparer.OpenAI},
}

func legacyPlans(ctx context.Context, db *sql.DB) (all []sealed, skipped int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT workspace_id, provider_id, enabled, api_key_ciphertext, base_url, models_json, updated_at_unix_ms
		FROM managed_model_provider_credentials ORDER BY workspace_id, provider_id`)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var p sealed
		var provider, models string
		var updated int64
		if err := rows.Scan(&p.Workspace, &provider, &p.Enabled, &p.key, &p.BaseURL, &models, &updated); err != nil {
			return nil, 0, err
		}
		known, ok := legacyNames[provider]
		if !ok {
			known.name, known.protocol = "OpenAI "+provider, preparer.OpenAI
		}
		p.ID, p.Name, p.Protocol, p.Created = "mp-migrated-"+provider, known.name, known.protocol, at(updated)
		for _, id := range legacyModels(models) {
			p.Models = append(p.Models, plan.Model{ID: id})
		}
		if p.Spec, err = p.Spec.Clean(); err != nil {
			skipped++ // none that could be edited later
			continue
		}
		all = append(all, p)
	}
	return all, skipped, rows.Err()
}

// legacyModels reads a list of models, which are ids or objects with one.
func legacyModels(text string) (ids []string) {
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	for _, raw := range list {
		var id string
		var object struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &id) != nil && json.Unmarshal(raw, &object) == nil {
			id = object.ID
		}
		ids = append(ids, id)
	}
	return ids
}

func (s *Store) importPlan(ctx context.Context, tx *sql.Tx, p sealed) (int64, error) {
	fresh, err := s.exec(ctx, tx, `INSERT INTO plans (workspace, id, revision, created_ms) VALUES (?, ?, 1, ?)
		ON CONFLICT (workspace, id) DO NOTHING`, p.Workspace, p.ID, p.Created.UnixMilli())
	if err != nil || fresh == 0 {
		return 0, err
	}
	p.Revision = 1
	if err := s.record(ctx, tx, &p.Plan, plan.Key{}); err != nil {
		return 0, err
	}
	_, err = s.exec(ctx, tx, "UPDATE plan_revisions SET key_sealed = ? WHERE workspace = ? AND plan = ? AND revision = 1", p.key, p.Workspace, p.ID)
	return fresh, err
}

type legacyBinding struct {
	workspace, target, plan, model string
	updated                        int64
}

// legacyBindings reads the bindings. The oldest installations have no table of them.
func legacyBindings(ctx context.Context, db *sql.DB) (all []legacyBinding, err error) {
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'agent_target_model_bindings'").Scan(&tables)
	if err != nil || tables == 0 {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT workspace_id, agent_target_id, coalesce(model_plan_id, ''), coalesce(default_model, ''), updated_at_unix_ms
		FROM agent_target_model_bindings ORDER BY workspace_id, agent_target_id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var b legacyBinding
		if err := rows.Scan(&b.workspace, &b.target, &b.plan, &b.model, &b.updated); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, rows.Err()
}

func (s *Store) importBinding(ctx context.Context, tx *sql.Tx, b legacyBinding) (int64, error) {
	p, _, err := s.current(ctx, tx, b.workspace, b.plan)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256([]byte(b.workspace + "\x00" + b.target))
	a := agent.Agent{Workspace: b.workspace, ID: "workspace-agent:legacy:" + hex.EncodeToString(sum[:])[:24]}
	if !p.Has(b.model) {
		b.model = ""
	}
	a.Spec, err = agent.Spec{Name: cut(fmt.Sprintf("%s · %s", b.target, cmp.Or(p.Name, p.ID)), agent.MaxName), Harness: b.target, Plan: p.ID, Model: b.model}.Clean()
	if err != nil {
		return 0, err
	}
	body, err := json.Marshal(a.Spec)
	if err != nil {
		return 0, err
	}
	fresh, err := s.exec(ctx, tx, `INSERT INTO agents (workspace, id, revision, name, source, body, created_ms, updated_ms)
		VALUES (?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT (workspace, id) DO NOTHING`,
		a.Workspace, a.ID, a.Name, string(agent.LegacyBinding), string(body), b.updated, b.updated)
	if err != nil || fresh == 0 {
		return 0, err
	}
	return fresh, s.usePlans(ctx, tx, a)
}
