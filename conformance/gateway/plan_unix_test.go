//go:build unix

package gateway

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// greenroom runs the tool, with the key of the plan in the environment or without it.
func (s *stage) greenroom(withKey bool, args ...string) rig.Result {
	s.Helper()
	cmd := exec.Command(filepath.Join(bin, "greenroom"), append([]string{"--state", s.state}, args...)...)
	cmd.Dir = s.project
	for _, kv := range s.environ {
		if withKey || !strings.HasPrefix(kv, "PLAN_KEY=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	return rig.Run(cmd, patience)
}

// A plan is added, checked, and run on by the real client; its key is sent to the endpoint and is nowhere else.
func TestP17_TheRealClientRunsOnAPlan(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		switch body := string(r.Body); {
		case r.Header.Get("Authorization") != "Bearer "+planKey:
			return gatewaytest.Status(401, `{"error":{"message":"who are you"}}`)
		case r.Method == http.MethodGet:
			return gatewaytest.JSON(`{"data":[{"id":"plan-large"},{"id":"plan-small"}]}`)
		case strings.Contains(body, `"report_status"`):
			return gatewaytest.Calls(gatewaytest.Call{ID: "c", Name: "report_status", Arguments: `{"status":"ok"}`})
		case strings.Contains(body, `"stream":true`):
			return gatewaytest.Text("all ", "done")
		}
		return gatewaytest.JSON(gatewaytest.Completion("ok"))
	}))
	var said strings.Builder
	for _, c := range []struct {
		withKey bool
		args    []string
		want    string
	}{
		{true, []string{"plans", "add", "Large", "--base-url", s.up.URL(), "--model", "plan-large", "--model", "plan-small", "--key-env", "PLAN_KEY"}, "was added"},
		{false, []string{"plans", "check", "Large"}, "Large works"},
		{false, []string{"run", "codex", "--plan", "Large", "--", "exec", "--skip-git-repo-check", "do it"}, "all done"},
		{false, []string{"run", "codex", "--plan", "Large", "--model", "plan-small", "--", "exec", "--skip-git-repo-check", "do it"}, "all done"},
		{false, []string{"plans", "show", "Large"}, "ready"},
	} {
		r := s.greenroom(c.withKey, c.args...)
		if r.Err != nil || !strings.Contains(r.Stdout, c.want) {
			t.Fatalf("%q: %v\n%s\n%s", c.args, r.Err, r.Stdout, r.Stderr)
		}
		said.WriteString(r.Stdout + r.Stderr)
	}
	models := map[string]bool{}
	for _, r := range s.up.Requests() {
		var b body
		if r.Method == http.MethodPost && json.Unmarshal(r.Body, &b) == nil && len(b.Tools) > 1 {
			models[b.Model] = true
		}
	}
	if !models["plan-large"] || !models["plan-small"] || len(models) != 2 {
		t.Errorf("asked of %v", models)
	}
	if strings.Contains(said.String(), planKey) {
		t.Error("the key is shown")
	}
	s.hidden(planKey)
	s.nothingElseWasAsked()
}
