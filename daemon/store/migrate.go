package store

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables up to date. Of several processes that do it at once each migration is done by one: the others
// fail at it, and find it done when they look again.
func (s *Store) migrate(ctx context.Context) error {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(s.engine.dialect(), s.db, dir, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	for attempt := range 8 {
		var pending bool
		if pending, err = p.HasPending(ctx); err == nil && !pending {
			return nil
		}
		if _, err = p.Up(ctx); err == nil {
			return nil
		}
		select {
		case <-time.After(time.Duration(attempt+1) * 50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
