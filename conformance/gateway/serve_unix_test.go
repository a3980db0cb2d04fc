//go:build unix

package gateway

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
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
