package cli_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/cli"
)

func TestServeIsWhatTheToolItselfWorksOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addPlan("P", "--model", "m")
	ctx, end := context.WithCancel(t.Context())
	r, out := io.Pipe()
	errs, status := new(bytes.Buffer), make(chan int, 1)
	t.Cleanup(func() { end(); _ = r.Close() })
	go func() {
		status <- cli.Run(ctx, cli.System{
			Args: []string{"serve", "--json"}, Stdin: w.stdin, Stdout: out, Stderr: errs, Environ: w.environ, Home: w.home, Cwd: w.project,
			Executable: w.exe, TempDir: t.TempDir(), GOOS: runtime.GOOS, Now: time.Now, Rand: rand.Reader,
		})
	}()
	var at struct {
		BaseURL string `json:"base_url"`
		Page    string
		Token   string
	}
	if err := json.NewDecoder(r).Decode(&at); err != nil || len(at.Token) != 43 || !strings.HasPrefix(at.BaseURL, "http://127.0.0.1:") {
		t.Fatalf("%+v, %v, %s", at, err, errs)
	}
	get := func(path, token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.BaseURL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
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
	end()
	if got := <-status; got != 0 {
		t.Errorf("status %d, %s", got, errs)
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
