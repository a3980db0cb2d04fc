//go:build unix

package cli_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/api/client"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// A key with signs that each way of writing it down spells in another way.
const spelledKey = `sk-"canary"/7d+1f&0a<9b>\=c`

// spellings are the ways in which a key could be written down.
func spellings(t *testing.T, key string) map[string]string {
	t.Helper()
	quoted, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	plain := new(strings.Builder)
	e := json.NewEncoder(plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(key); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		"plain": key, "JSON": strings.Trim(string(quoted), `"`), "JSON without escapes of HTML": strings.Trim(strings.TrimSpace(plain.String()), `"`),
		"a query": url.QueryEscape(key), "a path": url.PathEscape(key), "hex": hex.EncodeToString([]byte(key)),
	}
	// Base64 at each place that it can begin at, without the ends that depend on what stands beside it.
	for i := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", i) + key))
		all["base64 at "+string(rune('0'+i))] = text[4 : len(text)-4]
		all["base64 of URLs at "+string(rune('0'+i))] = strings.NewReplacer("+", "-", "/", "_").Replace(text[4 : len(text)-4])
	}
	return all
}

// A whole run with a daemon: plans, checks that pass and fail, agents, events, the page, and sessions through the gateway
// and without it. The key is nowhere but sealed in the store, and where it has to go.
func TestP17_ACanaryOverAWholeRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	upstream := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case strings.Contains(r.Path, "refuses"):
			return gatewaytest.Status(401, `{"error":{"message":"not `+strings.Trim(string(must(json.Marshal(sent))), `"`)+`"}}`)
		case r.Method == http.MethodGet:
			return gatewaytest.JSON(`{"data":[{"id":"m-a"}]}`)
		case strings.Contains(string(r.Body), `"stream":true`):
			return gatewaytest.Text("you sent " + sent)
		}
		return gatewaytest.JSON(gatewaytest.Completion("you sent " + sent))
	})
	t.Cleanup(upstream.Close)
	var said strings.Builder
	run := func(args ...string) answer {
		t.Helper()
		w.stdin = strings.NewReader(spelledKey)
		got := w.run(args...)
		said.WriteString(got.out + got.errors)
		return got
	}
	at, end := w.daemon()
	api := client.New(client.Config{BaseURL: at.BaseURL, Token: at.Token})
	defer api.Close()
	events, err := api.Events(t.Context(), "personal")
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan string)
	go func() {
		all := ""
		for {
			e, err := events.Next()
			if err != nil {
				heard <- all
				return
			}
			all += e.Name + string(e.Data) + "\n"
		}
	}()

	for _, args := range [][]string{
		{"plans", "add", "Good", "--base-url", upstream.URL(), "--model", "m-a", "--key-stdin"},
		{"plans", "add", "Bad", "--base-url", upstream.URL() + "/refuses", "--model", "m-a", "--key-stdin", "--json"},
		{"plans", "add", "Direct", "--protocol", "anthropic", "--base-url", upstream.URL() + "/refuses", "--model", "m-a", "--key-stdin"},
		{"plans", "check", "Good"}, {"plans", "check", "Bad"}, {"plans", "check", "Bad", "--json"}, {"plans", "check", "Direct"},
		{"plans", "edit", "Good", "--key-stdin"}, {"plans", "copy", "Good"}, {"plans", "--json"}, {"plans", "show", "Bad"},
		{"agents", "add", "A", "--client", fakeProvider, "--plan", "Good"}, {"agents", "--json"}, {"plans", "remove", "Good"},
	} {
		run(args...)
	}
	w.client(`env | grep -c . ; ls -laR "$HOME" "$GREENROOM_SESSION" 2>/dev/null | head -50`)
	for _, args := range [][]string{
		{"run", fakeProvider, "--plan", "Good", "--keep", "all"}, {"run", fakeProvider, "--agent", "A"},
		{"explain", fakeProvider, "--json"}, {"sessions", "--json"}, {"doctor", "--json"},
	} {
		run(args...)
	}
	ctx := t.Context()
	all, err := api.Plans(ctx, "personal")
	if err != nil || len(all) != 4 {
		t.Fatalf("%d plans, %v: %s", len(all), err, said.String())
	}
	for _, p := range all {
		found, _, err := api.Check(ctx, "personal", p.ID, "", detect.Progress{Done: func(r plan.Result) { said.WriteString(r.Detail) }})
		_, again := api.EnablePlan(ctx, "personal", p.ID, p.Revision+7, true)
		said.WriteString(string(must(json.Marshal(found))) + errors.Join(err, again).Error())
	}
	said.WriteString(crawl(t, at))
	got := end()
	said.WriteString(got.out + got.errors)
	told := <-heard
	said.WriteString(told)
	if strings.Count(told, "model_plan_detection_stage") < 8 || strings.Count(said.String(), "Good") < 5 || !strings.Contains(said.String(), "unauthorized") {
		t.Errorf("too little was heard to find anything in: %s", said.String())
	}

	held := 0
	look := func(where, text string) {
		for how, spelling := range spellings(t, spelledKey) {
			if i := strings.Index(text, spelling); i >= 0 {
				t.Errorf("the key is in %s, as %s: %q", where, how, text[max(0, i-80):min(len(text), i+80)])
			}
		}
		held++
	}
	look("what was said", said.String())
	err = filepath.WalkDir(filepath.Dir(w.home), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		look(strings.TrimPrefix(path, filepath.Dir(w.home)), string(data))
		return err
	})
	if err != nil || held < 8 {
		t.Errorf("%d places, %v", held, err)
	}
	// And it did go where it has to.
	sent := 0
	for _, r := range upstream.Requests() {
		if r.Header.Get("Authorization") == "Bearer "+spelledKey || r.Header.Get("X-Api-Key") == spelledKey {
			sent++
		}
	}
	if sent < 8 {
		t.Errorf("the endpoint was sent the key %d times", sent)
	}
	for how, spelling := range spellings(t, spelledKey) {
		if len(spelling) < 12 {
			t.Errorf("%s is too short to be found: %q", how, spelling)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var links = regexp.MustCompile(`(?:href|action)="(/[^"]*)"`)

// crawl reads every page that can be reached by links.
func crawl(t *testing.T, at daemonAt) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := newClient(t, jar)
	entry, err := browser.Get(at.Page)
	if err != nil {
		t.Fatal(err)
	}
	entry.Body.Close()
	var all strings.Builder
	seen, next := map[string]bool{}, []string{"/"}
	for len(next) > 0 {
		path := next[0]
		next = next[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		resp, err := browser.Get(at.BaseURL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		for _, m := range links.FindAllStringSubmatch(string(text), -1) {
			next = append(next, strings.ReplaceAll(m[1], "&amp;", "&"))
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %d pages were found", len(seen))
	}
	return all.String()
}
