package api_test

import (
	"context"
	"errors"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/api"
)

// What was stored is never answered as a failure: when clients cannot be listed, nothing is stored, and what is stored was
// looked at before.
func TestAnAgentIsStoredAndAnsweredOrNeither(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id, _ := s.plan("P")
	const agents = "/v1/workspaces/w/agents"
	body := map[string]any{"name": "A", "harnessAgentTargetId": "one", "modelPlanId": id}
	first := s.do("POST", agents, body, "")
	if first.status != 201 {
		t.Fatalf("%+v", first)
	}
	at := agents + "/" + first.body["id"].(string)
	listed := s.listed
	for good := range 3 { // how often clients can be listed before they cannot
		calls := 0
		s.listed = func(ctx context.Context) ([]api.Provider, error) {
			if calls++; calls > good {
				return nil, errors.New("the adapters cannot be listed")
			}
			return listed(ctx)
		}
		stored := func() (n int, revision int64) {
			t.Helper()
			all, err := s.access.Agents(t.Context(), "w")
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range all {
				if a.ID == first.body["id"] {
					revision = a.Revision
				}
			}
			return len(all), revision
		}
		n, revision := stored()
		created := s.do("POST", agents, body, "")
		if now, _ := stored(); (created.status == 201) != (now == n+1) || created.status != 201 && now != n {
			t.Errorf("listed %d times: answered %d, and of %d agents there are %d", good, created.status, n, now)
		}
		calls = 0
		updated := s.do("PUT", at, body, "*")
		if _, now := stored(); (updated.status == 200) != (now == revision+1) || updated.status != 200 && now != revision {
			t.Errorf("listed %d times: answered %d, and of revision %d there is %d", good, updated.status, revision, now)
		}
		if good > 0 && (created.status != 201 || updated.status != 200) {
			t.Errorf("listed %d times: %d, %d", good, created.status, updated.status)
		}
	}
}
