package cli_test

import (
	"bufio"
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
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

const upstreamKey = "sk-upstream-credential-0123456789"

// serving is an invocation of the gateway that goes on until it is ended.
type serving struct {
	out    *bufio.Reader
	errs   *bytes.Buffer
	end    context.CancelFunc
	status chan int
}

func (w *world) serve(args ...string) *serving {
	w.t.Helper()
	ctx, end := context.WithCancel(w.ctx)
	r, out := io.Pipe()
	s := &serving{out: bufio.NewReader(r), errs: new(bytes.Buffer), end: end, status: make(chan int, 1)}
	w.t.Cleanup(func() { end(); _ = r.Close() })
	sys := cli.System{
		Args: append([]string{"gateway"}, args...), Stdin: w.stdin, Stdout: out, Stderr: s.errs, Environ: w.environ, Home: w.home,
		Cwd: w.project, Executable: w.exe, TempDir: w.t.TempDir(), GOOS: runtime.GOOS, Now: time.Now, Rand: rand.Reader,
	}
	go func() {
		status := cli.Run(ctx, sys)
		_ = out.Close()
		s.status <- status
	}()
	return s
}

// newClient is a client with connections of its own, as servers of other tests end what the process shares.
func newClient(t *testing.T, jar http.CookieJar) *http.Client {
	c := &http.Client{Transport: &http.Transport{}, Jar: jar}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// ask sends one request to a gateway and gives the status and the body.
func ask(t *testing.T, baseURL, token, model string) (int, string) {
	t.Helper()
	body := `{"model":"` + model + `","input":"hello","stream":true}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, baseURL+"/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := newClient(t, nil).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

type served struct {
	BaseURL string   `json:"base_url"`
	Token   string   `json:"token"`
	Models  []string `json:"models"`
}

func TestGatewayServesUntilItIsEnded(t *testing.T) {
	t.Parallel()
	upstream := gatewaytest.Start(gatewaytest.Text("Hel", "lo."))
	t.Cleanup(upstream.Close)
	w := newWorld(t)
	w.environ = append(w.environ, "PLAN_KEY="+upstreamKey)
	s := w.serve("--upstream", upstream.URL(), "--key-env", "PLAN_KEY", "--model", "plan-large", "--model", "plan-small", "--json")
	answers := json.NewDecoder(s.out)
	var at served
	if err := answers.Decode(&at); err != nil {
		t.Fatalf("%v, %s", err, s.errs)
	}
	if status, body := ask(t, at.BaseURL, at.Token, "plan-small"); status != http.StatusOK || !strings.Contains(body, "response.completed") {
		t.Errorf("status %d, %s", status, body)
	}
	if status, _ := ask(t, at.BaseURL, "another token", "plan-small"); status != http.StatusUnauthorized {
		t.Errorf("another token: status %d", status)
	}
	if got := upstream.Last().Header.Get("Authorization"); got != "Bearer "+upstreamKey || upstream.Hits() != 1 {
		t.Errorf("the upstream got %d requests, the last with %q", upstream.Hits(), got)
	}
	s.end()
	var end struct {
		Summary struct {
			Turns   int     `json:"turns"`
			Refused int     `json:"refused"`
			Input   int64   `json:"input_tokens"`
			Output  int64   `json:"output_tokens"`
			First   float64 `json:"first_token_seconds"`
		} `json:"summary"`
	}
	if err := answers.Decode(&end); err != nil {
		t.Fatalf("%v, %s", err, s.errs)
	}
	if got := <-s.status; got != 0 {
		t.Errorf("status %d, %s", got, s.errs)
	}
	if sum := end.Summary; sum.Turns != 1 || sum.Refused != 1 || sum.Input != 11 || sum.Output != 7 || sum.First <= 0 {
		t.Errorf("%+v", sum)
	}
	if _, err := newClient(t, nil).Get(at.BaseURL); err == nil {
		t.Error("it still serves")
	}
}

func TestGatewayTellsAPersonHowToUseIt(t *testing.T) {
	t.Parallel()
	upstream := gatewaytest.Start(gatewaytest.Text("Hello."))
	t.Cleanup(upstream.Close)
	w := newWorld(t)
	w.environ = append(w.environ, "http_proxy=http://proxy.corp:3128", "no_proxy=.corp, 10.0.0.0/8")
	// An endpoint on this machine needs no key.
	s := w.serve("--upstream", upstream.URL(), "--model", "local model")
	var text strings.Builder
	for !strings.Contains(text.String(), "Serving") {
		line, err := s.out.ReadString('\n')
		text.WriteString(line)
		if err != nil {
			t.Fatalf("%v, %s%s", err, text.String(), s.errs)
		}
	}
	said := map[string]string{}
	for line := range strings.Lines(text.String()) {
		for _, name := range []string{"base URL", "token", "models"} {
			if value, ok := strings.CutPrefix(line, name); ok {
				said[name] = strings.TrimSpace(value)
			}
		}
	}
	if status, _ := ask(t, said["base URL"], said["token"], "local model"); status != http.StatusOK {
		t.Errorf("status %d with %q", status, said)
	}
	for _, want := range []string{
		"  export GREENROOM_GATEWAY_TOKEN=" + said["token"] + "\n", "  codex -m 'local model' -c model_context_window=128000 -c model_provider=greenroom -c ",
		"  export NO_PROXY=.corp,10.0.0.0/8,127.0.0.1,localhost,::1 no_proxy=.corp,10.0.0.0/8,127.0.0.1,localhost,::1\n",
		`base_url="` + said["base URL"] + `"`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	s.end()
	rest, err := io.ReadAll(s.out)
	if got := <-s.status; got != 0 || err != nil {
		t.Errorf("status %d, %v, %s", got, err, s.errs)
	}
	if want := "\ngreenroom: 1 turn, 11 tokens in (0% cached), 7 out, first token after "; !strings.HasPrefix(string(rest), want) {
		t.Errorf("got %q", rest)
	}
}

func TestGatewaySaysWhichFlagIsWrong(t *testing.T) {
	t.Parallel()
	const typed = "sk-typed-by-mistake"
	for name, c := range map[string]struct {
		args   []string
		status int
		want   []string
	}{
		"no upstream":         {[]string{"--model", "m"}, 2, []string{"--upstream is missing", "hint: as in"}},
		"no model":            {[]string{"--upstream", "https://a.example"}, 2, []string{"--model is missing"}},
		"no key":              {[]string{"--upstream", "https://a.example", "--model", "m"}, 2, []string{"--key-env is missing"}},
		"key unset":           {[]string{"--upstream", "https://a.example", "--model", "m", "--key-env", "NO_SUCH"}, 3, []string{"[key_missing]", "NO_SUCH is not set"}},
		"key for name":        {[]string{"--upstream", "https://a.example", "--model", "m", "--key-env", typed}, 2, []string{"--key-env is no name"}},
		"key with blank":      {[]string{"--upstream", "https://a.example", "--model", "m", "--key-env", "BROKEN_KEY"}, 3, []string{"[key_missing]"}},
		"user in URL":         {[]string{"--upstream", "https://u:" + typed + "@a.example", "--model", "m"}, 2, []string{"--upstream holds a user name"}},
		"not a URL":           {[]string{"--upstream", "a.example/v1", "--model", "m"}, 2, []string{"--upstream is neither http nor https"}},
		"empty model":         {[]string{"--upstream", "http://127.0.0.1:1", "--model", ""}, 2, []string{"--model has an entry"}},
		"unknown dialect":     {[]string{"--upstream", "http://127.0.0.1:1", "--model", "m", "--dialect", "klingon"}, 2, []string{`--dialect "klingon" is unknown`, "deepseek"}},
		"context in words":    {[]string{"--upstream", "http://127.0.0.1:1", "--model", "m", "--context", "much"}, 2, []string{`--context "much" is no number`, "200k"}},
		"context of nothing":  {[]string{"--upstream", "http://127.0.0.1:1", "--model", "m", "--context", "=5k"}, 2, []string{"--context"}},
		"context of another":  {[]string{"--upstream", "http://127.0.0.1:1", "--model", "m", "--context", "n=5k"}, 2, []string{`--context names "n", which is no --model`}},
		"pictures of another": {[]string{"--upstream", "http://127.0.0.1:1", "--model", "m", "--images", "n"}, 2, []string{`--images names "n"`}},
		"every interface":     {[]string{"--upstream", "http://127.0.0.1:1", "--model", "m", "--listen", "0.0.0.0:0"}, 2, []string{"not a loopback address"}},
		"listen by name":      {[]string{"--upstream", "http://127.0.0.1:1", "--model", "m", "--listen", "localhost:80"}, 2, []string{"not an IP address"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.environ = append(w.environ, "BROKEN_KEY="+typed+" and more")
			got := w.run(append([]string{"gateway"}, c.args...)...)
			if got.status != c.status || got.out != "" {
				t.Errorf("%+v", got)
			}
			for _, want := range c.want {
				if !strings.Contains(got.errors, want) {
					t.Errorf("no %q in %s", want, got.errors)
				}
			}
			if strings.Contains(got.errors, typed) {
				t.Errorf("it says what may be a key: %s", got.errors)
			}
		})
	}
}
