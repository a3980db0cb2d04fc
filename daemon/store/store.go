package store

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/secret"
)

// Config says how a store works. All fields but Changed are required.
type Config struct {
	// Ring gives the keys as they are now. It is asked in each transaction that seals, so that nothing is sealed with a key
	// that a rotation takes away, and before each reading. With an error it may give those of before, which still open.
	Ring   func() (*secret.Ring, error)
	Now    func() time.Time
	Random io.Reader
	// Changed is told of each change after it was stored, from the goroutine that made it.
	Changed func(Change)
}

// Change is a change that was stored.
type Change struct {
	Kind      ChangeKind `json:"kind"`
	Workspace string     `json:"workspaceId"`
	ID        string     `json:"id"` // of the plan, agent or session
	Deleted   bool       `json:"deleted,omitempty"`
	// Reset says that sessions of the plan notice: its credential, endpoint, models, default or whether it may be used.
	Reset bool `json:"reset,omitempty"`
}

// ChangeKind is what has changed.
type ChangeKind string

// The kinds of changes.
const (
	PlanChanged      ChangeKind = "model_plan"
	DetectionChanged ChangeKind = "model_plan_detection"
	AgentChanged     ChangeKind = "workspace_agent"
	SessionChanged   ChangeKind = "agent_session"
)

// Store is an open store.
type Store struct {
	Config
	db     *sql.DB
	engine engine
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// Engine names the database and its version.
func (s *Store) Engine(ctx context.Context) (string, error) {
	var version string
	err := s.db.QueryRowContext(ctx, s.engine.version()).Scan(&version)
	return s.engine.name() + " " + version, failed(err)
}

// engine is what differs between databases.
type engine interface {
	name() string
	dialect() goose.Dialect
	version() string           // a query for it
	options() *sql.TxOptions   // of transactions that write
	rewrite(sql string) string // of placeholders, which are ? here
	inUse(err error) bool      // a row is used by another one
	retry(err error) bool      // the transaction can be tried again
	// Locks of a transaction that seals one credential, and of one that seals them all anew and waits for the others; ""
	// where transactions that write follow one another anyhow.
	sealing() string
	resealing() string
}

// handle is what statements run on: the database, or a transaction.
type handle interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// attempts is how often a transaction that lost is tried again.
const attempts = 40

// write does work in a transaction. One that lost against another writer is tried again.
func (s *Store) write(ctx context.Context, work func(tx *sql.Tx) error) error {
	for attempt := 0; ; attempt++ {
		err := s.once(ctx, work)
		if err == nil || attempt == attempts || ctx.Err() != nil || !s.engine.retry(err) {
			return failed(err)
		}
		// The others are not to meet again at the same moment.
		select {
		case <-time.After(rand.N(time.Duration(attempt+1) * 2 * time.Millisecond)):
		case <-ctx.Done():
		}
	}
}

func (s *Store) once(ctx context.Context, work func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, s.engine.options())
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (s *Store) exec(ctx context.Context, on handle, query string, args ...any) (int64, error) {
	r, err := on.ExecContext(ctx, s.engine.rewrite(query), args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// one is the row that was asked for.
type one interface{ Scan(...any) error }

// noRow is that there is none.
type noRow struct{}

func (noRow) Scan(...any) error { return sql.ErrNoRows }

func (s *Store) row(ctx context.Context, on handle, query string, args ...any) one {
	if askedForNothing(args) {
		return noRow{}
	}
	return on.QueryRowContext(ctx, s.engine.rewrite(query), args...)
}

// askedForNothing says whether what is looked up can be stored under no id. PostgreSQL fails at such a text, and SQLite does not.
func askedForNothing(args []any) bool {
	return slices.ContainsFunc(args, func(a any) bool { text, is := a.(string); return is && !plan.IsID(text) })
}

// rows calls each for every row.
func (s *Store) rows(ctx context.Context, on handle, each func(scan func(...any) error) error, query string, args ...any) error {
	if askedForNothing(args) {
		return nil
	}
	rows, err := on.QueryContext(ctx, s.engine.rewrite(query), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// failed makes a problem of what a database says, and leaves problems and ends of contexts alone.
func failed(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, new(*problem.Error)):
		return err
	}
	return problem.Wrap(err, problem.Storage, "the store cannot be read or written").
		WithHint("make room on the disk, and mend the owner and mode of the data directory")
}

func (s *Store) changed(c Change) {
	if s.Changed != nil {
		s.Changed(c)
	}
}

// now is the time as it is stored.
func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
