//go:build unix

package binding_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/subscription"
	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The check of an official subscription asks the vendor's own client, on a login of its own: here one with a key, at an
// endpoint on this machine that the user's own settings name. Nothing of it is left.
func TestP09_OfficialSubscriptionsThroughTheRealClient(t *testing.T) {
	t.Parallel()
	for provider, protocol := range map[string]preparer.Protocol{"codex": preparer.OpenAI, "claude": preparer.Anthropic} {
		for _, loggedIn := range []bool{true, false} {
			name := provider + ", logged in"
			if !loggedIn {
				name = provider + ", with a login that is refused"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				checkSubscription(t, provider, protocol, loggedIn)
			})
		}
	}
}

func checkSubscription(t *testing.T, provider string, protocol preparer.Protocol, loggedIn bool) {
	desk := newDesk(t, provider)
	dir, home, temp := desk.dir, desk.home, filepath.Join(desk.dir, "temp")
	up := gatewaytest.StartFunc(answerBoth)
	t.Cleanup(up.Close)
	for _, d := range []string{filepath.Join(home, ".codex"), temp} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if protocol == preparer.Anthropic {
		key := firstKey
		if !loggedIn {
			key = "sk-that-nobody-knows"
		}
		desk.environ = append(desk.environ, "ANTHROPIC_BASE_URL="+up.URL(), "ANTHROPIC_API_KEY="+key)
	} else {
		codexLogin(t, home, up, loggedIn)
	}
	before := files(t, home)
	h := desk.host(t)
	a, err := access.Open(t.Context(), access.Config{
		Dir: filepath.Join(dir, "data"), Now: time.Now, Random: rand.Reader,
		Native: func(_ context.Context, p preparer.Protocol) (detect.Native, func(), error) {
			c := subscription.New(subscription.Config{Host: h, Environ: desk.environ, TempDir: temp, Random: rand.Reader}, p)
			return c, func() {
				if err := c.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	p, err := a.CreatePlan(t.Context(), "w", plan.Spec{Name: "Mine", Template: plan.OfficialSubscription, Protocol: protocol, Enabled: true}, plan.Key{})
	if err != nil {
		t.Fatal(err)
	}
	found, kept, err := a.Check(t.Context(), "w", p.ID, access.CheckRequest{})
	if err != nil || !kept {
		t.Fatalf("%v, kept: %v", err, kept)
	}
	stages := map[plan.Stage]plan.Outcome{}
	for _, r := range found.Stages {
		stages[r.Stage] = r.Status
		t.Logf("%s %s %s %s", r.Stage, r.Status, r.Reason, r.Detail)
	}
	if stages[plan.Network] != plan.Passed || (stages[plan.Auth] == plan.Passed) != loggedIn || found.OK() != loggedIn {
		t.Errorf("%v", stages)
	}
	if now, err := a.Plan(t.Context(), "w", p.ID); err != nil || (now.Status() == plan.Ready) != loggedIn {
		t.Errorf("%s, %v", now.Status(), err)
	}
	if loggedIn && up.Hits() == 0 {
		t.Error("the endpoint was not asked")
	}
	// Another protocol has no such client here.
	other := preparer.Anthropic
	if protocol == other {
		other = preparer.OpenAI
	}
	q, err := a.CreatePlan(t.Context(), "w", plan.Spec{Name: "Other", Template: plan.OfficialSubscription, Protocol: other, Enabled: true}, plan.Key{})
	if err != nil {
		t.Fatal(err)
	}
	if found, _, err := a.Check(t.Context(), "w", q.ID, access.CheckRequest{}); err != nil || found.Stages[0].Reason != plan.NoRuntime {
		t.Errorf("%+v, %v", found, err)
	}

	for info, err := range h.Sessions(t.Context()) {
		t.Errorf("a session is left: %+v, %v", info, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if after := files(t, home); protocol == preparer.OpenAI {
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("the user's home changed: %s", d)
		}
	}
}

// codexLogin is a login with a key, at an endpoint that the user's own configuration names. It speaks Responses.
func codexLogin(t *testing.T, home string, up *gatewaytest.Upstream, good bool) {
	t.Helper()
	gw, err := gateway.Listen(gateway.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gw.Close(context.Background()) })
	route, err := gw.Register(gateway.Route{Workspace: "w", Session: "native", BaseURL: up.URL(), APIKey: firstKey})
	if err != nil {
		t.Fatal(err)
	}
	if err := route.Commit(); err != nil {
		t.Fatal(err)
	}
	key := route.Token()
	if !good {
		key = "sk-that-nobody-knows"
	}
	login, err := json.Marshal(map[string]any{"auth_mode": "apikey", "OPENAI_API_KEY": key})
	if err != nil {
		t.Fatal(err)
	}
	config := "model = \"m-typed\"\nmodel_provider = \"mine\"\n[model_providers.mine]\nname = \"mine\"\nbase_url = \"" + route.BaseURL() +
		"\"\nwire_api = \"responses\"\nrequires_openai_auth = true\nrequest_max_retries = 0\nstream_max_retries = 0\n"
	for name, text := range map[string][]byte{"auth.json": login, "config.toml": []byte(config)} {
		if err := os.WriteFile(filepath.Join(home, ".codex", name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// files are the texts of all files below a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(bytes.TrimSpace(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
