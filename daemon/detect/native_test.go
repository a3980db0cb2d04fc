package detect_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// native is a client of an official subscription that fails where it is told to.
type native struct{ at string }

func (n native) err(at string) error {
	if n.at == at {
		return errors.New("it fails " + at)
	}
	return nil
}

func (n native) Ready(context.Context) error    { return n.err("ready") }
func (n native) LoggedIn(context.Context) error { return n.err("login") }
func (n native) Models(context.Context) ([]plan.Model, error) {
	if n.at == "empty" {
		return nil, nil
	}
	return []plan.Model{{ID: "m-native"}}, n.err("models")
}
func (n native) Ask(context.Context, string) error {
	if n.at == "ask login" {
		return fmt.Errorf("%w: log in", detect.ErrLogin)
	}
	return n.err("ask")
}

// hangs is a client that says nothing from some point on.
type hangs struct{ at string }

func (h hangs) wait(ctx context.Context, at string) error {
	if h.at != at {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (h hangs) Ready(ctx context.Context) error    { return h.wait(ctx, "ready") }
func (h hangs) LoggedIn(ctx context.Context) error { return h.wait(ctx, "login") }
func (h hangs) Models(ctx context.Context) ([]plan.Model, error) {
	return []plan.Model{{ID: "m"}}, h.wait(ctx, "models")
}
func (h hangs) Ask(ctx context.Context, _ string) error { return h.wait(ctx, "ask") }

// A client that hangs is neither missing nor without a login, and keeps no check from ending.
func TestP09_AClientThatHangs(t *testing.T) {
	t.Parallel()
	const passed, skipped, late = "passed", "skipped", "failed timeout retry_inference"
	d := detect.New(detect.Config{Now: time.Now, Random: rand.Reader, Network: 50 * time.Millisecond, Catalog: 50 * time.Millisecond, Inference: 50 * time.Millisecond})
	t.Cleanup(d.Close)
	for at, want := range map[string][]string{
		"ready": {late, skipped, skipped, skipped}, "login": {passed, late, skipped, skipped}, "models": {passed, passed, skipped, passed},
		"ask": {passed, passed, passed, late},
	} {
		to := target("", "m")
		to.Template, to.Key, to.Native = plan.OfficialSubscription, plan.Key{}, hangs{at}
		found, err := d.Check(t.Context(), to, detect.Progress{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, short(found)); diff != "" {
			t.Errorf("%s: %s", at, diff)
		}
	}
}

// The client is a double here; that a real one answers so is not shown by this.
func TestP09_OfficialSubscriptions(t *testing.T) {
	t.Parallel()
	const passed, skipped = "passed", "skipped"
	for name, c := range map[string]struct {
		native detect.Native
		models []string
		want   []string
	}{
		"all is well":         {native{}, nil, []string{passed, passed, passed, passed}},
		"no client for it":    {nil, nil, []string{"failed provider_runtime_unavailable install_or_enable_agent_provider", skipped, skipped, skipped}},
		"not installed":       {native{"ready"}, nil, []string{"failed provider_runtime_unavailable install_or_enable_agent_provider", skipped, skipped, skipped}},
		"not logged in":       {native{"login"}, nil, []string{passed, "failed provider_auth_required login_agent_provider", skipped, skipped}},
		"no models":           {native{"empty"}, nil, []string{passed, passed, "failed model_catalog_unavailable add_models_manually", "failed no_model_selected select_model"}},
		"no models, but ours": {native{"models"}, []string{"m"}, []string{passed, passed, skipped, passed}},
		"no answer":           {native{"ask"}, nil, []string{passed, passed, passed, "failed inference_failed retry_inference"}},
		"a login that is bad": {native{"ask login"}, nil, []string{passed, "failed provider_auth_required login_agent_provider", passed, "failed inference_failed retry_inference"}},
	} {
		to := target("", c.models...)
		to.Template, to.Key, to.Native = plan.OfficialSubscription, plan.Key{}, c.native
		if diff := cmp.Diff(c.want, short(check(t, to))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
