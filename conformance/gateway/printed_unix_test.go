//go:build unix

package gateway

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// What `greenroom gateway` prints for Codex works as it stands, also in a shell where a proxy is set that every other
// request would go to.
func TestG81_WhatIsPrintedWorks(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(call("exec_command", `{"cmd":"echo marker-$((40+2))"}`), gatewaytest.Text("all done")))
	cmd := exec.Command(filepath.Join(bin, "greenroom"), "gateway", "--upstream", s.up.URL(), "--key-env", "PLAN_KEY", "--model", "plan-large")
	cmd.Env = s.environ
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(syscall.SIGINT)
	var script []string
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), "Serving"); {
		if line, ok := strings.CutPrefix(lines.Text(), "  "); ok {
			script = append(script, line)
		}
	}
	if len(script) != 3 || !strings.HasPrefix(script[2], "codex ") {
		t.Fatalf("%q", script)
	}
	// The one thing that a test cannot do is talk to it on a terminal.
	script[2] = strings.Replace(script[2], "codex ", "codex exec --skip-git-repo-check --sandbox danger-full-access ", 1) + " 'do it'"
	r := s.start("/bin/sh", "-c", strings.Join(script, "\n"))
	if r.Err != nil || !strings.Contains(r.Stdout, "all done") {
		t.Errorf("%v\n%s\n%s", r.Err, r.Stdout, r.Stderr)
	}
	if got := s.results(); !strings.Contains(got, "marker-42") {
		t.Errorf("the command gave %s", got)
	}
}
