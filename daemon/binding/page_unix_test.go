//go:build unix

package binding_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/daemon/binding"
	"github.com/greenroom-agents/greenroom/daemon/page"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// Each real client has a turn on a plan that was typed into the page, checked there, and given to an agent there.
func TestRealClientsRunOnAPlanMadeOnThePage(t *testing.T) {
	t.Parallel()
	for provider, c := range realClients {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			desk := newDesk(t, provider)
			dir, project, environ := desk.dir, desk.project, desk.environ
			up := gatewaytest.StartFunc(answerBoth)
			t.Cleanup(up.Close)
			h := desk.host(t)
			data := filepath.Join(dir, "data")
			a, err := access.Open(t.Context(), access.Config{Dir: data, Now: time.Now, Random: rand.Reader})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { a.Close() })
			agent := onThePage(t, a, h, provider, string(c.protocol), up.URL())
			asked := up.Hits()

			b, err := binding.New(binding.Config{Access: a, Host: h, Now: time.Now, Random: rand.Reader})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { b.Close(context.Background()) })
			x, err := b.Begin(t.Context(), binding.Request{
				Workspace: "personal", Agent: agent, Session: core.Session{Workspace: "dir", ID: "s1", Provider: provider, Cwd: project},
			})
			if err != nil {
				t.Fatal(err)
			}
			conn, err := launch.Open(t.Context(), x.Prepared(), launch.Options{Host: h, Environ: environ, Admit: x.Admit, StartTimeout: 5 * time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.NewSession(t.Context()); err != nil {
				t.Fatal(err)
			}
			said := ""
			for e := range conn.Prompt(t.Context(), launch.Block{Text: "hello"}) {
				switch e.Kind {
				case launch.Error:
					t.Fatal(e.Err)
				case launch.Text:
					said += e.Text
				}
			}
			if !strings.Contains(said, reply) {
				t.Errorf("it says %q", said)
			}
			turns := up.Requests()[asked:]
			if len(turns) == 0 {
				t.Fatal("the endpoint was not asked")
			}
			for _, r := range turns {
				if r.Method != http.MethodPost {
					continue
				}
				if keyOf(r) != firstKey || !bytes.Contains(r.Body, []byte(`"m-typed"`)) {
					t.Errorf("%s %s has another key or model: %.300s", r.Method, r.Path, r.Body)
				}
			}
			// The key is in no file but, sealed, in the store.
			err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return nil // what a client that runs takes away meanwhile
				}
				if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(firstKey)) {
					t.Errorf("the key is in %s", strings.TrimPrefix(path, dir))
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// What the endpoint answers to whoever has the first key, and the second one.
const reply, secondReply = "an answer of the endpoint", "an answer to the second key"

func keyOf(r gatewaytest.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key")
}

// answerBoth answers in the language that it is asked in.
func answerBoth(r gatewaytest.Request) gatewaytest.Answer {
	sent, said := keyOf(r), reply
	if sent == secondKey {
		said = secondReply
	}
	streams := bytes.Contains(r.Body, []byte(`"stream":true`))
	switch {
	case r.Method == http.MethodHead:
		return gatewaytest.Status(http.StatusOK, "")
	case sent != firstKey && sent != secondKey:
		return gatewaytest.Status(http.StatusUnauthorized, `{"error":{"message":"another key"}}`)
	case r.Method == http.MethodGet:
		return gatewaytest.JSON(`{"data":[{"id":"m-typed"}]}`)
	case strings.HasSuffix(r.Path, "/messages") && streams:
		return gatewaytest.Raw("text/event-stream",
			event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"m-typed","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}`),
			event("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`),
			event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"`+said+`"}`),
			event("content_block_stop", `"index":0`),
			event("message_delta", `"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}`),
			event("message_stop", `"z":0`))
	case strings.HasSuffix(r.Path, "/messages"):
		return gatewaytest.JSON(`{"id":"msg_1","type":"message","role":"assistant","model":"m-typed","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":1}}`)
	case streams:
		return gatewaytest.Text(said)
	}
	return gatewaytest.JSON(gatewaytest.Completion("ok"))
}

func event(kind, rest string) string {
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"," + rest + "}\n\n"
}

// onThePage makes a plan on the page, checks it there, and makes an agent of it there, as a browser would.
func onThePage(t *testing.T, a *access.Access, h *core.Host, provider, protocol, endpoint string) (agent string) {
	t.Helper()
	const token = "a token that is long enough"
	shown, err := page.New(page.Config{
		Access: a, Sessions: h, Token: token, Events: api.NewEvents(), Now: time.Now, Random: rand.Reader,
		Providers: func(ctx context.Context) ([]api.Provider, error) {
			d, err := h.Descriptor(ctx, provider)
			return []api.Provider{{ID: provider, Model: d.Model}}, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(shown.Close)
	server := httptest.NewServer(shown)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: server.Client().Transport}
	word := ""
	do := func(method, path string, form url.Values) (string, string) {
		t.Helper()
		if word != "" && method == http.MethodPost {
			form.Set("csrf", word)
		}
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", server.URL)
		resp, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v %s", path, resp.StatusCode, err, text)
		}
		if bytes.Contains(text, []byte(firstKey)) {
			t.Errorf("the key is in %s", path)
		}
		return resp.Request.URL.Path, string(text)
	}
	_, text := do(http.MethodPost, "/login", url.Values{"token": {token}})
	word = regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(text)[1]
	at, _ := do(http.MethodPost, "/w/personal/plans", url.Values{
		"name": {"Typed"}, "protocol": {protocol}, "templateKind": {"custom"}, "baseUrl": {endpoint}, "apiKey": {firstKey}, "more": {"m-typed"}, "enabled": {"1"},
	})
	if _, text = do(http.MethodPost, at+"/check", url.Values{}); !strings.Contains(text, "Typed works.") {
		t.Errorf("the check: %s", text)
	}
	at, _ = do(http.MethodPost, "/w/personal/agents", url.Values{
		"name": {"Agent"}, "harnessAgentTargetId": {provider}, "modelPlanId": {filepath.Base(at)}, "onPlanUnavailable": {"fail"}, "explicit": {"false"},
	})
	return filepath.Base(at)
}
