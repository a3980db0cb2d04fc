package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// OpenSQLite opens the store in a file, and makes it and its directory, for the user alone, where there is none.
func OpenSQLite(ctx context.Context, path string, c Config) (*Store, error) {
	fail := func(err error) error {
		return problem.Wrap(err, problem.Storage, "the store cannot be opened").WithHint("mend the owner and mode of the data directory")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fail(err)
	}
	// SQLite gives the files beside it the mode of this one.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fail(err)
	}
	if err := f.Close(); err != nil {
		return nil, fail(err)
	}
	// A writer says so at once, so that of two the second one waits instead of failing in the middle; what is deleted is
	// overwritten, since it may be a credential.
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "foreign_keys(1)", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(1)",
	}}
	db, err := sql.Open("sqlite", fileURL(path, q))
	if err != nil {
		return nil, fail(err)
	}
	db.SetMaxOpenConns(4)
	s := &Store{Config: c, db: db, engine: sqliteEngine{}}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fail(err), db.Close())
	}
	return s, nil
}

// fileURL is how SQLite is told of a file. A path of Windows begins with a drive, which would be taken for a host.
func fileURL(path string, q url.Values) string {
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

type sqliteEngine struct{}

func (sqliteEngine) name() string              { return "SQLite" }
func (sqliteEngine) dialect() goose.Dialect    { return goose.DialectSQLite3 }
func (sqliteEngine) version() string           { return "SELECT sqlite_version()" }
func (sqliteEngine) options() *sql.TxOptions   { return nil }
func (sqliteEngine) rewrite(sql string) string { return sql }
func (sqliteEngine) sealing() string           { return "" }
func (sqliteEngine) resealing() string         { return "" }

func (sqliteEngine) inUse(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == codes.SQLITE_CONSTRAINT_FOREIGNKEY || e.Code() == codes.SQLITE_CONSTRAINT_TRIGGER)
}

func (sqliteEngine) retry(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == codes.SQLITE_BUSY
}
