package gatewaytest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func ask(t *testing.T, up *gatewaytest.Upstream, body string) (int, string, error) {
	t.Helper()
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequest(http.MethodPost, up.URL()+"/v1/chat/completions?a=b", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func TestScriptIsPlayedInTurn(t *testing.T) {
	t.Parallel()
	up := gatewaytest.Start(gatewaytest.Status(429, "{}"), gatewaytest.Text("Hel", "lo"))
	t.Cleanup(up.Close)
	if status, text, err := ask(t, up, "one"); status != 429 || text != "{}" || err != nil {
		t.Fatalf("%d %q %v", status, text, err)
	}
	for range 2 {
		status, text, err := ask(t, up, "two")
		if status != 200 || err != nil || !strings.Contains(text, `"content":"Hel"`) || !strings.HasSuffix(text, "data: [DONE]\n\n") {
			t.Fatalf("%d %q %v", status, text, err)
		}
	}
	reqs := up.Requests()
	if len(reqs) != 3 || up.Hits() != 3 || string(reqs[0].Body) != "one" || string(up.Last().Body) != "two" || reqs[0].Query != "a=b" {
		t.Fatalf("%d requests were recorded", len(reqs))
	}
	up.Script(gatewaytest.JSON(gatewaytest.Completion(`a "quoted" text`)))
	if _, text, _ := ask(t, up, ""); !strings.Contains(text, `"content":"a \"quoted\" text"`) {
		t.Fatalf("%q", text)
	}
}

func TestCutBreaksTheConnection(t *testing.T) {
	t.Parallel()
	whole := gatewaytest.Text("a")
	up := gatewaytest.Start(whole.First(2).Then(gatewaytest.Step{Cut: true}))
	t.Cleanup(up.Close)
	if _, text, err := ask(t, up, ""); err == nil {
		t.Fatalf("ended well with %q", text)
	}
	if len(whole.Steps) == 3 || whole.Steps[2].Cut {
		t.Fatal("the answer it was made of was changed")
	}
}

func TestVariantsSendTheSameBytes(t *testing.T) {
	t.Parallel()
	plain := gatewaytest.Calls(gatewaytest.Call{ID: "c", Name: "f", Arguments: `{"x":1}`})
	up := gatewaytest.Start(plain, plain.Together(), plain.Bytewise())
	t.Cleanup(up.Close)
	_, want, _ := ask(t, up, "")
	for range 2 {
		if _, got, err := ask(t, up, ""); got != want || err != nil {
			t.Fatalf("%v %q, want %q", err, got, want)
		}
	}
}
