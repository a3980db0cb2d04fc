package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// OpenPostgres opens the store in a PostgreSQL database, for several daemons that share one, and makes its tables where
// there are none. source is a connection string in either of the forms that libpq takes; no error shows it.
func OpenPostgres(ctx context.Context, source string, c Config) (*Store, error) {
	fail := func(err error) error {
		return problem.Wrap(err, problem.Storage, "the database cannot be opened").WithHint("check its address, its user and that it runs")
	}
	parsed, err := pgx.ParseConfig(source)
	if err != nil {
		return nil, fail(err)
	}
	db := stdlib.OpenDB(*parsed)
	db.SetMaxOpenConns(8)
	s := &Store{Config: c, db: db, engine: postgresEngine{}}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fail(err), db.Close())
	}
	return s, nil
}

type postgresEngine struct{}

func (postgresEngine) name() string           { return "PostgreSQL" }
func (postgresEngine) dialect() goose.Dialect { return goose.DialectPostgres }
func (postgresEngine) version() string        { return "SHOW server_version" }

// options: a transaction sees one state. One that would change a row that another one has changed since fails, and is
// tried again on what is then.
func (postgresEngine) options() *sql.TxOptions {
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead}
}

func (postgresEngine) sealing() string { return "LOCK TABLE plan_revisions IN ROW EXCLUSIVE MODE" }
func (postgresEngine) resealing() string {
	return "LOCK TABLE plan_revisions IN SHARE ROW EXCLUSIVE MODE"
}

// rewrite numbers the placeholders. No statement here has a question mark in a text.
func (postgresEngine) rewrite(query string) string {
	var b strings.Builder
	n := 0
	for {
		before, after, found := strings.Cut(query, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
		query = after
	}
}

// The codes are those of the standard and of PostgreSQL: restrict and foreign key violation; serialization failure and
// deadlock.
func (postgresEngine) inUse(err error) bool { return hasCode(err, "23001", "23503") }
func (postgresEngine) retry(err error) bool { return hasCode(err, "40001", "40P01") }

func hasCode(err error, codes ...string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	for _, c := range codes {
		if e.Code == c {
			return true
		}
	}
	return false
}
