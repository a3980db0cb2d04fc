package core

import (
	"context"
	"github.com/google/go-cmp/cmp"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A catalog that was forgotten is not taken for a tool that can do nothing.
func TestC005_MissingCatalogIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := Config{StateDir: filepath.Join(dir, "state"), Home: dir, Adapters: []adapter.Source{{InProcess: prop{provider: "prop"}}}}
	for name, profile := range map[string]capability.DeploymentProfile{
		"standard": {}, "core skills": {Name: "mine", Packs: []capability.CapabilityPack{capability.DesktopHost(), capability.CoreSkills()}},
	} {
		c.Profile = profile
		_, err := New(t.Context(), c)
		if CodeOf(err) != ErrCatalog || !strings.Contains(err.Error(), "no catalog") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
	c.Profile = capability.DeploymentProfile{Name: "bare", Packs: []capability.CapabilityPack{capability.DesktopHost()}}
	h, err := New(t.Context(), c)
	if err != nil {
		t.Fatalf("a profile that tells of no commands: %v", err)
	}
	h.Close()
	c.Profile, c.Commands = capability.DeploymentProfile{}, command.Fixed()
	h, err = New(t.Context(), c)
	if err != nil {
		t.Fatalf("a host that says that it has no tool: %v", err)
	}
	h.Close()
}

// A session that was narrowed and is prepared again keeps its commands, and the catalog is asked once for them.
func TestC018_ResumedDedicatedSessionAsksOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var asked []command.Query
	change := func(c *Config) {
		c.Commands = command.CatalogFunc(func(_ context.Context, q command.Query) ([]command.Command, error) {
			asked = append(asked, q)
			return sample.Catalog(), nil
		})
	}
	first := s.session("one")
	first.Projection = only("issue.get")
	p := mustPrepare(t, s.open(change, prop{provider: "prop"}), first)
	h := s.open(change, prop{provider: "prop"}) // as after a restart
	for range 2 {
		asked = nil
		again := mustPrepare(t, h, s.session("one"))
		if diff := cmp.Diff([]command.Query{{Workspace: "w1", Integration: true}}, asked); diff != "" {
			t.Error(diff)
		}
		if again.Generation != p.Generation {
			t.Errorf("generation %d after %d", again.Generation, p.Generation)
		}
	}
}
