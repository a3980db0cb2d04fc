package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
)

func TestPolicyFileIsPrivateAndWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "trust.json")
	p, err := trust.ReadFile(path)
	if err != nil || len(p.Keys) != 0 {
		t.Fatalf("%v, %v", p, err)
	}
	var all sync.WaitGroup
	for range 8 {
		s := signer(t, trust.Ed25519)
		all.Go(func() {
			_, err := trust.ChangeFile(t.Context(), path, func(p *trust.Policy) error {
				p.Keys = append(p.Keys, key("Acme", s))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p, err = trust.ReadFile(path); err != nil || len(p.Keys) != 8 || p.Version != 8 {
		t.Fatalf("%d keys, version %d, %v", len(p.Keys), p.Version, err)
	}
	refusal := errors.New("no")
	if _, err := trust.ChangeFile(t.Context(), path, func(p *trust.Policy) error { p.Keys = nil; return refusal }); err != refusal {
		t.Errorf("%v", err)
	}
	if p, _ := trust.ReadFile(path); len(p.Keys) != 8 {
		t.Error("a change that failed was written")
	}
	if runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	_, err = trust.ReadFile(path)
	refused(t, err, core.ErrTrustPolicy, "others")
}
