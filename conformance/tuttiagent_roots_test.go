package conformance_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// The directories of skills that the app server is told of are in no variable that it or its commands have, and more of them
// than it takes, or ones that are none, are refused before it is started.
func TestC194_C196_TuttiAgentHasNoRootsInItsEnvironment(t *testing.T) {
	t.Parallel()
	g := openTutti(t)
	root := filepath.Join(g.dir, "roots-51c2")
	rig.WriteSkill(g, filepath.Join(root, "crm-notes"), "crm-notes", "connector-skill-51c2", "body")
	session := g.tuttiSession("roots")
	session.SkillRoots = []core.SkillRoot{{Name: "crm", Path: root}}
	g.turnOf(g.prepare(session), g.client.shell("tr '\\0' '\\n' < /proc/$PPID/environ; env"), upstream.Say("done"))
	turns := g.turns(2)
	g.counts(g.text(turns[0]), map[string]int{"connector-skill-51c2": 1})
	results, err := turns[1].ToolResults()
	if err != nil || len(results) != 1 || !strings.Contains(results[0], "GREENROOM_RUN=") {
		t.Fatalf("the command gave %q, %v", results, err)
	}
	for _, secret := range []string{"roots-51c2", "store/skills", "system-skill-bundles"} {
		if strings.Contains(results[0], secret) {
			t.Errorf("%s stands in the environment:\n%s", secret, results[0])
		}
	}
	many := make([]core.SkillRoot, 33)
	for i := range many {
		many[i] = core.SkillRoot{Name: "many", Path: root}
	}
	for name, roots := range map[string][]core.SkillRoot{"more than 32": many, "relative": {{Name: "x", Path: "roots-51c2"}}, "missing": {{Name: "x", Path: root + "-not"}}} {
		bad := session
		bad.ID, bad.SkillRoots = "bad", roots
		if _, err := g.host.Prepare(t.Context(), bad); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	g.cleanup(session)
	g.nothingLeft()
}
