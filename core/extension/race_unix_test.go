//go:build unix

package extension_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
)

// C346: whoever exchanges a file of the store while it is loaded gets nothing in that was not signed: each load gives the
// signed bytes, or says that they were changed.
func TestC346_FilesExchangedWhileLoading(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	s, dir := storeAt(t)
	signed := bytesOf(without(p.signed(t, "1.0.0", 1), extension.SignatureFile))
	pkg := install(t, s, p, "1.0.0", 1)
	object := filepath.Join(dir, "objects", pkg.Digest())
	at, aside := filepath.Join(object, "profiles", "composer.json"), filepath.Join(t.TempDir(), "composer.json")
	for _, d := range []string{object, filepath.Dir(at)} {
		if err := os.Chmod(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	good := signed["profiles/composer.json"]
	evil := bytes.Replace(good, []byte("ACME_HOME"), []byte("EVIL_HOME"), 1)
	put := func(data []byte) error {
		return errors.Join(os.WriteFile(aside, data, 0o400), os.Rename(aside, at))
	}
	link := func() error {
		target := filepath.Join(filepath.Dir(aside), "target")
		return errors.Join(os.WriteFile(target, evil, 0o600), os.Symlink(target, aside), os.Rename(aside, at))
	}
	turns := []func() error{
		func() error { return put(evil) }, func() error { return put(good) },
		func() error { return put(slices.Concat(good, []byte("\n"))) }, func() error { return put(good) },
		link, func() error { return put(good) }, func() error { return os.Remove(at) }, func() error { return put(good) },
	}

	stop, begun := make(chan struct{}), make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		start := sync.OnceFunc(func() { close(begun) })
		defer start()
		for {
			for _, turn := range turns {
				if err := turn(); err != nil {
					t.Error(err)
					return
				}
			}
			start()
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	<-begun
	for range 200 {
		got, err := s.Load(t.Context(), "acme", p.policy, later())
		if err != nil {
			if !errors.Is(err, core.ErrTampered) {
				t.Errorf("got %v [%s]", err, core.CodeOf(err))
			}
			continue
		}
		whole(t, got, signed)
	}
	close(stop)
	swapping.Wait()

	// Whichever comes last is what counts.
	fresh := extension.OpenStore(dir, nil)
	whole(t, load(t, fresh, p), signed)
	for _, turn := range []func() error{turns[0], turns[2], link, turns[6]} {
		if err := turn(); err != nil {
			t.Fatal(err)
		}
		_, err := fresh.Load(t.Context(), "acme", p.policy, later())
		refused(t, err, core.ErrTampered)
	}
}

// whole expects a package to hold what was signed, to the last byte.
func whole(t *testing.T, pkg *extension.Package, signed map[string][]byte) {
	t.Helper()
	for name, want := range signed {
		if got, err := pkg.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	o, err := pkg.Overlay()
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Agent().Prep.Home.EnvVar; got != "ACME_HOME" {
		t.Errorf("sessions get the variable %s", got)
	}
}
