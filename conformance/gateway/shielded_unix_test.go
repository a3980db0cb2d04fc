//go:build unix

package gateway

import (
	"bytes"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// shielded runs a client in a session of ours on an endpoint behind a gateway.
func (s *stage) shielded(name, endpoint, prompt string) rig.Result {
	s.Helper()
	cmd := exec.Command(filepath.Join(bin, "greenroom"), slices.Concat([]string{
		"--state", s.state, "run", name, "--session", "one", "--keep", "all", "--upstream", endpoint, "--key-env", "PLAN_KEY",
		"--model", "plan-model", "--shield", "--",
	}, clients[name].arguments, []string{prompt})...)
	// Claude Code runs no commands unasked as root outside of a sandbox, and OpenCode looks for its packages.
	cmd.Dir, cmd.Env = s.project, append(slices.Clone(s.environ), "IS_SANDBOX=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "npm_config_offline=true")
	return rig.Run(cmd, patience)
}

// scripted is an endpoint that lets the client run a command, which looks for the key, and then ends.
func scripted(t *testing.T, protocol upstream.Protocol, shell string) *upstream.Server {
	t.Helper()
	up, err := upstream.Start(protocol,
		upstream.Use(shell, map[string]any{"command": "echo marker-$((40+2)); env | grep -c " + planKey[:14], "description": "a test"}), upstream.Say("all done"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { up.Close() })
	return up
}

// swapped wants the endpoint to have got the key with each turn, and nobody else ever to have had it.
func (s *stage) swapped(r rig.Result, up *upstream.Server) {
	s.Helper()
	if r.Err != nil || !strings.Contains(r.Stdout, "all done") {
		s.Fatalf("%v\n%s\n%s", r.Err, r.Stdout, r.Stderr)
	}
	turns := up.Turns()
	if len(turns) != 2 {
		s.Fatalf("%d turns", len(turns))
	}
	for _, turn := range turns {
		if turn.Header.Get("Authorization") != "Bearer "+planKey || turn.Header.Get("X-Api-Key") != "" || bytes.Contains(turn.Body, []byte(planKey)) {
			s.Errorf("the endpoint got %v", turn.Header)
		}
	}
	text, err := turns[1].Text()
	if err != nil || !strings.Contains(text, "marker-42\n0") {
		s.Errorf("%v, the tool did not answer without the key: %s", err, text)
	}
	s.nothingElseWasAsked()
	s.hidden(planKey)
	if strings.Contains(r.Stdout+r.Stderr, planKey) {
		s.Error("the client shows the key")
	}
}

// Who asks for one turn is told that the key is refused, whatever the client makes of it.
func TestShieldedPrompt_TheKeyIsRefused(t *testing.T) {
	t.Parallel()
	for name := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := gatewaytest.Start(gatewaytest.Status(http.StatusUnauthorized, `{"error":{"message":"not for you"}}`))
			s := newStage(t, up)
			cmd := exec.Command(filepath.Join(bin, "greenroom"), "--state", s.state, "prompt", name, "--upstream", up.URL(),
				"--key-env", "PLAN_KEY", "--model", "plan-model", "--shield", "--json", "do-it")
			cmd.Dir, cmd.Env = s.project, append(slices.Clone(s.environ), "OPENCODE_DISABLE_AUTOUPDATE=1", "npm_config_offline=true")
			if r := rig.Run(cmd, patience); r.Err == nil || !strings.Contains(r.Stdout+r.Stderr, "credential_refused") {
				t.Errorf("%v\n%s\n%s", r.Err, r.Stdout, r.Stderr)
			}
		})
	}
}

var summary = regexp.MustCompile(`(?m)^greenroom: [23] turns, `)

// The command of a person, from beginning to end: the endpoint gets the key of the plan, and neither the client nor what
// it runs, nor any file that is left, ever has it.
func TestShieldedSession(t *testing.T) {
	t.Parallel()
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := scripted(t, c.protocol, c.shell)
			s := newStage(t, gatewaytest.Start())
			r := s.shielded(name, up.URL(), "do-it")
			s.swapped(r, up)
			if !summary.MatchString(r.Stderr) {
				t.Errorf("no summary in %s", r.Stderr)
			}
		})
	}
}

// An endpoint that refuses the key and repeats it: the person is told why, and nobody is told the key.
func TestShieldedSession_TheKeyIsRefused(t *testing.T) {
	t.Parallel()
	for name := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := gatewaytest.Start(gatewaytest.Status(http.StatusUnauthorized,
				`{"type":"error","error":{"type":"authentication_error","message":"the key `+planKey+` is not known"}}`))
			s := newStage(t, up)
			r := s.shielded(name, up.URL(), "do-it")
			if said := r.Stdout + r.Stderr; !strings.Contains(said, "is not known") || strings.Contains(said, planKey) {
				t.Errorf("%v\n%s", r.Err, said)
			}
			if !strings.Contains(r.Stderr, "failed, the last with 401") {
				t.Errorf("no summary in %s", r.Stderr)
			}
			s.hidden(planKey)
		})
	}
}
