package cli_test

import (
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

const planKey = "sk-plan-canary-7d1f0a9b3c"

// addPlan adds a plan with a key.
func (w *world) addPlan(name string, args ...string) plan.View {
	w.t.Helper()
	w.stdin = strings.NewReader(planKey + "\n")
	return decode[plan.View](w.t, w.must(append([]string{"plans", "add", name, "--key-stdin", "--json"}, args...)...))
}

func modelEndpoint(t *testing.T) *gatewaytest.Upstream {
	t.Helper()
	up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+planKey:
			return gatewaytest.Status(401, `{"error":{"message":"not `+r.Header.Get("Authorization")+`"}}`)
		case r.Method == http.MethodGet:
			return gatewaytest.JSON(`{"data":[{"id":"m-a"},{"id":"m-b"}]}`)
		case strings.Contains(string(r.Body), `"tool_choice"`):
			return gatewaytest.Calls(gatewaytest.Call{ID: "c", Name: "report_status", Arguments: `{"status":"ok"}`})
		case strings.Contains(string(r.Body), `"stream":true`):
			return gatewaytest.Text("ok")
		}
		return gatewaytest.JSON(gatewaytest.Completion("ok"))
	})
	t.Cleanup(up.Close)
	return up
}

func TestAPlanFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	up := modelEndpoint(t)
	if out := w.must("plans"); !strings.HasPrefix(out, "No plans.") {
		t.Errorf("%q", out)
	}
	p := w.addPlan("My Plan", "--base-url", up.URL(), "--model", "m-a", "--model", "m-b", "--default", "m-b", "--context", "m-a=200k")
	if !p.HasKey || p.Status != plan.Undetected || p.Revision != 1 || p.Models[0].ContextTokens != 200_000 || up.Hits() != 0 {
		t.Errorf("%+v, %d requests", p, up.Hits())
	}
	out := w.must("plans", "check", "my plan")
	for _, want := range []string{"✓ network", "✓ key", "✓ models", "2 models", "✓ answer", "model m-b", "✓ streams", "✓ tools", "My Plan works"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	list := decode[[]plan.View](t, w.must("plans", "--json"))
	if len(list) != 1 || list[0].Status != plan.Ready || list[0].Revision != 1 {
		t.Errorf("%+v", list)
	}
	if out := w.must("plans"); !strings.Contains(out, "My Plan  ready") || !strings.Contains(out, "m-b +1") {
		t.Errorf("%s", out)
	}
	w.must("plans", "edit", p.ID, "--name", "Renamed", "--disable")
	if out := w.must("plans", "show", "Renamed"); !strings.Contains(out, "disabled") || !strings.Contains(out, "Last check") {
		t.Errorf("%s", out)
	}
	w.stdin = strings.NewReader("sk-another-key-1\n")
	w.must("plans", "edit", "Renamed", "--enable", "--key-stdin")
	got := w.run("plans", "check", "Renamed", "--json")
	found := decode[struct {
		Detection plan.Detection
		Kept      bool
	}](t, got.out)
	if got.status != 1 || !found.Kept || found.Detection.Stages[1].Reason != plan.Unauthorized || strings.Contains(got.out, "sk-another") {
		t.Errorf("%d %s", got.status, got.out)
	}
	w.must("plans", "copy", "Renamed", "Second")
	w.must("plans", "remove", "Renamed")
	if list := decode[[]plan.View](t, w.must("plans", "--json")); len(list) != 1 || list[0].Name != "Second" || list[0].Enabled {
		t.Errorf("%+v", list)
	}
	if out := w.must("plans", "rotate"); !strings.Contains(out, "1 stored keys") {
		t.Errorf("%s", out)
	}
	if out := w.must("plans", "references", "Second"); !strings.Contains(out, "Nothing uses it") {
		t.Errorf("%s", out)
	}
}

func TestPlansBelongToTheirWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addPlan("Mine", "--model", "m")
	w.addPlan("Theirs", "--model", "m", "--workspace", "team")
	w.project = w.home // in every directory
	if list := decode[[]plan.View](t, w.must("plans", "--json")); len(list) != 1 || list[0].Name != "Mine" {
		t.Errorf("%+v", list)
	}
	if list := decode[[]plan.View](t, w.must("plans", "--workspace", "team", "--json")); len(list) != 1 || list[0].Name != "Theirs" {
		t.Errorf("%+v", list)
	}
	if got := w.run("plans", "show", "Theirs"); got.status != 3 || !strings.Contains(got.errors, "[model_plan_not_found]") || !strings.Contains(got.errors, "there are: Mine") {
		t.Errorf("%+v", got)
	}
}

func TestPlansSayWhatIsWrongWithThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"no name":         {[]string{"add"}, 2, "NAME is missing"},
		"P02 default":     {[]string{"add", "x", "--model", "a", "--default", "b"}, 2, "[invalid_model_plan]"},
		"protocol":        {[]string{"add", "x", "--protocol", "smtp"}, 2, "neither openai nor anthropic"},
		"userinfo":        {[]string{"add", "x", "--base-url", "https://u:" + planKey + "@a.example"}, 2, "baseUrl holds a user name"},
		"no scheme":       {[]string{"add", "x", "--base-url", "a.example/v1"}, 2, "baseUrl has no scheme"},
		"context of what": {[]string{"add", "x", "--model", "a", "--context", "b=5k"}, 2, "--context names"},
		"key unset":       {[]string{"add", "x", "--key-env", "NO_SUCH"}, 3, "[key_missing]"},
		"key for name":    {[]string{"add", "x", "--key-env", planKey}, 2, "--key-env is no name"},
		"key on stdin":    {[]string{"add", "x", "--key-stdin"}, 3, "no key on stdin"},
		"unknown":         {[]string{"check", "x"}, 3, "[model_plan_not_found]"},
		"no terminal":     {[]string{"edit", "here", "--key"}, 2, "--key asks on a terminal"},
		"both":            {[]string{"edit", "here", "--enable", "--disable"}, 2, "both given"},
		"no command":      {[]string{"chek"}, 2, "no command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.addPlan("here", "--model", "m")
			w.stdin = strings.NewReader("")
			got := w.run(append([]string{"plans"}, c.args...)...)
			if got.status != c.status || got.out != "" || !strings.Contains(got.errors, c.want) || strings.Contains(got.errors, planKey) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// said is what a client in a session says of its environment.
const saidScript = `env | grep -e FAKE_KEY -e MODEL_PLAN -e SECRET; exit 0`

func TestASessionRunsOnAPlanThatIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	up := modelEndpoint(t)
	// While it runs, the plan says so.
	w.client(filepath.Join(stage, "greenroom") + ` plans references P; ` + saidScript)
	w.environ = append(w.environ, "GREENROOM_DATA="+filepath.Join(w.home, "data"))
	w.addPlan("P", "--base-url", up.URL(), "--model", "m-a", "--model", "m-b")
	got := w.run("run", fakeProvider, "--plan", "p", "--model", "m-b", "--session", "one")
	if got.status != 0 || !strings.Contains(got.out, "session  ") || !strings.Contains(got.out, "/one") || strings.Contains(got.out+got.errors, planKey) {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(got.out, "FAKE_KEY=") || !strings.Contains(got.errors, "greenroom: 0 turns") && !strings.Contains(got.errors, "greenroom:") {
		t.Errorf("%+v", got)
	}
	if out := w.must("plans", "references", "P"); !strings.Contains(out, "Nothing uses it") {
		t.Errorf("afterwards: %s", out)
	}
}

func TestOnPlanUnavailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client(saidScript)
	w.addPlan("Off", "--base-url", "http://127.0.0.1:1", "--model", "m", "--disabled")
	w.addPlan("Other", "--base-url", "http://127.0.0.1:1", "--model", "m", "--protocol", "anthropic")
	w.addPlan("Empty", "--base-url", "http://127.0.0.1:1")
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"disabled":          {[]string{"--plan", "Off"}, 3, "disabled"},
		"disabled, native":  {[]string{"--plan", "Off", "--or-native"}, 0, "your own login"},
		"protocol":          {[]string{"--plan", "Other"}, 3, "choose a plan of the protocol that the client takes"},
		"protocol, native":  {[]string{"--plan", "Other", "--or-native"}, 0, "your own login"},
		"no models":         {[]string{"--plan", "Empty"}, 3, "[model_plan_unusable]"},
		"H41 no such model": {[]string{"--plan", "Other", "--model", "x"}, 3, "it has m"},
		"no such plan":      {[]string{"--plan", "None"}, 3, "[model_plan_not_found]"},
		"and an upstream":   {[]string{"--plan", "Off", "--upstream", "http://127.0.0.1:1"}, 2, "a plan says itself"},
		"two models":        {[]string{"--plan", "Off", "--model", "a", "--model", "b"}, 2, "--model was given twice"},
	} {
		got := w.run(append([]string{"run", fakeProvider}, c.args...)...)
		if got.status != c.status || !strings.Contains(got.errors, c.want) || strings.Contains(got.out+got.errors, planKey) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestP17_NoKeyOfAPlanIsShownOrWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	up := modelEndpoint(t)
	w.addPlan("P", "--base-url", up.URL(), "--model", "m-a")
	var said strings.Builder
	for _, args := range [][]string{
		{"plans"}, {"plans", "--json"}, {"plans", "show", "P"}, {"plans", "show", "P", "--json"}, {"plans", "check", "P"}, {"plans", "check", "P", "--json"},
		{"plans", "edit", "P", "--name", "Q"}, {"plans", "copy", "Q", "--json"}, {"plans", "references", "Q", "--json"}, {"plans", "add", "Q2", "--key-env", "NO"},
		{"plans", "rotate", "--json"}, {"plans", "show", "none"},
	} {
		got := w.run(args...)
		said.WriteString(got.out + got.errors)
	}
	if strings.Contains(said.String(), planKey) {
		t.Errorf("%s", said.String())
	}
	files := 0
	err := filepath.WalkDir(filepath.Dir(w.home), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), planKey) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestTheSecretCanComeFromTheEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "GREENROOM_PLAN_SECRET=a secret of the host, long enough", "GREENROOM_DATA="+filepath.Join(w.home, "data"))
	w.addPlan("P", "--model", "m")
	if _, err := os.Stat(filepath.Join(w.home, "data", "key")); !os.IsNotExist(err) {
		t.Errorf("there is a key file: %v", err)
	}
	w.environ = w.environ[:len(w.environ)-2]
	w.environ = append(w.environ, "GREENROOM_PLAN_SECRET=another one, long enough too", "GREENROOM_DATA="+filepath.Join(w.home, "data"))
	list := decode[[]plan.View](t, w.must("plans", "--json"))
	if len(list) != 1 || !list[0].KeyUnreadable {
		t.Errorf("%+v", list)
	}
	if out := w.must("plans"); !strings.Contains(out, "unreadable") {
		t.Errorf("%s", out)
	}
}

