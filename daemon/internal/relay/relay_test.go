package relay_test

import (
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/internal/relay"
	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// ask opens a relay and gives the status and the body of one request to it.
func ask(t *testing.T, p relay.Plan, path, body string) (int, string) {
	t.Helper()
	p.Workspace, p.Session, p.Now, p.Random = "w", "s", time.Now, rand.Reader
	r, err := relay.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.BaseURL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Token())
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
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

// A client of the Responses API is told by the status to stop or to try again; one that speaks to the endpoint itself knows.
func TestOnlyATranslatedStatusIsChosen(t *testing.T) {
	t.Parallel()
	up := gatewaytest.Start(gatewaytest.Status(http.StatusUnauthorized, `{"error":{"message":"who"}}`))
	t.Cleanup(up.Close)
	if status, body := ask(t, relay.Plan{Upstream: up.URL()}, "/responses", `{"model":"m","input":"hi"}`); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, body)
	}
	for kind, path := range map[gateway.Kind]string{gateway.KindChatPassthrough: "/chat/completions", gateway.KindMessagesPassthrough: "/v1/messages"} {
		if status, body := ask(t, relay.Plan{Upstream: up.URL(), Kind: kind}, path, `{"model":"m","messages":[]}`); status != http.StatusUnauthorized {
			t.Errorf("%d %s", status, body)
		}
	}
}

// What a person says of a model counts more than what is known of the host, and nothing for the other models.
func TestPicturesGoToModelsThatSee(t *testing.T) {
	t.Parallel()
	vision := map[string]bool{"sees": true, "is-blind": false}
	for _, c := range []struct {
		model, dialect string
		want           bool
	}{
		{"sees", "deepseek", true}, {"is-blind", "deepseek", false}, {"other", "deepseek", false},
		{"sees", "default", true}, {"is-blind", "default", false}, {"other", "default", true},
	} {
		up := gatewaytest.Start(gatewaytest.JSON(gatewaytest.Completion("seen")))
		t.Cleanup(up.Close)
		picture := `{"model":"` + c.model + `","input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA"}]}]}`
		if status, body := ask(t, relay.Plan{Upstream: up.URL(), Dialect: c.dialect, Vision: vision}, "/responses", picture); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		if got := strings.Contains(string(up.Last().Body), "data:image/png"); got != c.want {
			t.Errorf("%s at %s: sent %v", c.model, c.dialect, got)
		}
	}
}
