package conformance_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// The client offers models that its vendor hosts for nothing. A session on an endpoint has those of the endpoint alone.
func TestC246_OpenCodeOffersTheModelsOfTheEndpointOnly(t *testing.T) {
	t.Parallel()
	s := newStage(t, opencode)
	if got := s.play(s.plain("models")).Stdout; !strings.Contains(got, "opencode/") {
		t.Errorf("without us the client offers %q: the case shows nothing", got)
	}
	g := s.open(onlyOpenCode)
	got := strings.Fields(g.run(g.prepare(g.onPlan("models")), "models").Stdout)
	slices.Sort(got)
	if want := []string{"tutti-model-plan/plan-large", "tutti-model-plan/plan/small"}; !slices.Equal(got, want) {
		t.Errorf("the client offers %q", got)
	}
}

// A client whose user has plugins waits until its plugin interface is installed into every directory of configuration.
// The session's looks as if it were, so that a start asks no registry; taken away, the client asks one.
func TestC256_OpenCodeWaitsForNoInstallation(t *testing.T) {
	t.Parallel()
	s := newStage(t, opencode, upstream.Say("first"), upstream.Say("second"))
	g := s.open(onlyOpenCode)
	p := g.prepare(g.session("start", core.Desktop))
	g.run(p, opencode.turn("hello")...)
	if targets := s.proxy.Targets(); len(targets) > 0 {
		t.Errorf("the client wanted to reach %q", targets)
	}
	for _, name := range []string{"node_modules", "package-lock.json"} {
		if err := os.RemoveAll(filepath.Join(p.Dir, "opencode", name)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	prepared, err := p.Command(ctx, g.environ, opencode.turn("hello")...)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, prepared.Path, prepared.Args[1:]...)
	cmd.Dir, cmd.Env = prepared.Dir, prepared.Env
	go func() {
		defer stop()
		for ctx.Err() == nil && len(s.proxy.Targets()) == 0 {
			time.Sleep(50 * time.Millisecond)
		}
	}()
	rig.Run(cmd, patience)
	if len(s.proxy.Targets()) == 0 {
		t.Error("without it the client asks nobody: the case shows nothing")
	}
}
