package gatewaytest

import "strings"

// Quirk is an odd answer that real servers give, and what a client should get of it.
type Quirk struct {
	// Name says what is odd.
	Name   string
	Answer Answer
	// Text and Reasoning are the text and the reasoning of the turn; Calls its calls.
	Text, Reasoning string
	Calls           []Call
	// Fails says that the turn cannot succeed.
	Fails bool
}

// Quirks lists odd answers. The calls are of tools named f and g.
func Quirks() []Quirk {
	text := Text("Hel", "lo")
	return []Quirk{
		{Name: "byte order mark", Answer: edit(text, func(s string) string { return "\uFEFF" + s }), Text: "Hello"},
		{Name: "crlf", Answer: edit(text, crlf), Text: "Hello"},
		{Name: "lone cr", Answer: edit(text, func(s string) string { return strings.ReplaceAll(s, "\n", "\r") }), Text: "Hello"},
		{Name: "comments", Answer: edit(text, func(s string) string { return ": PROCESSING\n\n" + s }), Text: "Hello"},
		{Name: "no space after data", Answer: edit(text, func(s string) string {
			return strings.ReplaceAll(s, "data: ", "data:")
		}), Text: "Hello"},
		{Name: "no blank line at the end", Answer: edit(text, func(s string) string { return strings.TrimRight(s, "\n") }), Text: "Hello"},
		{Name: "byte by byte", Answer: Text("a \U0001F600", "é").Bytewise(), Text: "a \U0001F600é"},
		{Name: "one piece", Answer: text.Together(), Text: "Hello"},
		{Name: "no done", Answer: Events(Delta("Hello"), Finish("stop")), Text: "Hello"},
		{Name: "no content type", Answer: untyped(text), Text: "Hello"},
		{Name: "json for a stream", Answer: JSON(Completion("Hello")), Text: "Hello"},
		{Name: "null delta and choices", Answer: Stream(`{"choices":null}`,
			`{"choices":[{"index":null,"delta":null}]}`, Delta("Hello"), Finish("stop")), Text: "Hello"},
		{Name: "numbers as floats and strings", Answer: Stream(
			`{"created":"1700000000","choices":[{"index":0.0,"delta":{"content":"Hello"}}]}`, Finish("stop"),
			`{"choices":[],"usage":{"prompt_tokens":3.0,"completion_tokens":"4"}}`), Text: "Hello"},
		{Name: "content as parts", Answer: Stream(Chunk(`{"content":[{"type":"text","text":"Hello"}]}`), Finish("stop")), Text: "Hello"},
		{Name: "message in a chunk", Answer: Stream(
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`), Text: "Hello"},
		{Name: "split think tag", Answer: Text("<thi", "nk>x</thi", "nk>\n\ny"), Reasoning: "x", Text: "y"},
		{Name: "reasoning_content", Answer: reasoning(`{"reasoning_content":"a"}`), Reasoning: "a", Text: "b"},
		{Name: "reasoning", Answer: reasoning(`{"reasoning":"a"}`), Reasoning: "a", Text: "b"},
		{Name: "reasoning object", Answer: reasoning(`{"reasoning":{"content":"a"}}`), Reasoning: "a", Text: "b"},
		{Name: "reasoning details", Answer: reasoning(`{"reasoning_details":[{"text":"a"}]}`), Reasoning: "a", Text: "b"},
		{Name: "thinking", Answer: reasoning(`{"thinking":"a"}`), Reasoning: "a", Text: "b"},
		{Name: "calls without an index", Answer: Stream(
			Chunk(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}`),
			Chunk(`{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}}]}`),
			Finish("tool_calls")), Calls: []Call{{"a", "f", `{"x":1}`}, {"b", "g", `{"y":2}`}}},
		{Name: "always index 0", Answer: Stream(
			Chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`),
			Chunk(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]}`),
			Finish("tool_calls")), Calls: []Call{{"a", "f", `{}`}, {"b", "g", `{}`}}},
		{Name: "blank identity in later chunks", Answer: Stream(
			Chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}`),
			Chunk(`{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":"{\"x\":1}"}}]}`),
			Finish("tool_calls")), Calls: []Call{{"a", "f", `{"x":1}`}}},
		{Name: "cumulative arguments", Answer: Stream(
			Chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`),
			Chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}`),
			Finish("tool_calls")), Calls: []Call{{"a", "f", `{"x":1}`}}},
		{Name: "whole call and stop in one chunk", Answer: Stream(
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]},` +
				`"finish_reason":"stop"}]}`), Calls: []Call{{"a", "f", `{"x":1}`}}},
		{Name: "blank arguments", Answer: Calls(Call{"a", "f", ""}), Calls: []Call{{"a", "f", "{}"}}},
		{Name: "legacy function_call", Answer: Stream(Chunk(`{"function_call":{"name":"f","arguments":"{}"}}`),
			Finish("function_call")), Calls: []Call{{"", "f", "{}"}}},
		{Name: "blank name", Answer: Calls(Call{"a", " ", "{}"}), Fails: true},
		{Name: "done and nothing else", Answer: Stream(), Fails: true},
		{Name: "cut in a call", Answer: Calls(Call{"a", "f", `{"x":1}`}).First(2), Fails: true},
		{Name: "cut before the end", Answer: text.First(2).Then(Step{Cut: true}), Fails: true},
		{Name: "error in the stream", Answer: Events(Delta("a"), `{"error":{"message":"overloaded"}}`), Fails: true},
	}
}

func edit(a Answer, change func(string) string) Answer {
	a = a.Together()
	a.Steps[0].Send = []byte(change(string(a.Steps[0].Send)))
	return a
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func untyped(a Answer) Answer {
	b := Raw("")
	b.Steps = a.Steps
	return b
}

func reasoning(delta string) Answer { return Stream(Chunk(delta), Delta("b"), Finish("stop")) }
