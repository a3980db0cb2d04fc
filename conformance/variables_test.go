package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
)

// What the host owns of a session's credentials is that session's alone: a session that is started inside of another one
// does not have the other's, and on an endpoint it has exactly the endpoint's. What is the user's own is kept on their own
// login.
func TestH26_CredentialsOfTheHostAreTheSessionsOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c)
		g := s.open()
		model := c.descriptor().Model
		outer := []string{"TUTTI_MODEL_PLAN_API_KEY=outer-51c2", "TUTTI_MCP_HEADER_1=outer-51c2"}
		theirs := []string{"OPENAI_API_KEY=" + userSecret, "ANTHROPIC_API_KEY=" + userSecret, "CLAUDE_CODE_OAUTH_TOKEN=" + userSecret,
			"KIMI_API_KEY=" + userSecret}
		environ := slices.Concat(g.environ, outer, theirs)
		holding := func(session core.Session, secret string) (names []string) {
			cmd, err := g.prepare(session).Command(t.Context(), environ, c.turn("hello")...)
			if err != nil {
				t.Fatal(err)
			}
			for _, kv := range cmd.Env {
				if name, value, _ := strings.Cut(kv, "="); strings.Contains(value, secret) {
					names = append(names, name)
				}
			}
			return names
		}
		plain, plan := g.session("plain", core.Desktop), g.onPlan("plan")
		for _, session := range []core.Session{plain, plan} {
			if names := holding(session, "outer-51c2"); len(names) > 0 {
				t.Errorf("%s: credentials of another session are in %q", session.ID, names)
			}
		}
		kept := holding(plain, userSecret)
		for _, kv := range theirs {
			if name, _, _ := strings.Cut(kv, "="); !slices.Contains(kept, name) {
				t.Errorf("%s, which is the user's, is taken away on their own login", name)
			}
		}
		if names := holding(plain, planKey); len(names) > 0 {
			t.Errorf("without an endpoint its key is in %q", names)
		}
		if names := holding(plan, planKey); len(names) != 1 || names[0] != model.KeyVar && names[0] != model.APIKeyVar {
			t.Errorf("the key of the endpoint is in %q", names)
		}
		// Nothing that the client would take for a credential of its own is left beside it.
		for _, name := range []string{model.KeyVar, model.APIKeyVar} {
			if name != "" && slices.Contains(holding(plan, userSecret), name) {
				t.Errorf("%s has a key of the user's on an endpoint", name)
			}
		}
	})
}
