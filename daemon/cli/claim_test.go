package cli_test

import (
	"crypto/rand"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// A turn that the tool has seen end is claimed, for a person to accept; the next one is another turn. What was accepted stays
// with a session that is kept, and goes with it.
func TestTurnsOfTheToolAreClaimedAndAccepted(t *testing.T) {
	t.Parallel()
	w := newTroupe(t)
	data := filepath.Join(w.home, "data")
	w.environ = append(w.environ, "GREENROOM_DATA="+data)
	up := gatewaytest.Start(gatewaytest.Text("ok"))
	t.Cleanup(up.Close)
	w.addPlan("P", "--base-url", up.URL(), "--model", "m-a")
	opened, err := access.Open(t.Context(), access.Config{Dir: data, Now: time.Now, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })

	w.stdin = strings.NewReader("")
	w.must("prompt", launchtest.Provider, "--plan", "P", "--session", "one", "--keep", "all", "say hello")
	name := w.info("one").Ref.Workspace + "/one"
	stands := func() acceptance.Acceptance {
		t.Helper()
		a, err := opened.Acceptance(t.Context(), access.Personal, name)
		if err != nil || a == nil {
			t.Fatalf("%+v, %v", a, err)
		}
		return *a
	}
	first := stands()
	if first.Step != acceptance.AgentClaimed || first.Turn == "" {
		t.Errorf("%+v", first)
	}
	if _, err := opened.Accept(t.Context(), access.Personal, name, acceptance.UserAccepted, first.Turn, acceptance.Person); err != nil {
		t.Fatal(err)
	}
	// A turn that does not end well claims nothing, and takes nothing of what was accepted.
	w.stdin = strings.NewReader("stop refusal\n")
	if got := w.run("sessions", "attach", "one", "--plan", "P"); got.status != 1 {
		t.Errorf("%+v", got)
	}
	if now := stands(); now.Step != acceptance.UserAccepted || now.Turn != first.Turn {
		t.Errorf("%+v, and %+v was accepted", now, first)
	}
	w.stdin = strings.NewReader("say more\n")
	w.must("sessions", "attach", "one", "--plan", "P")
	second := stands()
	if second.Step != acceptance.AgentClaimed || second.Turn == first.Turn {
		t.Errorf("%+v after %+v", second, first)
	}
	w.must("cleanup", "one")
	if a, err := opened.Acceptance(t.Context(), access.Personal, name); !errors.Is(err, problem.SessionNotFound) {
		t.Errorf("%+v, %v", a, err)
	}
	// Of a session that goes with its turn nothing stays.
	w.stdin = strings.NewReader("")
	w.must("prompt", launchtest.Provider, "--plan", "P", "--session", "two", "say hello")
	if a, err := opened.Acceptance(t.Context(), access.Personal, strings.TrimSuffix(name, "one")+"two"); !errors.Is(err, problem.SessionNotFound) {
		t.Errorf("%+v, %v", a, err)
	}
}