// The host of a session that was killed did not say that it ended. Whoever cleans it up does.
func TestASessionThatIsCleanedUpUsesItsPlanNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	data := filepath.Join(w.home, "data")
	w.environ = append(w.environ, "GREENROOM_DATA="+data)
	p := w.addPlan("P", "--model", "m")
	w.must("prepare", "fake", "--session", "dead")
	sessions := decode[[]core.Info](t, w.must("sessions", "--json"))
	opened, err := access.Open(t.Context(), access.Config{Dir: data, Now: time.Now, Random: rand.Reader})
	if err != nil || len(sessions) != 1 {
		t.Fatal(err, sessions)
	}
	ref := sessions[0].Ref
	_, err = opened.BindSession(t.Context(), 0, store.Snapshot{Workspace: "team", Session: ref.Workspace + "/" + ref.ID, Harness: "fake", Plan: p.ID, Revision: 1})
	if err == nil {
		_, err = opened.BindSession(t.Context(), 0, store.Snapshot{Workspace: access.Personal, Session: ref.Workspace + "/" + ref.ID, Harness: "fake", Plan: p.ID, Revision: 1})
	}
	if err := errors.Join(err, opened.Close()); err != nil {
		t.Fatal(err)
	}
	if out := w.must("plans", "references", "P"); !strings.Contains(out, "dead") {
		t.Errorf("%s", out)
	}
	w.must("cleanup", "dead")
	if refs := decode[[]plan.Reference](t, w.must("plans", "references", "P", "--json")); len(refs) != 0 {
		t.Errorf("%+v", refs)
	}
}

