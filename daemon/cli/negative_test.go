package cli_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// never are promises that nothing makes: a plan for all sessions, agents that come of themselves, another model that is
// asked for advice, and work that is judged without a person.
var never = regexp.MustCompile(`(?i)automat\w*[ -](review|check|accept)|review(s|ed|ing)? automatically|\breview run|auto[ -]?review|\bconsult|second opinion|` +
	`(current|active|global)[ -](plan|model)\b|(plan|model) for (all|everything|every session)|globally|use as default plan|default plan\b|select(ed)? plan`)

func TestNegative_NothingIsSelectedGloballyOrPromised(t *testing.T) {
	t.Parallel()
	for _, promise := range []string{"Reviewed automatically", "the current plan", "Consult another model", "use it for all: a plan for all sessions"} {
		if !never.MatchString(promise) {
			t.Errorf("%q would not be found", promise)
		}
	}
	texts := map[string]string{"the document": string(api.Document)}
	files, err := filepath.Glob(filepath.Join("testdata", "help", "*.txt"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d help texts, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
		for _, command := range []string{"use", "select", "switch", "bind", "policy", "consult", "review", "default"} {
			if strings.HasSuffix(strings.TrimSuffix(file, ".txt"), "-"+command) {
				t.Errorf("there is a command %s", command)
			}
		}
	}
	w := newWorld(t)
	p := w.addPlan("P", "--model", "m")
	at, _ := w.daemon()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := newClient(t, jar)
	get := func(to string, form url.Values) string {
		t.Helper()
		method := http.MethodGet
		if form != nil {
			method = http.MethodPost
		}
		r, err := http.NewRequestWithContext(t.Context(), method, to, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", at.BaseURL)
		resp, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || strings.Contains(string(text), planKey) {
			t.Errorf("%s: %d %v", to, resp.StatusCode, err)
		}
		return string(text)
	}
	get(at.Page, nil)
	in := at.BaseURL + "/w/personal"
	word := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(get(in+"/plans", nil))
	if word == nil {
		t.Fatal("the page has no form")
	}
	get(in+"/plans", url.Values{"csrf": {word[1]}, "name": {"Typed"}, "protocol": {"openai"}, "more": {"m"}, "apiKey": {planKey}, "enabled": {"1"}})
	if list := decode[[]plan.View](t, w.must("plans", "--json")); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	if out := w.must("agents", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("saving a plan made an agent: %s", out)
	}
	w.must("agents", "add", "A", "--client", fakeProvider, "--plan", "P")
	for _, path := range []string{"/plans", "/plans/new", "/plans/" + p.ID, "/plans/" + p.ID + "/edit", "/plans/" + p.ID + "/delete", "/agents", "/agents/new", "/agents/new?client=" + fakeProvider, "/sessions"} {
		texts[path] = get(in+path, nil)
	}
	for where, text := range texts {
		if found := never.FindString(text); found != "" {
			t.Errorf("%s says %q", where, found)
		}
	}
}
