package translate

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestG78_ErrorsOfTheUpstream(t *testing.T) {
	t.Parallel()
	now := time.Unix(1700000000, 0)
	for _, c := range []struct {
		name             string
		status           int
		header, body     string
		wantAgent        int
		wantPreserve     int
		code, wait, text string
	}{
		{name: "a limit that names no time", status: 429, body: `{"error":{"message":"slow down"}}`, wantAgent: 429, wantPreserve: 429, code: "rate_limit_exceeded", wait: "10", text: "Upstream: slow down"},
		{name: "a limit with a header", status: 429, header: "Retry-After: 7", body: `{}`, wantAgent: 429, wantPreserve: 429, code: "rate_limit_exceeded", wait: "7", text: "Upstream: HTTP Too Many Requests"},
		{name: "a date", status: 429, header: "Retry-After: Tue, 14 Nov 2023 22:13:50 GMT", wantAgent: 429, wantPreserve: 429, code: "rate_limit_exceeded", wait: "30", text: "Upstream: HTTP Too Many Requests"},
		{name: "milliseconds", status: 429, header: "Retry-After-Ms: 1500", wantAgent: 429, wantPreserve: 429, code: "rate_limit_exceeded", wait: "2", text: "Upstream: HTTP Too Many Requests"},
		{name: "a duration", status: 429, header: "X-Ratelimit-Reset-Tokens: 1m3s", wantAgent: 429, wantPreserve: 429, code: "rate_limit_exceeded", wait: "63", text: "Upstream: HTTP Too Many Requests"},
		{name: "a time", status: 429, header: "X-Ratelimit-Reset: 1700000005", wantAgent: 429, wantPreserve: 429, code: "rate_limit_exceeded", wait: "5", text: "Upstream: HTTP Too Many Requests"},
		{name: "words", status: 429, body: `{"error":"try again in 1.5s"}`, wantAgent: 429, wantPreserve: 429, code: "rate_limit_exceeded", wait: "2", text: "Upstream: try again in 1.5s"},
		{name: "no money", status: 429, body: `{"error":{"message":"You exceeded your current quota"}}`, wantAgent: 429, wantPreserve: 429, code: "insufficient_quota", wait: "10", text: "Upstream: You exceeded your current quota"},
		{name: "a quota for each minute is a limit", status: 429, body: `{"error":{"message":"Quota exceeded: 10 requests per minute"}}`, wantAgent: 429, wantPreserve: 429, code: "rate_limit_exceeded", wait: "10", text: "Upstream: Quota exceeded: 10 requests per minute"},
		{name: "the context as a failure", status: 500, body: `{"error":{"message":"the request exceeds the available context size"}}`, wantAgent: 400, wantPreserve: 400, code: "context_length_exceeded", text: "Upstream: the request exceeds the available context size"},
		{name: "F37 500", status: 500, body: `{"error":{"message":"boom"}}`, wantAgent: 502, wantPreserve: 502, code: "server_error", text: "Upstream: boom"},
		{name: "the context", status: 400, body: `{"error":{"message":"This model's maximum context length is 8"}}`, wantAgent: 400, wantPreserve: 400, code: "context_length_exceeded", text: "Upstream: This model's maximum context length is 8"},
		{name: "GLM's context", status: 400, body: `{"error":{"code":"1261","message":"too long"}}`, wantAgent: 400, wantPreserve: 400, code: "context_length_exceeded", text: "Upstream: too long"},
		{name: "402", status: 402, body: `{"message":"pay"}`, wantAgent: 429, wantPreserve: 402, code: "insufficient_quota", text: "Upstream: pay"},
		{name: "401", status: 401, body: `{"error":{"message":"bad key","code":"invalid_api_key"}}`, wantAgent: 400, wantPreserve: 401, code: "upstream_unauthorized", text: "Upstream: bad key"},
		{name: "403", status: 403, body: `{"detail":"no"}`, wantAgent: 400, wantPreserve: 403, code: "upstream_forbidden", text: "Upstream: no"},
		{name: "404 model", status: 404, body: `{"error":{"message":"model x not found"}}`, wantAgent: 400, wantPreserve: 404, code: "model_not_found", text: "Upstream: model x not found"},
		{name: "404", status: 404, body: `not here`, wantAgent: 400, wantPreserve: 404, code: "upstream_not_found", text: "Upstream: not here (check the endpoint's address)"},
		{name: "422 of FastAPI", status: 422, body: `{"detail":[{"loc":["body"],"msg":"field required","type":"value_error"}]}`, wantAgent: 400, wantPreserve: 422, code: "invalid_request", text: "Upstream: field required"},
		{name: "413", status: 413, body: ``, wantAgent: 400, wantPreserve: 413, code: "request_too_large", text: "Upstream: HTTP Request Entity Too Large"},
		{name: "408", status: 408, body: ``, wantAgent: 504, wantPreserve: 408, code: "upstream_timeout", text: "Upstream: HTTP Request Timeout"},
		{name: "MiniMax", status: 400, body: `{"base_resp":{"status_code":2013,"status_msg":"invalid params"}}`, wantAgent: 400, wantPreserve: 400, code: "2013", text: "Upstream: invalid params"},
		{name: "Volc", status: 400, body: `{"code":"InvalidParameter","msg":"bad"}`, wantAgent: 400, wantPreserve: 400, code: "InvalidParameter", text: "Upstream: bad"},
		{name: "OpenRouter", status: 502, body: `{"error":{"message":"Provider error","code":502,"metadata":{"raw":"deep reason"}}}`, wantAgent: 503, wantPreserve: 503, code: "server_error", text: "Upstream: Provider error deep reason"},
		{name: "F39 a wait that is none of ours to pass on", status: 503, header: "Retry-After: sk-secret", body: `{"error":"busy"}`, wantAgent: 503, wantPreserve: 503, code: "server_error", wait: "10", text: "Upstream: busy"},
		{name: "busy for a while", status: 529, header: "Retry-After: 3", body: `{"error":"busy"}`, wantAgent: 503, wantPreserve: 503, code: "server_error", wait: "3", text: "Upstream: busy"},
		{name: "a page", status: 503, body: `<html><head><title>Bad  gateway</title></head><body>secret host</body></html>`, wantAgent: 503, wantPreserve: 503, code: "server_error", text: "Upstream: Bad gateway"},
		{name: "a page without a title", status: 503, body: `<!doctype html><p>x`, wantAgent: 503, wantPreserve: 503, code: "server_error", text: "Upstream: a page of HTML"},
		{name: "a redirect", status: 307, body: ``, wantAgent: 502, wantPreserve: 502, code: "upstream_redirect", text: "the upstream answered with a redirect, which is not followed: check its address"},
	} {
		header := http.Header{}
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			header.Set(name, value)
		}
		for mode, want := range map[StatusMode]int{StatusAgent: c.wantAgent, StatusPreserve: c.wantPreserve} {
			e := HTTPError(c.status, header, []byte(c.body), mode, now)
			if e.Status != want || e.Code != c.code || e.Message != c.text || e.UpstreamStatus != c.status && c.status != 307 {
				t.Errorf("%s: mode %d gives %d %q %q (%d)", c.name, mode, e.Status, e.Code, e.Message, e.UpstreamStatus)
			}
			if (c.wait != "" || e.Status >= 500) && c.code != codeQuota && e.RetryAfter != c.wait {
				t.Errorf("%s: mode %d waits %q, want %q", c.name, mode, e.RetryAfter, c.wait)
			}
		}
	}
	long := HTTPError(400, nil, []byte(strings.Repeat("é", 8<<10)), StatusAgent, now)
	if len(long.Message) > maxMessage+len(prefix) {
		t.Errorf("a message of %d bytes", len(long.Message))
	}
}

