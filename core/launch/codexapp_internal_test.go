package launch

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
)

// What the real client says in a turn, with its ids and times made short.
func TestAppEvents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method, params string
		want           *Event
	}{
		"text":    {"item/agentMessage/delta", `{"delta":"all "}`, &Event{Kind: Text, Text: "all "}},
		"thought": {"item/reasoning/summaryTextDelta", `{"delta":"hm"}`, &Event{Kind: Reasoning, Text: "hm"}},
		"command": {"item/started", `{"item":{"type":"commandExecution","id":"c","command":"ls","status":"inProgress","aggregatedOutput":null}}`,
			&Event{Kind: ToolStart, Tool: &Tool{ID: "c", Title: "ls", Kind: "execute", Status: Running}}},
		"its end": {"item/completed", `{"item":{"type":"commandExecution","id":"c","command":"ls","status":"failed","aggregatedOutput":"no\n"}}`,
			&Event{Kind: ToolEnd, Tool: &Tool{ID: "c", Title: "ls", Kind: "execute", Status: Failed, Output: "no\n"}}},
		"change": {"item/completed", `{"item":{"type":"fileChange","id":"f","status":"completed","changes":[{"path":"a"},{"path":"b"}]}}`,
			&Event{Kind: ToolEnd, Tool: &Tool{ID: "f", Title: "a, b", Kind: "edit", Status: Completed}}},
		"server": {"item/started", `{"item":{"type":"mcpToolCall","id":"m","server":"docs","tool":"find","status":"inProgress"}}`,
			&Event{Kind: ToolStart, Tool: &Tool{ID: "m", Title: "docs/find", Kind: "other", Status: Running}}},
		"search": {"item/completed", `{"item":{"type":"webSearch","id":"w","query":"q"}}`,
			&Event{Kind: ToolEnd, Tool: &Tool{ID: "w", Title: "q", Kind: "fetch", Status: Completed}}},
		"tokens": {"thread/tokenUsage/updated", `{"tokenUsage":{"last":{"totalTokens":120,"inputTokens":100,"cachedInputTokens":7,"outputTokens":20},"modelContextWindow":258400}}`,
			&Event{Kind: Usage, Usage: &Tokens{Input: 100, Cached: 7, Output: 20, Context: 120, Window: 258400}}},
		"plan": {"turn/plan/updated", `{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"inProgress"},{"step":"c","status":"later"}]}`,
			&Event{Kind: Plan, Steps: []Step{{"a", Completed}, {"b", Running}, {"c", Pending}}}},
		"the person":   {"item/started", `{"item":{"type":"userMessage","id":"u"}}`, nil},
		"the answer":   {"item/completed", `{"item":{"type":"agentMessage","id":"a"}}`, nil},
		"housekeeping": {"thread/status/changed", `{}`, nil},
	} {
		var s appSaid
		if err := json.Unmarshal([]byte(c.params), &s); err != nil {
			t.Fatal(name, err)
		}
		e, ok := s.event(c.method)
		if ok != (c.want != nil) {
			t.Errorf("%s: told %v", name, ok)
		} else if ok {
			if diff := cmp.Diff(*c.want, e); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// H72: how a turn ended is read from its status.
func TestH72_AppOutcome(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]struct {
		reason EndReason
		says   string
	}{
		`{"turn":{"status":"completed"}}`:                                                                                                                     {Finished, ""},
		`{"turn":{"status":"interrupted"}}`:                                                                                                                   {Cancelled, ""},
		`{"turn":{"status":"failed","error":{"message":"no more room"}}}`:                                                                                     {"", "no more room"},
		`{"turn":{"status":"failed","error":{"message":"{\"error\":{\"message\":\"no such model\"}}"}}}`:                                                      {"", "error 0: no such model"},
		`{"turn":{"status":"failed","error":{"message":"no","codexErrorInfo":"unauthorized"}}}`:                                                               {"", "error -32000: no"},
		`{"turn":{"status":"failed","error":{"message":"unexpected status 401 Unauthorized"}}}`:                                                               {"", "error -32000"},
		`{"turn":{"status":"failed","error":{"message":"no","codexErrorInfo":{"responseTooManyFailedAttempts":{"httpStatusCode":401}}}}}`:                     {"", "error -32000"},
		`{"turn":{"status":"failed","error":{"message":"unexpected status 403 Forbidden","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":403}}}}}`: {"", "error -32403"},
		`{"turn":{"status":"failed","error":{"message":"unexpected status 500","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":500}}}}}`:           {"", "error 0"},
		`{"turn":{"status":"lost"}}`: {"", "the turn lost"},
		`{}`:                         {"", "the turn "},
	} {
		var s appSaid
		if err := json.Unmarshal([]byte(params), &s); err != nil {
			t.Fatal(err)
		}
		reason, err := s.outcome()
		if reason != want.reason || (err == nil) != (want.says == "") || err != nil && !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s: %q %v", params, reason, err)
		}
	}
}

