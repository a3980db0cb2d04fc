package store

import (
	"context"
	"database/sql"

	"github.com/greenroom-agents/greenroom/daemon/secret"
)

// Reseal seals every credential with the key that seals now: after a rotation, and after a migration. It gives how many it
// sealed anew, and how many no key opens, which stay as they are.
func (s *Store) Reseal(ctx context.Context) (done, unreadable int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		done, unreadable = 0, 0
		if lock := s.engine.resealing(); lock != "" {
			if _, err := tx.ExecContext(ctx, lock); err != nil {
				return err
			}
		}
		ring, err := s.Ring()
		if err != nil {
			return err
		}
		type row struct {
			at   secret.Place
			text string
		}
		var all []row
		err = s.rows(ctx, tx, func(scan func(...any) error) error {
			var r row
			err := scan(&r.at.Workspace, &r.at.Plan, &r.at.Revision, &r.text)
			all = append(all, r)
			return err
		}, "SELECT workspace, plan, revision, key_sealed FROM plan_revisions WHERE key_sealed <> ''")
		if err != nil {
			return err
		}
		for _, r := range all {
			if ring.Current(r.text) {
				continue
			}
			key, err := ring.Open(r.text, r.at)
			if err != nil {
				unreadable++
				continue
			}
			text, err := ring.Seal(key, r.at)
			if err == nil {
				_, err = s.exec(ctx, tx, "UPDATE plan_revisions SET key_sealed = ? WHERE workspace = ? AND plan = ? AND revision = ?",
					text, r.at.Workspace, r.at.Plan, r.at.Revision)
			}
			if err != nil {
				return err
			}
			done++
		}
		return nil
	})
	return done, unreadable, err
}
