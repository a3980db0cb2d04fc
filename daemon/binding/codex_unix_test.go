//go:build unix

package binding_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/binding"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
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

// Two turns of one thread of the real client, and the plan gets another key between them: the endpoint is sent the second
// key with the thread as it was, and the first token is good no more.
func TestP13_H43_TheRealClientTakesTheNextKeyInTheSameThread(t *testing.T) {
	t.Parallel()
	clients, adapterFile := realClient(t, "codex")
	s := newScene(t, throughGateway)
	s.up.Script(gatewaytest.Text("first answer"), gatewaytest.Text("second answer"))
	dir := t.TempDir()
	home, project := filepath.Join(dir, "home"), filepath.Join(dir, "project")
	for _, d := range []string{filepath.Join(home, ".codex"), project} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	environ := []string{
		"HOME=" + home, "USER=someone", "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh",
		"PATH=" + strings.Join([]string{clients, filepath.Dir(node), "/usr/local/bin", "/usr/bin", "/bin"}, ":"),
	}
	h, err := core.New(t.Context(), core.Config{
		StateDir: filepath.Join(dir, "state"), Home: home, Environ: environ, Commands: command.Fixed(), Timeout: 5 * time.Minute,
		Adapters: []adapter.Source{{Provider: "codex", Path: adapterFile, UnsafeAnyDigest: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	b, err := binding.New(binding.Config{Access: s.access, Host: h, Now: time.Now, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(context.Background()) })

	p := s.plan()
	x, err := b.Begin(t.Context(), binding.Request{
		Workspace: "w", Plan: p.ID, Session: core.Session{Workspace: "dir", ID: "s1", Provider: "codex", Cwd: project},
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
	if got := turn("hello"); !strings.Contains(got, "first answer") {
		t.Errorf("it says %q", got)
	}
	turns := len(s.up.Requests())
	s.edit(p, secondKey, nil)
	if got := turn("go on"); !strings.Contains(got, "second answer") {
		t.Errorf("it says %q", got)
	}
	all := s.up.Requests()
	if turns < 1 || len(all) <= turns {
		t.Fatalf("%d requests, then %d", turns, len(all))
	}
	for i, r := range all {
		want := firstKey
		if i >= turns {
			want = secondKey
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+want {
			t.Errorf("request %d has another key", i)
		}
	}
	first, last := messages(t, all[turns-1].Body), messages(t, all[len(all)-1].Body)
	if len(last) <= len(first) {
		t.Fatalf("%d messages, then %d", len(first), len(last))
	}
	for i := range first {
		if !bytes.Equal(first[i], last[i]) {
			t.Errorf("message %d was\n%s\nand is\n%s", i, first[i], last[i])
		}
	}
	if x.Snapshot().Revision != 2 || x.Prepared() == before || talk.ID == "" {
		t.Errorf("%+v", x.Snapshot())
	}
	for _, v := range before.Env {
		if !v.Secret {
			continue
		}
		through := modelendpoint.Endpoint{BaseURL: b.BaseURL(), Key: modelendpoint.NewKey(v.Value)}
		if got := s.ask(core.Session{Endpoint: &through}, "m-a"); got != 401 {
			t.Errorf("the old token gives %d", got)
		}
	}
	// Neither key is in any file of the session's or the user's.
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(firstKey)) || bytes.Contains(data, []byte(secondKey)) {
			t.Errorf("a key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func messages(t *testing.T, body []byte) []json.RawMessage {
	t.Helper()
	var b struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	return b.Messages
}