// What a client asks for goes to the policy, and what it takes for an answer is never more than that.
func TestAppPermission(t *testing.T) {
	t.Parallel()
	for answer, want := range map[Answer]string{Deny: "decline", AllowOnce: "accept", AllowAlways: "acceptForSession", CancelTurn: "cancel"} {
		var asked Request
		a := newAppClient(io.Discard, side{p: &core.Prepared{}, log: slog.New(slog.DiscardHandler),
			permit: func(_ context.Context, r Request, _ []byte) Answer { asked = r; return answer }})
		params := json.RawMessage(`{"threadId":"t","itemId":"call_0","command":"/bin/bash -c 'mycli get'","availableDecisions":["accept","cancel"]}`)
		got, err := a.Request(t.Context(), "item/commandExecution/requestApproval", params)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]any{"decision": want}, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(Tool{ID: "call_0", Title: "/bin/bash -c 'mycli get'", Kind: "execute", Status: Pending}, asked.Tool); diff != "" {
			t.Error(diff)
		}
	}
	a := newAppClient(io.Discard, side{p: &core.Prepared{}, permit: func(context.Context, Request, []byte) Answer { t.Error("asked"); return AllowAlways }})
	for _, method := range []string{"item/tool/call", "account/chatgptAuthTokens/refresh", "account/login"} {
		if _, err := a.Request(t.Context(), method, json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s was answered", method)
		}
	}
}

// Whatever else a client asks gets an answer: what the policy says, what a person says, or that nobody does.
func TestAppAsks(t *testing.T) {
	t.Parallel()
	const (
		input = `{"threadId":"t","itemId":"i","questions":[{"id":"colour","header":"Colour","question":"Which?","options":[{"label":"red","description":""}]}]}`
		form  = `{"threadId":"t","serverName":"crm","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string","enum":["red"]}}}}`
		visit = `{"threadId":"t","serverName":"crm","mode":"url","message":"Log in","url":"https://crm.example/","elicitationId":"e"}`
		call  = `{"threadId":"t","serverName":"crm","mode":"form","message":"Allow find?","requestedSchema":{"type":"object","properties":{}},"_meta":{"codex_approval_kind":"mcp_tool_call","persist":["session","always"]}}`
		widen = `{"threadId":"t","itemId":"i","reason":"to write","permissions":{"network":{"enabled":true}}}`

		elicit, request = "mcpServer/elicitation/request", "item/tool/requestUserInput"
	)
	for name, c := range map[string]struct {
		method, params string
		answer         Answer
		reply          Reply
		want           string
	}{
		"input":              {request, input, Deny, Reply{"colour": {"red"}}, `{"answers":{"colour":{"answers":["red"]}}}`},
		"input, by nobody":   {request, input, AllowAlways, nil, `{"answers":{}}`},
		"form":               {elicit, form, Deny, Reply{"colour": {"red"}}, `{"action":"accept","content":{"colour":"red"}}`},
		"form, by nobody":    {elicit, form, AllowAlways, nil, `{"action":"decline"}`},
		"of another thread":  {elicit, strings.Replace(form, `"t"`, `"u"`, 1), AllowAlways, Reply{"colour": {"red"}}, `{"action":"decline"}`},
		"a page":             {elicit, visit, Deny, Reply{}, `{"action":"accept"}`},
		"a page, by nobody":  {elicit, visit, AllowAlways, nil, `{"action":"decline"}`},
		"an odd form":        {elicit, `{"threadId":"t","requestedSchema":{"properties":{"a":{"type":"object"}}}}`, AllowAlways, Reply{}, `{"action":"decline"}`},
		"a server's tool":    {elicit, call, AllowOnce, nil, `{"action":"accept","content":{}}`},
		"always":             {elicit, call, AllowAlways, nil, `{"_meta":{"persist":"session"},"action":"accept","content":{}}`},
		"the tool, denied":   {elicit, call, Deny, Reply{}, `{"action":"decline"}`},
		"the tool, and over": {elicit, call, CancelTurn, Reply{}, `{"action":"cancel"}`},
		"more, denied":       {"item/permissions/requestApproval", widen, Deny, nil, `{"permissions":{}}`},
		"more, once":         {"item/permissions/requestApproval", widen, AllowOnce, nil, `{"permissions":{"network":{"enabled":true}},"scope":"turn"}`},
		"more, always":       {"item/permissions/requestApproval", widen, AllowAlways, nil, `{"permissions":{"network":{"enabled":true}},"scope":"session"}`},
	} {
		a := newAppClient(io.Discard, side{p: &core.Prepared{}, log: slog.New(slog.DiscardHandler), emit: func(Event) {},
			permit: func(context.Context, Request, []byte) Answer { return c.answer },
			ask:    func(context.Context, Question) (Reply, bool) { return c.reply, c.reply != nil }})
		a.thread = "t"
		result, err := a.Request(t.Context(), c.method, json.RawMessage(c.params))
		got, _ := json.Marshal(result)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s %v, want %s", name, got, err, c.want)
		}
	}
}

// A client that ends right behind a turn has not failed in it.
func TestAppEndOfTheTurnIsTheLastWord(t *testing.T) {
	t.Parallel()
	for range 50 { // what is seen first is chance
		heard, says := io.Pipe()
		read, in := io.Pipe()
		go func() {
			_, _ = read.Read(make([]byte, 4<<10)) // turn/start
			_, _ = io.WriteString(says, `{"id":1,"result":{"turn":{"id":"t"}}}`+"\n"+
				`{"method":"turn/completed","params":{"threadId":"c","turn":{"id":"t","status":"completed"}}}`+"\n")
			_ = says.Close()
		}()
		a := newAppClient(in, side{p: &core.Prepared{}, log: slog.New(slog.DiscardHandler), emit: func(Event) {}, tell: func(setup) {}})
		go func() { _ = a.serve(heard) }()
		if reason, err := a.prompt(t.Context(), "c", []Block{{Text: "x"}}); reason != Finished || err != nil {
			t.Fatalf("the turn ended with %q, %v", reason, err)
		}
	}
}
