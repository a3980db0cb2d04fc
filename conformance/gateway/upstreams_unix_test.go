//go:build unix

package gateway

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// callChunk is a chunk with a piece of a call of the tool for commands.
func callChunk(piece string) string {
	return gatewaytest.Chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"exec_command","arguments":` + piece + `}}]}`)
}

func TestG81_UpstreamsInTheirWays(t *testing.T) {
	t.Parallel()
	const command = `"{\"cmd\":\"echo marker-$((40+2))\"}"`
	for name, c := range map[string]struct {
		script  []gatewaytest.Answer
		said    string
		results []string
	}{
		"parallel calls": {[]gatewaytest.Answer{gatewaytest.Calls(
			gatewaytest.Call{ID: "a", Name: "exec_command", Arguments: `{"cmd":"echo one-$((40+1))"}`},
			gatewaytest.Call{ID: "b", Name: "exec_command", Arguments: `{"cmd":"echo two-$((40+2))"}`}), gatewaytest.Text("both")},
			"both", []string{"one-41", "two-42"}},
		"a call in one chunk": {[]gatewaytest.Answer{
			gatewaytest.Stream(callChunk(command), gatewaytest.Finish("tool_calls")), gatewaytest.Text("done")},
			"done", []string{"marker-42"}},
		"cumulative arguments": {[]gatewaytest.Answer{
			gatewaytest.Stream(callChunk(`"{\"cmd\":"`), callChunk(command), gatewaytest.Finish("tool_calls")), gatewaytest.Text("done")},
			"done", []string{"marker-42"}},
		"think tags": {[]gatewaytest.Answer{gatewaytest.Text("<thi", "nk>a secret thought</th", "ink>an answer")}, "an answer", nil},
		"busy once": {[]gatewaytest.Answer{
			gatewaytest.Status(http.StatusTooManyRequests, `{"error":{"message":"slow down"}}`).With("Retry-After", "1"), gatewaytest.Text("made it")},
			"made it", nil},
		"busy once and silent about it": {[]gatewaytest.Answer{
			gatewaytest.Status(http.StatusTooManyRequests, `{"error":{"message":"slow down"}}`), gatewaytest.Text("made it")},
			"made it", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, gatewaytest.Start(c.script...))
			r := s.must("do it")
			if strings.TrimSpace(r.Stdout) != c.said {
				t.Errorf("the client says %q, want %q", r.Stdout, c.said)
			}
			for _, want := range c.results {
				if got := s.results(); !strings.Contains(got, want) {
					t.Errorf("no %q in %s", want, got)
				}
			}
			if s.up.Hits() != len(c.script) {
				t.Errorf("%d requests, want %d", s.up.Hits(), len(c.script))
			}
		})
	}
}

func TestG81_AFullContextEndsTheTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(gatewaytest.Status(http.StatusBadRequest,
		`{"error":{"message":"maximum context length is 8192 tokens","type":"invalid_request_error","code":"context_length_exceeded"}}`)))
	if r := s.codex("do it"); r.Err == nil || !strings.Contains(strings.ToLower(r.Stdout+r.Stderr), "context") {
		t.Errorf("%v\n%s\n%s", r.Err, r.Stdout, r.Stderr)
	}
	if s.up.Hits() > 3 {
		t.Errorf("it was tried %d times", s.up.Hits())
	}
}

// Ending the client ends the request upstream, so that nobody pays for what nobody reads.
func TestG81_AnInterruptReachesTheUpstream(t *testing.T) {
	t.Parallel()
	arrived := make(chan (<-chan struct{}), 16)
	s := newStage(t, gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		arrived <- r.Gone
		return gatewaytest.Text("a part").First(2).Then(gatewaytest.Step{Stall: true})
	}))
	cmd := exec.Command(filepath.Join(bin, "greenroom"), s.arguments("do it")...)
	cmd.Dir, cmd.Env = s.project, s.environ
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	limit := time.After(patience)
	var gone <-chan struct{}
	select {
	case gone = <-arrived:
	case err := <-ended:
		t.Fatalf("it ended before it asked: %v", err)
	case <-limit:
		_ = cmd.Process.Kill()
		t.Fatal("it never asked")
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case <-gone:
			gone = nil
		case <-ended:
			ended = nil
		case <-limit:
			_ = cmd.Process.Kill()
			t.Fatal("the request or the client goes on")
		}
	}
}
