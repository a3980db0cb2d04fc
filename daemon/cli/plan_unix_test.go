//go:build unix

package cli_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func TestRunOnAnEndpointKeepsItsKeyFromTheClient(t *testing.T) {
	t.Parallel()
	upstream := gatewaytest.Start(gatewaytest.Text("Hello."))
	t.Cleanup(upstream.Close)
	w := newWorld(t)
	w.environ = append(w.environ, "PLAN_KEY="+upstreamKey, "no_proxy=.corp")
	w.client("env")
	got := w.run("run", "fake", "--upstream", upstream.URL(), "--key-env", "PLAN_KEY", "--model", "plan-large")
	if got.status != 0 || got.errors != "greenroom: 0 turns\n" {
		t.Errorf("%+v", got)
	}
	if strings.Contains(got.out, upstreamKey) {
		t.Error("the client has the key of the upstream")
	}
	lines := strings.Split(got.out, "\n")
	if !slices.ContainsFunc(lines, regexp.MustCompile(`^FAKE_KEY=[A-Za-z0-9_-]{43}$`).MatchString) {
		t.Errorf("the client has no token: %s", got.out)
	}
	if !slices.ContainsFunc(lines, regexp.MustCompile(`^FAKE_ENDPOINT=127\.0\.0\.1 http://127\.0\.0\.1:[0-9]+/v1 plan-large$`).MatchString) {
		t.Errorf("the client has no endpoint: %s", got.out)
	}
	for _, want := range []string{"NO_PROXY=.corp,127.0.0.1,localhost,::1", "no_proxy=.corp,127.0.0.1,localhost,::1"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no %s in %s", want, got.out)
		}
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

func TestRunOnAnEndpointIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client("echo ran")
	for want, args := range map[string][]string{
		"--model is missing":     {"--upstream", "https://a.example"},
		"[key_missing]":          {"--upstream", "https://a.example", "--model", "m", "--key-env", "NO_SUCH"},
		"--upstream is missing":  {"--model", "m"},
		"--key-env is missing":   {"--upstream", "https://a.example", "--model", "m"},
		"passes no responses on": {"--upstream", "http://127.0.0.1:1", "--model", "m", "--protocol", "responses", "--shield"},
	} {
		got := w.run(append([]string{"run", "fake"}, args...)...)
		if got.status < 2 || got.out != "" || !strings.Contains(got.errors, want) {
			t.Errorf("%q: %+v", want, got)
		}
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

// What stands between client and endpoint follows from both; the key stays with whoever has to have it.
func TestRunOnAnEndpointThatTheClientSpeaksToItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "PLAN_KEY="+upstreamKey)
	w.client("env")
	got := w.run("run", "fake", "--protocol", "responses", "--upstream", "https://relay.example/v1/", "--key-env", "PLAN_KEY", "--model", "plan-large")
	lines := strings.Split(got.out, "\n")
	if got.status != 0 || got.errors != "" || !slices.Contains(lines, "FAKE_KEY="+upstreamKey) ||
		!slices.Contains(lines, "FAKE_ENDPOINT=relay.example https://relay.example/v1 plan-large") {
		t.Errorf("%+v", got)
	}
	if slices.Contains(lines, "PLAN_KEY="+upstreamKey) {
		t.Error("the client has the key twice")
	}
}

func TestC263_RunOnAnEndpointThatTheClientCannotBeBoundTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "PLAN_KEY="+upstreamKey)
	w.client("env")
	args := []string{"run", "fake", "--protocol", "anthropic", "--upstream", "https://relay.example", "--key-env", "PLAN_KEY", "--model", "m"}
	got := w.run(args...)
	if got.status < 2 || got.out != "" || !strings.Contains(got.errors, "its client speaks responses") {
		t.Errorf("%+v", got)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	got = w.run(append(args, "--or-native")...)
	if got.status != 0 || !strings.Contains(got.errors, "your own login") || strings.Contains(got.out, "FAKE_KEY=") || strings.Contains(got.out, upstreamKey) {
		t.Errorf("%+v", got)
	}
}
