//go:build unix

package binding_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/binding"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// realClient gives the directory of the real clients, where they were installed for the tests of conformance, and an
// adapter for one of them.
func realClient(t *testing.T, provider string) (clients, adapterFile string) {
	t.Helper()
	cache := os.Getenv("GREENROOM_CLIENT_CACHE")
	clients = filepath.Join(cache, "current", "bin")
	if _, err := os.Stat(filepath.Join(clients, provider)); cache == "" || err != nil {
		if os.Getenv("GREENROOM_REQUIRE_CLIENTS") == "1" {
			t.Fatalf("%s is not installed in GREENROOM_CLIENT_CACHE", provider)
		}
		t.Skip("the real client is not installed; GREENROOM_CLIENT_CACHE names where it is")
	}
	adapterFile = filepath.Join(t.TempDir(), "greenroom-"+provider)
	build := exec.Command("go", "build", "-buildvcs=false", "-o", adapterFile, "./cmd/greenroom-"+provider)
	build.Dir = filepath.Join("..", "..", "providers", provider)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return clients, adapterFile
}

// realClients are the clients that run on plans, what an endpoint of theirs speaks, and what keeps them from asking elsewhere.
var realClients = map[string]struct {
	protocol preparer.Protocol
	environ  []string
}{
	"codex":    {preparer.OpenAI, nil},
	"claude":   {preparer.Anthropic, []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=0", "IS_SANDBOX=1"}},
	"opencode": {preparer.OpenAI, []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "npm_config_offline=true"}},
	"kimi":     {preparer.OpenAI, []string{"KIMI_DISABLE_TELEMETRY=1", "KIMI_CODE_NO_AUTO_UPDATE=1"}},
}

// Two turns of one thread of each real client, and the plan gets another key between them: the endpoint is sent the second
// key with the thread as it was, and the first token is good no more.
func TestP13_H43_TheRealClientTakesTheNextKeyInTheSameThread(t *testing.T) {
	t.Parallel()
	for provider := range realClients {
		t.Run(provider, func(t *testing.T) { t.Parallel(); nextKey(t, provider) })
	}
}

func nextKey(t *testing.T, provider string) {
	desk := newDesk(t, provider)
	dir, project, environ := desk.dir, desk.project, desk.environ
	s := newScene(t, throughGateway)
	up := gatewaytest.StartFunc(answerBoth)
	t.Cleanup(up.Close)
	h := desk.host(t)
	b, err := binding.New(binding.Config{Access: s.access, Host: h, Now: time.Now, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(context.Background()) })

	p, err := s.access.CreatePlan(t.Context(), "w", plan.Spec{
		Name: "P", Protocol: realClients[provider].protocol, BaseURL: up.URL(), Enabled: true, Models: []plan.Model{{ID: "m-typed"}},
	}, modelendpoint.NewKey(firstKey))
	if err != nil {
		t.Fatal(err)
	}
	x, err := b.Begin(t.Context(), binding.Request{
		Workspace: "w", Plan: p.ID, Session: core.Session{Workspace: "dir", ID: "s1", Provider: provider, Cwd: project},
	})
	if err != nil {
		t.Fatal(err)
	}
	before := x.Prepared()
	c, err := launch.Open(t.Context(), before, launch.Options{Host: h, Environ: environ, Admit: x.Admit, StartTimeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	talk, err := c.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	turn := func(text string) (said string) {
		for e := range c.Prompt(t.Context(), launch.Block{Text: text}) {
			switch e.Kind {
			case launch.Error:
				t.Fatal(e.Err)
			case launch.Text:
				said += e.Text
			}
		}
		return said
	}
	if got := turn("hello there"); !strings.Contains(got, reply) {
		t.Errorf("it says %q", got)
	}
	turns := len(up.Requests())
	s.edit(p, secondKey, nil)
	if got := turn("go on then"); !strings.Contains(got, secondReply) {
		t.Errorf("it says %q", got)
	}
	all := up.Requests()
	if turns < 1 || len(all) <= turns {
		t.Fatalf("%d requests, then %d", turns, len(all))
	}
	for i, r := range all {
		want := firstKey
		if i >= turns {
			want = secondKey
		}
		if r.Method == http.MethodPost && keyOf(r) != want {
			t.Errorf("request %d has another key", i)
		}
		if r.Method == http.MethodPost && !bytes.Contains(r.Body, []byte(`"model":"m-typed"`)) {
			t.Errorf("P14: request %d asks for another model than the plan's, or spells it otherwise", i)
		}
	}
	// The last request with the prompt of either turn: what the first one had is the beginning of the second.
	first, last := conversation(t, all[:turns], "hello there"), conversation(t, all[turns:], "go on then")
	if len(last) <= len(first) {
		t.Fatalf("%d messages, then %d", len(first), len(last))
	}
	for i := range first {
		if first[i] != last[i] {
			t.Errorf("message %d was\n%s\nand is\n%s", i, first[i], last[i])
		}
	}
	if x.Snapshot().Revision != 2 || x.Prepared() == before || talk.ID == "" {
		t.Errorf("%+v", x.Snapshot())
	}
	if d, err := h.Descriptor(t.Context(), provider); err != nil {
		t.Error(err)
	} else if d.Model.Endpoint == preparer.ResponsesToChatGateway {
		for _, v := range before.Env {
			if !v.Secret {
				continue
			}
			through := modelendpoint.Endpoint{BaseURL: b.BaseURL(), Key: modelendpoint.NewKey(v.Value)}
			if got := s.ask(core.Session{Endpoint: &through}, "m-typed"); got != 401 {
				t.Errorf("the old token gives %d", got)
			}
		}
	}
	// Neither key is in any file of the session's or the user's.
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what a client that runs takes away meanwhile
		}
		data, err := os.ReadFile(path)
		if err == nil && (bytes.Contains(data, []byte(firstKey)) || bytes.Contains(data, []byte(secondKey))) {
			t.Errorf("a key is in %s", strings.TrimPrefix(path, dir))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// marks are what a client moves along with the end of a conversation, to say what may be kept in a cache.
var marks = regexp.MustCompile(`,?"cache_control":\{[^}]*\}`)

// conversation are the messages of the last request of a turn that has a prompt in it. A request without tools asks for a
// title beside the turn, and may come after it.
func conversation(t *testing.T, all []gatewaytest.Request, prompt string) (messages []string) {
	t.Helper()
	for _, r := range slices.Backward(all) {
		if !bytes.Contains(r.Body, []byte(prompt)) {
			continue
		}
		var b struct{ Messages, Tools []json.RawMessage }
		if err := json.Unmarshal(r.Body, &b); err != nil {
			t.Fatal(err)
		}
		if len(b.Tools) == 0 {
			continue
		}
		for _, m := range b.Messages {
			messages = append(messages, marks.ReplaceAllString(string(m), ""))
		}
		return messages
	}
	t.Fatalf("no request has %q", prompt)
	return nil
}
