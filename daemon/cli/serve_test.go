package cli_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/api/client"
	"github.com/greenroom-agents/greenroom/daemon/cli"
	"github.com/greenroom-agents/greenroom/daemon/internal/socket"
)

func TestServeIsWhatTheToolItselfWorksOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addPlan("P", "--model", "m")
	at, end := w.daemon()
	get := func(path, token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.BaseURL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := newClient(t, nil).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	// What the tool adds meanwhile is there at once.
	w.addPlan("Q", "--model", "m")
	if status, body := get("/v1/workspaces/personal/model-plans", at.Token); status != 200 || strings.Count(body, `"name":"P"`) != 1 || strings.Count(body, `"name":"Q"`) != 1 || strings.Contains(body, planKey) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := get("/v1/providers", at.Token); status != 200 || !strings.Contains(body, `"id":"fake","modelPlanBinding":true,"modelPlanProtocol":"openai"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := get("/v1/providers", "another"); status != 401 {
		t.Errorf("another token: %d", status)
	}
	// The page is beside it: the link lets a browser in once, and nobody comes in without.
	path := strings.TrimPrefix(at.Page, at.BaseURL)
	if status, body := get(path, ""); status != 200 || !strings.Contains(body, "You are in") {
		t.Errorf("%d %s", status, body)
	}
	for _, path := range []string{path, "/w/personal/plans", "/"} {
		if status, body := get(path, at.Token); status != 401 || strings.Contains(body, ">P<") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if got := end(); got.status != 0 {
		t.Errorf("%+v", got)
	}
}

// daemonAt is where a daemon serves.
type daemonAt struct {
	BaseURL string `json:"base_url"`
	Page    string
	Token   string
}

// serve starts a daemon in this process.
func (w *world) daemon(more ...string) (at daemonAt, end func() answer) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.ctx)
	r, out := io.Pipe()
	errs, status := new(bytes.Buffer), make(chan int, 1)
	w.t.Cleanup(func() { cancel(); _ = r.Close() })
	go func() {
		status <- cli.Run(ctx, cli.System{
			Args: append([]string{"serve", "--json"}, more...), Stdin: strings.NewReader(""), Stdout: out, Stderr: errs, Environ: w.environ, Home: w.home, Cwd: w.project,
			Executable: w.exe, TempDir: w.t.TempDir(), GOOS: runtime.GOOS, Now: time.Now, Rand: rand.Reader,
		})
		_ = out.Close()
	}()
	if err := json.NewDecoder(r).Decode(&at); err != nil || len(at.Token) != 43 || !strings.HasPrefix(at.BaseURL, "http://127.0.0.1:") {
		w.t.Fatalf("%+v, %v, %s", at, err, errs)
	}
	return at, func() answer {
		cancel()
		return answer{status: <-status, errors: errs.String()}
	}
}

// The tool goes through the daemon that serves its data directory, so that those who listen there hear of it, and works as
// without one. One that was ended is not missed.
func TestTheToolGoesThroughADaemon(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the tool works beside a daemon there")
	}
	with, without := newWorld(t), newWorld(t)
	at, end := with.daemon()
	listening := client.New(client.Config{BaseURL: at.BaseURL, Token: at.Token})
	defer listening.Close()
	events, err := listening.Events(t.Context(), "personal")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()

	ids := regexp.MustCompile(`(mp-|workspace-agent:)[0-9A-Za-z_-]+|\d{4}-\d\d-\d\dT[^"]*|\s*"latencyMs": \d+,|\d+ ms`)
	gaps := regexp.MustCompile(` +`) // a time is as wide as its digits, and less than a millisecond is left out
	strip := func(text string) string { return gaps.ReplaceAllString(ids.ReplaceAllString(text, ""), " ") }
	plain := func(a answer) answer {
		a.out, a.errors = strip(a.out), strip(a.errors)
		return a
	}
	for _, args := range [][]string{
		{"plans", "add", "P", "--base-url", "http://127.0.0.1:1", "--model", "m", "--context", "64k", "--key-stdin"},
		{"plans", "add", "P2", "--protocol", "anthropic", "--base-url", "http://127.0.0.1:1/v1", "--json"},
		{"plans", "add", "Bad", "--base-url", "ftp://x"},
		{"plans"}, {"plans", "--json"},
		{"plans", "edit", "P", "--name", "Q", "--model", "n", "--model", "m", "--default", "m"},
		{"plans", "show", "Q"}, {"plans", "show", "Nobody"},
		{"plans", "check", "Q"}, {"plans", "check", "Q", "--json"},
		{"plans", "copy", "Q"}, {"plans", "edit", "Q copy", "--no-key", "--enable"},
		{"agents", "add", "A", "--client", fakeProvider, "--plan", "Q", "--model", "m"},
		{"agents", "add", "B", "--client", fakeProvider, "--plan", "Q", "--model", "none"},
		{"agents", "edit", "A", "--instructions", "Be brief."}, {"agents"}, {"agents", "show", "A", "--json"},
		{"plans", "references", "Q"}, {"plans", "remove", "Q"}, {"plans", "remove", "Q", "--json"},
		{"agents", "remove", "A"}, {"plans", "remove", "Q"}, {"plans"},
	} {
		var got [2]answer
		for i, w := range []*world{with, without} {
			w.stdin = strings.NewReader(planKey)
			got[i] = plain(w.run(args...))
		}
		if d := cmp.Diff(got[1], got[0], cmp.AllowUnexported(answer{})); d != "" {
			t.Errorf("%q: without a daemon (-), with one (+)\n%s", args, d)
		}
	}
	var heard []string
	for len(heard) < 6 {
		e, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, e.Name)
	}
	if want := []string{"model_plan_changed", "model_plan_changed", "model_plan_changed"}; !slices.Equal(heard[:3], want) || !slices.Contains(heard, "model_plan_detection_began") {
		t.Errorf("%q", heard)
	}

	if got := with.run("serve"); got.status != 2 || !strings.Contains(got.errors, "another daemon serves this data directory") {
		t.Errorf("a second one: %+v", got)
	}
	if got := with.run("plans", "rotate"); got.status != 3 || !strings.Contains(got.errors, "a daemon works with the secret") {
		t.Errorf("rotate: %+v", got)
	}
	if got := end(); got.status != 0 || got.errors != "" {
		t.Errorf("%+v", got)
	}
	with.must("plans", "rotate")
	if got := with.must("plans", "--json"); !strings.Contains(got, `"name": "P2"`) {
		t.Errorf("%s", got)
	}
	_, end = with.daemon()
	with.must("plans", "show", "P2")
	end()
}

// A daemon opens nothing before it has the directory to itself: what it read while a rotation went on would be old.
func TestServeBeginsWithTheLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	data := filepath.Join(w.home, "locked")
	w.environ = append(w.environ, "GREENROOM_DATA="+data)
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	held, err := socket.Lock(data)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if got := w.run("serve"); got.status != 2 || !strings.Contains(got.errors, "another daemon serves this data directory") {
		t.Errorf("%+v", got)
	}
	if got := w.run("plans", "rotate"); got.status != 3 || !strings.Contains(got.errors, "or another rotation does") {
		t.Errorf("%+v", got)
	}
	entries, err := os.ReadDir(data)
	if err != nil || len(entries) != 1 || entries[0].Name() != socket.LockName {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestServeListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, listen := range []string{"0.0.0.0:0", "localhost:0", "127.0.0.1", ":0"} {
		if got := w.run("serve", "--listen", listen); got.status != 2 || !strings.Contains(got.errors, "--listen is no loopback address") {
			t.Errorf("%s: %+v", listen, got)
		}
	}
	w.environ = append(w.environ, "GREENROOM_API_TOKEN=short")
	if got := w.run("serve"); got.status != 3 || strings.Contains(got.errors, "short") {
		t.Errorf("%+v", got)
	}
}
