package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/api"
)

// A plan is created as it is said, and is disabled unless it is said that it is not.
func TestP01_APlanIsDisabledUnlessItIsSaidToBeEnabled(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, c := range map[string]struct {
		body    string
		enabled bool
		status  string
	}{
		"without": {`{"name":"P","protocol":"openai"}`, false, "disabled"},
		"null":    {`{"name":"P","protocol":"openai","enabled":null}`, false, "disabled"},
		"false":   {`{"name":"P","protocol":"openai","enabled":false}`, false, "disabled"},
		"true":    {`{"name":"P","protocol":"openai","enabled":true}`, true, "undetected"},
	} {
		a := s.do("POST", in+"/model-plans", c.body, "")
		if a.status != 200 || a.body["enabled"] != c.enabled || a.body["status"] != c.status {
			t.Errorf("%s: %+v", name, a)
			continue
		}
		if a = s.do("GET", in+"/model-plans/"+a.body["id"].(string), nil, ""); a.body["enabled"] != c.enabled || a.body["status"] != c.status {
			t.Errorf("%s, read again: %+v", name, a)
		}
	}
}

// While the clock stands still as many requests come in as may at once, and the next one is told when to come again.
func TestTooManyRequestsAtOnceAreToldToWait(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	now := time.Now()
	server := httptest.NewServer(api.New(api.Config{
		Access: s.access, Token: token, Events: api.NewEvents(), Now: func() time.Time { return now }, Providers: s.listed,
	}))
	t.Cleanup(server.Close)
	s.server = server
	for n := range 200 {
		if a := s.do("GET", in+"/model-plans", nil, ""); a.status != 200 {
			t.Fatalf("request %d: %+v", n+1, a)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+in+"/model-plans", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if a := s.do("GET", in+"/model-plans", nil, ""); a.status != 429 || a.code() != "too_many_requests" {
		t.Errorf("%+v", a)
	}
	now = now.Add(time.Second)
	if a := s.do("GET", in+"/model-plans", nil, ""); a.status != 200 {
		t.Errorf("a second later: %+v", a)
	}
}
