package store

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"
)

// A path of each system reaches SQLite as a path, whatever is in it.
func TestFilesAreNamedToSQLite(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/home/a b/x?y#z%20.db":   "file:///home/a%20b/x%3Fy%23z%2520.db?mode=ro",
		"C:/Users/a b/x.db":       "file:///C:/Users/a%20b/x.db?mode=ro",
		"//server/share/x.db":     "file:////server/share/x.db?mode=ro",
		"/of/no/server/at/all.db": "file:///of/no/server/at/all.db?mode=ro",
	} {
		got := fileURL(path, url.Values{"mode": {"ro"}})
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		db, err := sql.Open("sqlite", got)
		if err != nil {
			t.Fatal(err)
		}
		// There is no such file, which is said only after the name was understood.
		if err := db.PingContext(t.Context()); err == nil || !strings.Contains(err.Error(), "unable to open database file") {
			t.Errorf("%s: %v", path, err)
		}
		db.Close()
	}
}
