package upstream_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/upstream"
)

func start(t *testing.T, p upstream.Protocol, steps ...upstream.Step) *upstream.Server {
	t.Helper()
	s, err := upstream.Start(p, steps...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newClient is a client with connections of its own.
func newClient(t *testing.T, proxy func(*http.Request) (*url.URL, error)) *http.Client {
	c := &http.Client{Transport: &http.Transport{Proxy: proxy}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// post sends a request and gives the status and the decoded events of the answer.
func post(t *testing.T, address, body string) (int, []map[string]any) {
	t.Helper()
	response, err := newClient(t, nil).Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var events []map[string]any
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && data != "[DONE]" {
			var e map[string]any
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
	}
	return response.StatusCode, events
}

func types(events []map[string]any) []string {
	var names []string
	for _, e := range events {
		names = append(names, e["type"].(string))
	}
	return names
}

func TestScriptIsPlayedInOrder(t *testing.T) {
	t.Parallel()
	for protocol, test := range map[upstream.Protocol]struct {
		path       string
		call, text []string
	}{
		upstream.Responses: {
			path: "/v1/responses",
			call: []string{
				"response.created", "response.output_item.added", "response.output_text.delta", "response.output_item.done",
				"response.output_item.added", "response.output_item.done", "response.completed",
			},
			text: []string{
				"response.created", "response.output_item.added", "response.output_text.delta", "response.output_item.done",
				"response.completed",
			},
		},
		upstream.Messages: {
			path: "/v1/messages",
			call: []string{
				"message_start", "content_block_start", "content_block_delta", "content_block_stop",
				"content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop",
			},
			text: []string{
				"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
				"message_stop",
			},
		},
	} {
		s := start(t, protocol, upstream.Use("tool", map[string]any{"a": "b"}), upstream.Say("done"))
		for i, want := range [][]string{test.call, test.text, test.text} {
			status, events := post(t, s.URL()+test.path, "{}")
			if diff := cmp.Diff(want, types(events)); diff != "" || status != http.StatusOK {
				t.Errorf("%s: answer %d, status %d:\n%s", protocol, i, status, diff)
			}
		}
		if n := len(s.Turns()); n != 3 {
			t.Errorf("%s: %d turns recorded", protocol, n)
		}
	}
}

func TestOtherRequestsAreRecordedAndCostNoStep(t *testing.T) {
	t.Parallel()
	s := start(t, upstream.Messages, upstream.Say("first"))
	response, err := newClient(t, nil).Head(s.URL() + "/")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("HEAD gives %d", response.StatusCode)
	}
	if status, _ := post(t, s.URL()+"/v1/models", ""); status != http.StatusNotFound {
		t.Errorf("an unknown path gives %d", status)
	}
	_, events := post(t, s.URL()+"/v1/messages?beta=true", "{}")
	if !strings.Contains(string(mustEncode(t, events)), "first") {
		t.Errorf("the first step was not played: %v", events)
	}
	var seen []string
	for _, r := range s.Requests() {
		seen = append(seen, r.Method+" "+r.Path+"?"+r.Query)
	}
	if diff := cmp.Diff([]string{"HEAD /?", "POST /v1/models?", "POST /v1/messages?beta=true"}, seen); diff != "" {
		t.Error(diff)
	}
}

// A client of Chat Completions asks for a title beside the first turn, whichever comes first.
func TestAsideOfChatCostsNoStep(t *testing.T) {
	t.Parallel()
	s := start(t, upstream.Chat, upstream.Use("tool", map[string]any{"a": "b"}), upstream.Say("done"))
	const title, turn = `{"messages":[]}`, `{"messages":[],"tools":[{"type":"function"}]}`
	for i, test := range []struct{ body, delta, finish string }{
		{title, `"content":"the script has ended"`, "stop"},
		{turn, `"tool_calls":[{"function":{"arguments":"{\"a\":\"b\"}","name":"tool"},"id":"call_0_0","index":0,"type":"function"}]`, "tool_calls"},
		{turn, `"content":"done"`, "stop"},
		{title, `"content":"the script has ended"`, "stop"},
	} {
		status, events := post(t, s.BaseURL()+"/chat/completions", test.body)
		answer := string(mustEncode(t, events))
		if status != http.StatusOK || !strings.Contains(answer, test.delta) ||
			strings.Count(answer, `"finish_reason":"`+test.finish+`"`) != 1 || !strings.Contains(answer, `"total_tokens":120`) {
			t.Errorf("answer %d, status %d: %s", i, status, answer)
		}
	}
	if n, all := len(s.Turns()), len(s.Requests()); n != 2 || all != 4 {
		t.Errorf("%d turns and %d requests recorded", n, all)
	}
}

func mustEncode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestThiefAndProxyRefuseAndRecord(t *testing.T) {
	t.Parallel()
	thief := start(t, upstream.Thief)
	if status, _ := post(t, thief.URL()+"/v1/messages", "{}"); status != http.StatusForbidden || len(thief.Requests()) != 1 {
		t.Errorf("the thief answered %d and recorded %d", status, len(thief.Requests()))
	}
	proxy, err := upstream.StartProxy()
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	address, err := url.Parse(proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	if response, err := newClient(t, http.ProxyURL(address)).Get("https://elsewhere.example/"); err == nil {
		response.Body.Close()
		t.Error("the proxy let a request through")
	}
	if diff := cmp.Diff([]string{"elsewhere.example:443"}, proxy.Targets()); diff != "" {
		t.Error(diff)
	}
}

func TestRequestIsReadByMeaning(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body         string
		text, system string
		items        int
		results      []string
	}{
		"responses": {
			body: `{"model":"m","tools":[{"description":"not text"}],"input":[
				{"type":"message","id":"msg_1","role":"developer","content":[{"type":"input_text","text":"base"}]},
				{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},
				{"type":"message","role":"developer","content":[{"type":"input_text","text":"late"}]},
				{"type":"function_call_output","call_id":"c","output":"done"}]}`,
			text: "base\nhi\nlate\ndone", system: "base", items: 4, results: []string{"done"},
		},
		"messages": {
			body: `{"model":"m","tools":[{"description":"not text"}],"system":[{"type":"text","text":"base"}],"messages":[
				{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"done"}]}]}]}`,
			text: "base\nhi\ndone", system: "base", items: 2, results: []string{"done"},
		},
		"chat": {
			body: `{"model":"m","tools":[{"type":"function","function":{"description":"not text"}}],"messages":[
				{"role":"system","content":"base"},{"role":"user","content":"hi"},
				{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c","content":"done"}]}`,
			text: "base\nhi\n\n{}\nn\ndone", system: "base", items: 4, results: []string{"done"},
		},
	} {
		r := upstream.Request{Body: []byte(test.body)}
		text, err1 := r.Text()
		system, err2 := r.System()
		items, err3 := r.Items()
		results, err4 := r.ToolResults()
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			t.Fatal(name, err1, err2, err3, err4)
		}
		if text != test.text || system != test.system || len(items) != test.items {
			t.Errorf("%s: text %q, system %q, %d items", name, text, system, len(items))
		}
		if diff := cmp.Diff(test.results, results); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if strings.Contains(string(mustEncode(t, items)), "cache_control") {
			t.Errorf("%s: a cache mark is left", name)
		}
	}
	if _, err := (upstream.Request{Body: []byte("{")}).Items(); err == nil {
		t.Error("a broken body is no error")
	}
	if _, err := (upstream.Request{Body: []byte("{}")}).Items(); err == nil {
		t.Error("a body without a conversation is no error")
	}
}
