//go:build unix

package gateway

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/greenroom-agents/greenroom/conformance/rig"
)

// served is a gateway that a person started.
type served struct{ token, provider string }

// serveGateway starts the gateway for the plan, and ends it with the test.
func (s *stage) serveGateway(model string) served {
	s.Helper()
	cmd := exec.Command(filepath.Join(bin, "greenroom"), "gateway", "--json", "--upstream", s.up.URL(), "--key-env", "PLAN_KEY", "--model", model)
	cmd.Env = s.environ
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			s.Errorf("the gateway ended with %v", err)
		}
	})
	var at struct {
		BaseURL string `json:"base_url"`
		Token   string `json:"token"`
	}
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		s.Fatal(err)
	}
	return served{at.Token, fmt.Sprintf(`model_providers.greenroom={name="Greenroom", base_url=%q, env_key="GREENROOM_GATEWAY_TOKEN"}`, at.BaseURL)}
}

// alone runs the client on a gateway that a person started, without a session of ours.
func (s *stage) alone(model, prompt string) rig.Result {
	s.Helper()
	g := s.serveGateway(model)
	keep := s.environ
	defer func() { s.environ = keep }()
	s.environ = append(slices.Clone(keep), "GREENROOM_GATEWAY_TOKEN="+g.token, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	r := s.start(s.client, "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "-m", model,
		"-c", "model_provider=greenroom", "-c", g.provider, prompt)
	if r.Err != nil {
		s.Fatalf("%v\n%s\n%s", r.Err, r.Stdout, r.Stderr)
	}
	return r
}
