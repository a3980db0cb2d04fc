package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
)

// background are the processes that have a path of a session in their environment.
func (g *greenroom) background() []*os.Process {
	return rig.Background(filepath.Join(g.state, "s") + "/")
}

// Codex can keep a service and its updater in its home, for every terminal of it. A person who starts them in a session finds
// them there as long as there is the session, and nobody finds them after it.
func TestH53_TheServiceOfCodexEndsWithItsSession(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex)
	g := s.open()
	t.Cleanup(func() {
		for _, p := range g.background() {
			_ = p.Kill()
		}
	})
	session := g.session("service", core.Desktop)
	p := g.prepare(session)
	lease, err := g.host.Hold(t.Context(), p.Ref)
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := p.Command(t.Context(), g.environ, "app-server", "daemon", "start")
	if err != nil {
		t.Fatal(err)
	}
	run, err := lease.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the service is not started: %v", err)
	}
	run.Leave()
	if _, err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.host.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if there := g.background(); len(there) != 2 {
		t.Fatalf("%d processes run on, want the service and its updater", len(there))
	}
	g.cleanup(session)
	if there := g.background(); len(there) > 0 {
		t.Errorf("%d processes outlive their session", len(there))
	}
	g.nothingLeft()
}