func TestG71_WholeAnswers(t *testing.T) {
	t.Parallel()
	answer := `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hello","reasoning_content":"r","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	s := newStream(t, testOptions(), streamRequest)
	var got []string
	evs := events(t, s.Answer(nil, []byte(answer)))
	for _, it := range evs[len(evs)-1].Response.Output {
		got = append(got, it.String())
	}
	if want := "reasoning r\ncompleted message Hello\nfunction_call a f {\"x\":1}"; strings.Join(got, "\n") != want {
		t.Errorf("%q", got)
	}
	for body, want := range map[string]struct {
		status int
		code   string
	}{
		`{"error":{"message":"x","code":429}}`:                      {429, "rate_limit_exceeded"},
		`{"error":{"message":"maximum context length","code":400}}`: {400, "context_length_exceeded"},
		``:               {502, "upstream_empty_response"},
		`<html>`:         {502, "upstream_not_an_api"},
		`{"choices":[]}`: {502, "upstream_empty_response"},
		`{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`:            {502, "upstream_empty_response"},
		`{"choices":[{"message":{"content":"a"},"finish_reason":"content_filter"}]}`: {400, "invalid_prompt"},
	} {
		opt := testOptions()
		s := newStream(t, opt, streamRequest)
		_, out, e := Answer(s.ctx, opt, []byte(body), 1, 2)
		if e == nil || e.Status != want.status || e.Code != want.code || out.Status != "failed" {
			t.Errorf("%s gives %+v, outcome %+v", body, e, out)
		}
	}
}

// G71: a whole answer to a request for a stream becomes the stream that its text in one piece would have become.
func TestG71_AWholeAnswerIsTheStreamOfItsText(t *testing.T) {
	t.Parallel()
	const usage = `"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`
	streamed := feed(newStream(t, testOptions(), streamRequest), delta(`"role":"assistant"`), content("Hello"), finish("stop"), `{"choices":[],`+usage+`}`)
	whole := newStream(t, testOptions(), streamRequest).Answer(nil,
		[]byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],`+usage+`}`))
	if string(streamed) != string(whole) {
		t.Errorf("got\n%s\nwant\n%s", whole, streamed)
	}
}
