package store_test

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/secret"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const canary = "sk-canary-5c2e8d7f1a"

// place is where a database of one test is.
type place struct {
	// open opens it, as another process would.
	open func(t *testing.T, c store.Config) *store.Store
	// bytes are everything that the engine has written there.
	bytes func(t *testing.T) string
	// db reaches it without the store.
	db func(t *testing.T) *sql.DB
	// engine and where are how another process finds it.
	engine, where string
}

// onEachEngine runs a test on a database of its own in each of the engines.
func onEachEngine(t *testing.T, test func(t *testing.T, at place)) {
	t.Helper()
	t.Parallel()
	for name, make := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, make(t))
		})
	}
}

func sqliteIn(t *testing.T) place {
	file := filepath.Join(t.TempDir(), "data", "greenroom.db")
	db := sync.OnceValues(func() (*sql.DB, error) { return sql.Open("sqlite", "file:"+filepath.ToSlash(file)) })
	t.Cleanup(func() {
		if db, err := db(); err == nil {
			db.Close()
		}
	})
	return place{
		engine: "SQLite", where: "SQLite:" + file,
		db: func(t *testing.T) *sql.DB { return must[*sql.DB](t)(db()) },
		open: func(t *testing.T, c store.Config) *store.Store {
			s, err := store.OpenSQLite(t.Context(), file, c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		},
		bytes: func(t *testing.T) string { return readAll(t, filepath.Dir(file)) },
	}
}

func ring(t *testing.T, secrets ...string) func() (*secret.Ring, error) {
	t.Helper()
	var all [][]byte
	for _, s := range secrets {
		all = append(all, []byte(strings.Repeat(s, 16)))
	}
	r, err := secret.NewRing(rand.Reader, all...)
	if err != nil {
		t.Fatal(err)
	}
	return always(r)
}

func always(r *secret.Ring) func() (*secret.Ring, error) {
	return func() (*secret.Ring, error) { return r, nil }
}

// changes keeps what a store told.
type changes struct {
	mu  sync.Mutex
	all []store.Change
}

func (c *changes) add(one store.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, one)
}

func (c *changes) take() []store.Change {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

func config(t *testing.T) store.Config {
	return store.Config{Ring: ring(t, "a"), Now: time.Now, Random: rand.Reader}
}

func spec(name string) plan.Spec {
	return plan.Spec{
		Name: name, Protocol: preparer.OpenAI, BaseURL: "https://relay.example/v1", Enabled: true,
		Models: []plan.Model{{ID: "m-a", Name: "A", ContextTokens: 200_000}, {ID: "m-b", Name: "B"}}, Default: "m-b",
	}
}

func key(text string) plan.Key { return modelendpoint.NewKey(text) }

var harness = agent.Harness{ID: "h", Enabled: true, Available: true, Model: preparer.Model{Protocol: preparer.OpenAI}}

// codeIs wants an error of a code.
func codeIs(t *testing.T, err error, want problem.Code) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// spelt is an edit that leaves everything but what change changes.
func spelt(change func(*plan.Spec), key *plan.Key) func(plan.Plan) (store.Edit, error) {
	return func(p plan.Plan) (store.Edit, error) {
		change(&p.Spec)
		return store.Edit{Spec: p.Spec, Key: key}, nil
	}
}
