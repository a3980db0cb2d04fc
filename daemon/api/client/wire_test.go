package client_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/api/wire"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// Whoever generates a client of the document gets on with it alone, problems included.
func TestTheGeneratedClientReadsWhatTheDaemonAnswers(t *testing.T) {
	t.Parallel()
	s, ctx := serve(t), t.Context()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	c := must[*wire.ClientWithResponses](t)(wire.NewClientWithResponses(s.url, wire.WithHTTPClient(&http.Client{Transport: own}),
		wire.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		})))
	key, at := canary, "http://127.0.0.1:1"
	const in = "a workspace/with 100% of % and .."
	made := must[*wire.CreateModelPlanResponse](t)(c.CreateModelPlanWithResponse(ctx, in, wire.PutModelPlanRequest{
		Name: "P", Protocol: "openai", BaseUrl: &at, ApiKey: &key, Models: &[]wire.Model{{Id: "m"}},
	}))
	if made.JSON200 == nil || !made.JSON200.HasApiKey || made.JSON200.WorkspaceId != in {
		t.Fatalf("%s: %s", made.Status(), made.Body)
	}
	listed := must[*wire.ListModelPlansResponse](t)(c.ListModelPlansWithResponse(ctx, in))
	if listed.JSON200 == nil || len(listed.JSON200.Plans) != 1 || listed.JSON200.Plans[0].Id != made.JSON200.Id {
		t.Fatalf("%s: %s", listed.Status(), listed.Body)
	}
	stale := must[*wire.SetModelPlanEnabledResponse](t)(c.SetModelPlanEnabledWithResponse(ctx, in, made.JSON200.Id,
		&wire.SetModelPlanEnabledParams{IfMatch: `"7"`}, wire.EnabledRequest{Enabled: true}))
	if p := stale.ApplicationproblemJSON412; p == nil || p.Code != string(problem.PlanConflict) {
		t.Errorf("%s: %s", stale.Status(), stale.Body)
	}
}
