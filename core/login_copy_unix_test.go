//go:build unix

package core

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Where links do not work the session has a copy. What the client makes of it comes home byte for byte while the user's
// file is as it was, and when both changed both are kept.
func TestC271_C272_ALoginThatHadToBeCopied(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	h := s.open(func(cfg *Config) {
		cfg.BeforeChange = func(_ int64, call, path string) error {
			if strings.Contains(call, "symlink") && strings.HasSuffix(path, "auth.json") {
				return syscall.EPERM
			}
			return nil
		}
	}, prop{provider: "prop"})
	file := s.path("home/.prop/auth.json")
	s.overwrite(file, login(1))
	p, err := h.Prepare(t.Context(), s.session("one"))
	if err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(p.Dir, "prop/auth.json")
	if fi, err := os.Lstat(mine); err != nil || !fi.Mode().IsRegular() || fi.Mode().Perm() != 0o600 || s.read(mine) != login(1) {
		t.Fatalf("it is no copy: %v, %v", fi, err)
	}
	hold := func() *Lease {
		l, err := h.Hold(t.Context(), s.session("one").Ref())
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	lease := hold()
	s.renamed(mine, login(2))
	if r, err := lease.Release(t.Context()); err != nil || r != nil && len(r.Kept) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := s.read(file); got != login(2) {
		t.Errorf("the user has %q", got)
	}

	if p, err = h.Prepare(t.Context(), s.session("one")); err != nil {
		t.Fatal(err)
	}
	lease = hold()
	// Of one age and not alike: nothing says which of them the provider still takes.
	other := strings.Replace(login(3), "{", `{"future":[1, 2.50],`, 1)
	s.renamed(mine, other)
	s.renamed(file, login(3))
	if r, err := lease.Release(t.Context()); !errors.Is(err, ErrLoginConflict) && (err != nil || r == nil || len(r.Kept) != 1) {
		t.Fatalf("nothing says that both changed: %+v, %v", r, err)
	}
	if a, b := s.read(mine), s.read(file); a != other || b != login(3) {
		t.Errorf("the two versions are %q and %q", a, b)
	}
	if r, err := h.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{}); !errors.Is(err, ErrLoginConflict) || len(r.Kept) != 1 {
		t.Errorf("clean-up: %+v, %v", r, err)
	}
	if got := s.read(mine); got != other {
		t.Errorf("the session's is gone: %q", got)
	}
}
