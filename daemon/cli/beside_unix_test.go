//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/daemon/api/client"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// process is the tool itself in a process of its own.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	errs bytes.Buffer
}

func (w *world) start(args ...string) *process {
	w.t.Helper()
	p := &process{t: w.t, cmd: exec.Command(w.exe, args...)}
	p.cmd.Env, p.cmd.Dir, p.cmd.Stderr = w.environ, w.project, &p.errs
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	p.out = bufio.NewScanner(out)
	return p
}

// line is the next line that it says.
func (p *process) line() string {
	p.t.Helper()
	if !p.out.Scan() {
		_ = p.cmd.Wait()
		p.t.Fatalf("%q has ended: %s", p.cmd.Args, p.errs.String())
	}
	return p.out.Text()
}

func (p *process) say(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// end ends its input, and gives its status.
func (p *process) end() int {
	p.t.Helper()
	if err := p.in.Close(); err != nil {
		p.t.Error(err)
	}
	for p.out.Scan() {
	}
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// askGateway asks a gateway as the agent would that was told of it, and gives the status.
func askGateway(t *testing.T, url, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/responses", strings.NewReader(`{"model":"m-a","input":"hi","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// A daemon and the tool are two processes over one store. What a session of the tool does in it is what the daemon shows, and
// what is changed through the daemon reaches the session with its next turn.
func TestP13_H43_ASessionOfTheToolFollowsWhatIsChangedThroughTheDaemon(t *testing.T) {
	t.Parallel()
	const nextKey = "sk-next-canary-33aa90"
	w := newTroupe(t)
	up := gatewaytest.Start(gatewaytest.Text("ok"))
	t.Cleanup(up.Close)
	sent := func() string { return strings.TrimPrefix(up.Last().Header.Get("Authorization"), "Bearer ") }
	plan := w.addPlan("P", "--base-url", up.URL(), "--model", "m-a", "--model", "m-b")
	w.addPlan("Q", "--base-url", up.URL(), "--model", "m-c")
	w.must("prepare", launchtest.Provider, "--session", "one")

	serving := w.start("serve", "--json")
	var at daemonAt
	var text strings.Builder
	for json.Unmarshal([]byte(text.String()), &at) != nil {
		text.WriteString(serving.line())
	}
	c := client.New(client.Config{BaseURL: at.BaseURL, Token: at.Token})
	t.Cleanup(func() { _ = c.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	sessions := func() (all []string) {
		t.Helper()
		list, err := c.Sessions(ctx, "personal")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			all = append(all, s.Session[strings.LastIndexByte(s.Session, '/')+1:]+" "+s.Plan)
		}
		return all
	}

	attached := w.start("sessions", "attach", "one", "--plan", "P")
	turn := func() (token, url string) {
		t.Helper()
		attached.say("env " + launchtest.KeyVar)
		token = attached.line()
		attached.say("env " + launchtest.URLVar)
		return token, attached.line()
	}
	token, url := turn()
	if len(token) != 43 || askGateway(t, url, token) != 200 || sent() != planKey {
		t.Fatalf("the first turn: %d characters, sent %q", len(token), sent())
	}
	if got := sessions(); !slices.Equal(got, []string{"one " + plan.ID}) {
		t.Errorf("the daemon has the sessions %q", got)
	}
	refs, err := c.References(ctx, "personal", plan.ID)
	if err != nil || len(refs) != 1 || !strings.HasSuffix(refs[0].ID, "/one") {
		t.Errorf("the plan is used by %+v, %v", refs, err)
	}

	// Another key, entered through the daemon: from the next turn on, and the old token is good no more.
	w.stdin = strings.NewReader(nextKey)
	w.must("plans", "edit", "P", "--key-stdin")
	if askGateway(t, url, token) != 200 || sent() != planKey {
		t.Error("a turn that runs lost its key")
	}
	second, url2 := turn()
	if second == token || askGateway(t, url2, second) != 200 || sent() != nextKey || askGateway(t, url, token) != 401 {
		t.Errorf("the second turn: the same token: %v, sent %q", second == token, sent())
	}

	// Disabled, it goes on, and nobody else begins; deleted, no further turn begins.
	w.must("plans", "edit", "P", "--disable")
	if third, url := turn(); third != second || askGateway(t, url, third) != 200 {
		t.Error("a session that runs was stopped by disabling its plan")
	}
	if got := w.run("prompt", launchtest.Provider, "--plan", "P", "say no"); got.status != 3 || !strings.Contains(got.errors, "[model_plan_unusable]") {
		t.Errorf("a new session on a disabled plan: %+v", got)
	}
	w.must("plans", "remove", "P")
	attached.say("say never")
	if got := attached.end(); got != 3 || !strings.Contains(attached.errs.String(), "[model_plan_access_revoked]") {
		t.Errorf("a turn on a plan that is deleted: %d, %s", got, attached.errs.String())
	}
	if got := sessions(); len(got) != 0 {
		t.Errorf("the session is over, and the daemon has %q", got)
	}
	w.stdin = strings.NewReader("")
	if got := w.must("prompt", launchtest.Provider, "--plan", "Q", "--keep", "nothing", "env "+launchtest.KeyVar); len(strings.TrimSpace(got)) != 43 {
		t.Errorf("prompt: %q", got)
	}
	if err := serving.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if got := serving.end(); got != 0 {
		t.Errorf("the daemon ended with %d: %s", got, serving.errs.String())
	}
}
