package store_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// engines make a place for the database of one test.
var engines = map[string]func(t *testing.T) place{"SQLite": sqliteIn, "PostgreSQL": postgresIn}

// readAll reads every file of a directory.
func readAll(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	var all strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

func TestTheEngineSaysItsVersion(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		version := must[string](t)(at.open(t, config(t)).Engine(t.Context()))
		t.Log(version)
		if !strings.HasPrefix(t.Name(), "TestTheEngineSaysItsVersion/"+strings.Fields(version)[0]) {
			t.Errorf("%q", version)
		}
	})
}

func TestTheFilesOfSQLiteAreTheUsersAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing here")
	}
	dir := filepath.Join(t.TempDir(), "data")
	s := must[*store.Store](t)(store.OpenSQLite(t.Context(), filepath.Join(dir, "greenroom.db"), config(t)))
	defer s.Close()
	must[plan.Plan](t)(s.CreatePlan(t.Context(), "w", spec("a"), key(canary)))
	seen := 0
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", filepath.Base(path), info.Mode())
		}
		seen++
		return err
	})
	if err != nil || seen < 3 {
		t.Errorf("%d, %v", seen, err)
	}
}
