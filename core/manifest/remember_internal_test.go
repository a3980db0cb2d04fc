package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func full() *Manifest {
	return &Manifest{
		Schema: Schema, Session: "s", Entries: []Entry{{Path: "a", Kind: Dir}}, Outside: []Outside{{Path: "o"}},
		Logins: []Login{{Path: "l", Fresher: []string{"f"}}}, Leases: []string{"x"}, Names: map[string]string{"n": "m"},
		Homes: map[string]string{"h": "p"}, Env: []string{"E"}, Inherit: []string{"k=all"},
	}
}

// Whoever holds a session changes its record in place.
func TestRememberedRecordsAreCopies(t *testing.T) {
	t.Parallel()
	var r records
	given := full()
	r.put("d", given)
	spoil := func(m *Manifest) {
		m.State, m.Entries[0].Path, m.Outside[0].Path, m.Logins[0].Path, m.Logins[0].Fresher[0] = Cleaning, "X", "X", "X", "X"
		m.Leases[0], m.Names["n"], m.Homes["h"], m.Env[0], m.Inherit[0] = "X", "X", "X", "X", "X"
	}
	spoil(given)
	first := r.get("d")
	if diff := cmp.Diff(full(), first); diff != "" {
		t.Error("a change of the one that was put in reached the record:", diff)
	}
	spoil(first)
	if diff := cmp.Diff(full(), r.get("d")); diff != "" {
		t.Error("a change of the one that was got reached the record:", diff)
	}
	if r.get("other") != nil {
		t.Error("a record was answered for another digest")
	}
}
