package page_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// endpoint answers those that bring the key. Each request waits until step lets it go on; a nil one waits for nothing.
func endpoint(t *testing.T, key string, step <-chan struct{}) *gatewaytest.Upstream {
	t.Helper()
	up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		if step != nil {
			<-step
		}
		switch sent := r.Header.Get("Authorization"); {
		case sent != "" && sent != "Bearer "+key:
			return gatewaytest.Status(401, `{"error":{"message":"not `+sent+`"}}`)
		case r.Method == http.MethodGet:
			return gatewaytest.JSON(`{"data":[{"id":"m-a"},{"id":"m-b"},{"id":"m-c"}]}`)
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

// last is the picture of a check that is seen, the last one.
func last(text string) string {
	i := strings.LastIndex(text, "<section>")
	if i < 0 {
		return ""
	}
	root, err := html.Parse(strings.NewReader(text[i:]))
	if err != nil {
		return ""
	}
	return words(root)
}

// A check goes on where nobody looks, and shows each stage when it is at it.
func TestTheStagesOfACheckAppearWhileItRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	step := make(chan struct{})
	up := endpoint(t, canary, step)
	p := s.plan("P", func(spec *plan.Spec) { spec.BaseURL, spec.Models = up.URL(), nil })
	at := in + "/plans/" + p.ID
	begun := s.press(s.get(at), at+"/check", nil)
	if begun.status != http.StatusSeeOther || begun.header.Get("Location") != at+"/check" {
		t.Fatalf("%d", begun.status)
	}
	resp, err := s.client.Do(s.request(http.MethodGet, at+"/check", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var text strings.Builder
	until := func(want string) {
		t.Helper()
		buf := make([]byte, 4096)
		for !strings.Contains(last(text.String()), want) {
			n, err := resp.Body.Read(buf)
			text.Write(buf[:n])
			if err != nil {
				t.Fatalf("there is no %q, the answer ends with %v: %s", want, err, last(text.String()))
			}
		}
	}
	until("Network runs now")
	if got := last(text.String()); !strings.Contains(got, "Key waits") || !strings.Contains(got, "Answer waits") || !strings.Contains(got, "Stop the check") {
		t.Errorf("%s", got)
	}
	// The plan's own page says so, and offers no second one.
	if got := s.get(at); find(got.root, leads(at+"/check")) == nil || find(got.root, isForm(at+"/check")) != nil {
		t.Errorf("%s", words(got.root))
	}
	hits := up.Hits()
	s.submit(at+"/check", url.Values{"csrf": {s.word()}})
	step <- struct{}{}
	until("Key runs now")
	if got := last(text.String()); !strings.Contains(got, "Network passed") || up.Hits() > hits+1 {
		t.Errorf("%s, %d requests", got, up.Hits()-hits)
	}
	go func() {
		for {
			select {
			case step <- struct{}{}:
			case <-t.Context().Done():
				return
			}
		}
	}()
	rest, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	text.Write(rest)
	root, err := html.Parse(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	s.holds("a whole check", shown{resp.StatusCode, resp.Header, text.String(), root})
	if got := last(text.String()); !strings.Contains(got, "Answer passed") || !strings.Contains(got, "P works. m-a answered") || !strings.Contains(got, "Calls tools") {
		t.Errorf("%s", got)
	}
	if p = s.only(); p.Status() != plan.Ready || len(p.Models) != 0 || p.Revision != 1 {
		t.Errorf("the check changed the plan: %+v", p)
	}
	// What the endpoint lists is offered, and chosen by a person alone.
	again := s.get(at + "/check")
	if got := s.press(again, at+"/models", nil); got.status != http.StatusBadRequest {
		t.Errorf("nothing ticked: %d", got.status)
	}
	s.follow(s.press(again, at+"/models", url.Values{"model": {"m-b", "m-c"}}))
	if p = s.only(); len(p.Models) != 2 || p.Models[1].ID != "m-c" || p.Status() != plan.Ready {
		t.Errorf("%+v", p)
	}
}

// word is the one that forms of this browser bring.
func (s *stage) word() string {
	s.Helper()
	return attr(find(s.get(in+"/plans").root, isField("csrf")), "value")
}

func TestACheckSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	up := endpoint(t, "another key", nil)
	p := s.plan("P", func(spec *plan.Spec) { spec.BaseURL = up.URL() })
	at := in + "/plans/" + p.ID
	got := s.follow(s.press(s.get(at), at+"/check", nil))
	if text := words(got.root); !strings.Contains(text, "P does not work yet. Check the key.") || !strings.Contains(text, "unauthorized") || !strings.Contains(text, "Models skipped") {
		t.Errorf("%s", text)
	}
	if text := words(s.get(at).root); !strings.Contains(text, "Check failed") || !strings.Contains(text, "Key failed") {
		t.Errorf("%s", text)
	}
	if got := s.get(in + "/plans/mp-none/check"); got.status != http.StatusNotFound {
		t.Errorf("%d", got.status)
	}
	q := s.plan("Q", nil)
	if got := s.send(s.request(http.MethodGet, in+"/plans/"+q.ID+"/check", nil)); got.status != http.StatusSeeOther {
		t.Errorf("a check that was never begun: %d", got.status)
	}
	if hits := up.Hits(); hits == 0 || strings.Contains(s.said.String(), canary) {
		t.Errorf("%d requests", hits)
	}
}

func TestACheckIsStopped(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	step := make(chan struct{})
	up := endpoint(t, canary, step)
	t.Cleanup(func() { close(step) })
	p := s.plan("P", func(spec *plan.Spec) { spec.BaseURL = up.URL() })
	at := in + "/plans/" + p.ID
	s.press(s.get(at), at+"/check", nil)
	got := s.follow(s.submit(at+"/check/stop", url.Values{"csrf": {s.word()}}))
	if !strings.Contains(words(got.root), "The check is stopped") {
		t.Errorf("%s", words(got.root))
	}
	if text := words(s.get(at + "/check").root); !strings.Contains(text, "did not come to its end") {
		t.Errorf("%s", text)
	}
	if p := s.only(); p.Detection != nil {
		t.Errorf("%+v", p.Detection)
	}
}
