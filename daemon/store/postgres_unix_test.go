//go:build unix

package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/greenroom-agents/greenroom/daemon/store"
)

// server is a PostgreSQL of these tests alone, that is reached through a socket in its own directory.
type server struct {
	dir  string
	stop func()
	err  error
}

var (
	theServer = sync.OnceValue(startServer)
	started   atomic.Bool
	schemas   atomic.Int64
)

func TestMain(m *testing.M) {
	if at := os.Getenv(writerStore); at != "" {
		write(at, os.Getenv(writerWork))
	}
	code := m.Run()
	if started.Load() {
		if s := theServer(); s.stop != nil {
			s.stop()
		}
	}
	os.Exit(code)
}

// find finds a program of PostgreSQL's, which distributions do not put on PATH.
func find(name string) (string, error) {
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(all) > 0 {
		return all[len(all)-1], nil
	}
	return exec.LookPath(name)
}

func startServer() (s server) {
	started.Store(true)
	fail := func(err error) server { return server{err: err} }
	initdb, err := find("initdb")
	if err != nil {
		return fail(err)
	}
	postgres, err := find("postgres")
	if err != nil {
		return fail(err)
	}
	dir, err := os.MkdirTemp("", "greenroom-pg-")
	if err != nil {
		return fail(err)
	}
	// It refuses to run as root.
	var as *syscall.Credential
	if os.Geteuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			u, err = user.Lookup("nobody")
		}
		if err != nil {
			return fail(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			return fail(err)
		}
	}
	run := func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + dir}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Setpgid: true}
		return cmd
	}
	data := filepath.Join(dir, "data")
	if out, err := run(initdb, "-D", data, "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8").CombinedOutput(); err != nil {
		return fail(fmt.Errorf("%w: %s", err, out))
	}
	cmd := run(postgres, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200")
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	s = server{dir: dir, stop: func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}}
	db, err := sql.Open("pgx", s.source("public"))
	if err != nil {
		return fail(err)
	}
	defer db.Close()
	for range 300 {
		if err = db.PingContext(context.Background()); err == nil {
			return s
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.stop()
	return fail(err)
}

func (s server) source(schema string) string {
	return "host=" + s.dir + " user=test dbname=postgres sslmode=disable search_path=" + schema
}

// postgresIn is a schema of its own in the server.
func postgresIn(t *testing.T) place {
	s := theServer()
	if s.err != nil {
		if os.Getenv("GREENROOM_REQUIRE_POSTGRES") == "1" {
			t.Fatalf("no PostgreSQL: %v", s.err)
		}
		t.Skipf("no PostgreSQL: %v", s.err)
	}
	schema := fmt.Sprintf("s%d", schemas.Add(1))
	db, err := sql.Open("pgx", s.source(schema))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	return place{
		engine: "PostgreSQL", where: "PostgreSQL:" + s.source(schema), db: func(*testing.T) *sql.DB { return db },
		open: func(t *testing.T, c store.Config) *store.Store {
			opened, err := store.OpenPostgres(t.Context(), s.source(schema), c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { opened.Close() })
			return opened
		},
		bytes: func(t *testing.T) string {
			var all strings.Builder
			for _, table := range []string{"plans", "plan_revisions", "plan_detections", "agents", "agent_plans", "sessions", "acceptances"} {
				rows, err := db.QueryContext(t.Context(), "SELECT t::text FROM "+table+" t")
				if err != nil {
					t.Fatal(err)
				}
				for rows.Next() {
					var text string
					if err := rows.Scan(&text); err != nil {
						t.Fatal(err)
					}
					all.WriteString(text)
				}
				if err := rows.Err(); err != nil {
					t.Fatal(err)
				}
				rows.Close()
			}
			return all.String()
		},
	}
}