func TestRotationMovesKeysToTheSecretOfTheEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	data := filepath.Join(w.home, "data")
	w.environ = append(w.environ, "GREENROOM_DATA="+data)
	w.addPlan("P", "--model", "m")
	before, err := os.ReadFile(filepath.Join(data, "key"))
	if err != nil {
		t.Fatal(err)
	}
	w.environ = append(w.environ, "GREENROOM_PLAN_SECRET=a secret of the host, long enough")
	if out := w.must("plans", "rotate"); !strings.Contains(out, "1 stored keys are encrypted with the secret of GREENROOM_PLAN_SECRET") {
		t.Errorf("%s", out)
	}
	if after, err := os.ReadFile(filepath.Join(data, "key")); err != nil || string(after) != string(before) {
		t.Errorf("the key file was changed: %v", err)
	}
	if err := os.Remove(filepath.Join(data, "key")); err != nil {
		t.Fatal(err)
	}
	if list := decode[[]plan.View](t, w.must("plans", "--json")); len(list) != 1 || list[0].KeyUnreadable {
		t.Errorf("without the key file: %+v", list)
	}
}

// meanwhile does something before the first of what it reads is given.
type meanwhile struct {
	do   func()
	text io.Reader
}

func (m *meanwhile) Read(b []byte) (int, error) {
	if m.do != nil {
		m.do()
		m.do = nil
	}
	return m.text.Read(b)
}

// Somebody who takes long to type a key does not have it sealed with a secret that is gone by then.
func TestAKeyThatIsTypedDuringARotationIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	up := modelEndpoint(t)
	w.addPlan("P", "--base-url", up.URL(), "--model", "m-a")
	w.must("plans", "edit", "P", "--no-key")
	w.stdin = &meanwhile{func() { w.must("plans", "rotate") }, strings.NewReader(planKey)}
	w.must("plans", "edit", "P", "--key-stdin")
	if got := w.run("plans", "check", "P"); got.status != 0 {
		t.Errorf("%+v", got)
	}
}

func TestNegative_NoPlanIsSelectedGlobally(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addPlan("P", "--model", "m")
	var commands []string
	for line := range strings.Lines(w.must("plans", "--help")) {
		if name, ok := strings.CutPrefix(line, "  "); ok && name != "" && name[0] != ' ' {
			commands = append(commands, strings.Fields(name)[0])
		}
	}
	for _, c := range commands {
		for _, never := range []string{"use", "select", "default", "current", "switch", "consult", "bind", "review"} {
			if c == never {
				t.Errorf("there is a command %q", c)
			}
		}
	}
	// A session that names no plan has none.
	w.client("env")
	if got := w.run("run", fakeProvider); got.status != 0 || strings.Contains(got.out, planKey) || strings.Contains(got.out, "MODEL_PLAN") {
		t.Errorf("%+v", got)
	}
}
