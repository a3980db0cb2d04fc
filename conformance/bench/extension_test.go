package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// installed is an installed extension, that of Hermes Agent, and whoever is believed.
type installed struct {
	*stage
	store  *extension.Store
	policy *trust.Policy
	terms  trust.Terms
}

func (s *stage) installed() *installed {
	s.t.Helper()
	must := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	key, err := trust.GenerateSigner(trust.Ed25519)
	must(err)
	c, err := extension.ReadDirectory(s.t.Context(), filepath.FromSlash("../../extensions/hermes/package"))
	must(err)
	m, err := c.Manifest()
	must(err)
	envelope, err := trust.Sign(trust.Extension, trust.Release{ID: m.AgentKey, Version: m.Version, Sequence: 1, IssuedAt: time.Now().Add(-time.Hour)}, c.Digests(), key)
	must(err)
	c, err = c.WithSignature(envelope)
	must(err)
	i := &installed{stage: s, store: extension.OpenStore(s.path("extensions"), nil), policy: &trust.Policy{Keys: []trust.Key{{
		Name: "bench", ID: key.Public().ID, PEM: key.Public().PEM(), Kinds: []trust.Kind{trust.Extension}, Releases: []string{m.AgentKey}}}}}
	must(i.policy.Complete())
	// By a clock that is an hour ahead: what was installed a moment ago is read at each use.
	i.terms = trust.Terms{ID: m.AgentKey, Now: time.Now().Add(time.Hour), Host: "0.1.0"}
	_, err = i.store.Install(s.t.Context(), c, i.policy, i.terms, extension.InstallOptions{})
	must(err)
	s.t.Cleanup(func() { // of which nobody may write to anything
		filepath.WalkDir(s.path("extensions"), func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, 0o700)
			}
			return err
		})
	})
	s.write("bin/hermes", "#!/bin/sh\necho 'Hermes Agent v0.18.2'\n", 0o755)
	s.write("home/.hermes/config.yaml", "model:\n  default: one # mine\nskills:\n  external_dirs:\n    - ~/skills\n", 0o600)
	s.write("home/.hermes/.env", "A=b\n", 0o600)
	return i
}

// session loads the extension, and is a session of it.
func (i *installed) session() core.Session {
	i.t.Helper()
	pkg, err := i.store.Load(i.t.Context(), i.terms.ID, i.policy, i.terms)
	if err != nil {
		i.t.Fatal(err)
	}
	o, err := pkg.Overlay()
	if err != nil {
		i.t.Fatal(err)
	}
	ses := i.stage.session(o.Provider(), 0)
	ses.ExtensionRuntimePrep = o
	return ses
}

// To verify and load an installed extension adds at most half to preparing a session of it again.
func TestSpeedExtension(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("measures for some seconds, and without the race detector")
	}
	for _, p := range measured {
		if p.process {
			continue // an extension has none
		}
		t.Run(p.name, func(t *testing.T) {
			i := p.stage(t, false).installed()
			held := i.session()
			i.prepare(held)
			f := operation{before: nothing, ours: func(int) { i.prepare(i.session()) }, floor: func(int) { i.prepare(held) }}.rounds(many)
			t.Logf("%.3f ms when it is loaded each time, %.3f ms when it is held: %.2f times (calm %.2f, aim 1.5)", ms(f.ours), ms(f.floor.time), f.floor.ratio, f.floor.calm)
			if f.floor.calm > 1.5 {
				t.Errorf("it takes %.2f times as long when the extension is loaded", f.floor.calm)
			}
		})
	}
}

// BenchmarkExtensionLoad is what an installed extension costs at each use: its verification, and what it says of sessions.
func BenchmarkExtensionLoad(b *testing.B) {
	i := place{name: "tmpfs", on: memory}.stage(b, false).installed()
	i.session()
	for b.Loop() {
		i.session()
	}
}
