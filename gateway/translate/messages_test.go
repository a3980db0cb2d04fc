package translate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

func noVision(o *Options) { o.Dialect.NoVision = true }

func TestG11ToG16_MessagesKeepWhatTheySay(t *testing.T) {
	t.Parallel()
	runRequests(t, []requestCase{
		{
			name: "G11 F27 roles and the order of system messages",
			request: `{"model":"m","instructions":"A","input":[{"type":"message","role":"developer","content":"B"},
				{"type":"message","role":"user","content":"u"},
				{"type":"message","role":"developer","content":[{"type":"input_text","text":"C1"},{"type":"input_text","text":"C2"}]},
				{"type":"message","role":"latest_reminder","content":"r"},{"type":"message","role":"odd","content":"w"}]}`,
			messages: `[{"role":"system","content":"A\n\nB\n\nC1\nC2"},{"role":"user","content":"u"},{"role":"user","content":"r"},{"role":"user","content":"w"}]`,
		},
		{
			name: "G12 F27 a real turn",
			request: input(`{"type":"message","role":"developer","content":[{"type":"input_text","text":"base"}]}`,
				`{"type":"message","role":"developer","content":[{"type":"input_text","text":"skills"},{"type":"input_text","text":"permissions"}]}`,
				`{"type":"message","role":"user","content":[{"type":"input_text","text":"environment"}]}`, user),
			messages: `[{"role":"system","content":"base\n\nskills\npermissions"},{"role":"user","content":"environment"},{"role":"user","content":"u"}]`,
		},
		{
			name: "G13 parts",
			request: input(`{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,AA","detail":"high"}]}`,
				`{"role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":""},{"type":"output_text","text":"b"}]}`),
			messages: `[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA","detail":"high"}}]},{"role":"assistant","content":"a\nb"}]`,
		},
		{
			name:     "G14 an image as an object",
			request:  input(`{"role":"user","content":[{"type":"input_image","image_url":{"url":"data:image/png;base64,AA","detail":"original"}}]}`),
			messages: `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA","detail":"high"}}]}]`,
		},
		{
			name: "G15 files",
			request: input(`{"role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AA"}]}`,
				`{"role":"user","content":[{"type":"input_file","filename":"b.pdf","file_url":"https://example.invalid/b.pdf"}]}`),
			messages: `[{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA"}}]},{"role":"user","content":"[file omitted: b.pdf]"}]`,
			repairs:  []string{RepairMedia},
		},
		{
			name:     "G16 a refusal in the history",
			request:  input(user, `{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`),
			messages: `[{"role":"user","content":"u"},{"role":"assistant","content":"no"}]`,
		},
		{
			name:     "a text input",
			request:  `{"model":"m","input":"hi <b>&\u2028"}`,
			messages: `[{"role":"user","content":"hi <b>&\u2028"}]`,
		},
		{
			name: "instructions as an array",
			request: `{"model":"m","instructions":["A",{"type":"input_text","text":"B"},{"role":"system","content":"C"}],
				"input":[` + user + `]}`,
			messages: `[{"role":"system","content":"A\n\nB\n\nC"},{"role":"user","content":"u"}]`,
		},
		{
			name:     "an image of the developer goes to the user",
			request:  input(`{"role":"developer","content":[{"type":"input_text","text":"d"},{"type":"input_image","image_url":"data:x"}]}`, user),
			messages: `[{"role":"system","content":"d"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}}]},{"role":"user","content":"u"}]`,
		},
		{
			name:     "a tool message without a call is the user's",
			request:  input(`{"role":"tool","content":"t"}`),
			messages: `[{"role":"user","content":"t"}]`,
		},
		{
			name:     "empty messages and unknown parts go",
			request:  input(user, `{"role":"user","content":""}`, `{"role":"user","content":[{"type":"future"},{"type":"input_text","text":"x"}]}`),
			messages: `[{"role":"user","content":"u"},{"role":"user","content":"x"}]`,
			repairs:  []string{RepairEmptyMessage, RepairUnknownPart},
		},
		{
			name:    "the last message holds only what nobody knows",
			request: input(user, `{"role":"user","content":[{"type":"future"}]}`),
			param:   "input[1]", code: responses.CodeUnsupportedValue,
		},
		{
			name:     "files by id, without a name, and where none are taken",
			request:  input(`{"role":"user","content":[{"type":"input_file","file_url":"https://example.invalid/c"},{"type":"file","file":{"filename":"d","file_data":"data:d"}},{"type":"input_file"}]}`),
			opt:      func(o *Options) { o.Dialect.NoFiles = true },
			messages: `[{"role":"user","content":"[file omitted: https://example.invalid/c]\n[file omitted: d]\n[file omitted: unnamed]"}]`,
		},
		{
			name:     "an image by id, and media of the assistant",
			request:  input(`{"role":"user","content":[{"type":"input_image","file_id":"file_1"}]}`, `{"role":"assistant","content":[{"type":"input_image","image_url":"data:x"},{"type":"input_file","file_id":"f"},{"type":"output_text","text":"t"}]}`),
			messages: `[{"role":"user","content":"[image omitted: its data is not in the conversation]"},{"role":"assistant","content":"t"}]`,
			repairs:  []string{RepairMedia, RepairUnknownPart},
		},
		{
			name:     "parts that are strings, a part that is alone, and content that is a number",
			request:  input(`{"role":"user","content":["a",{"type":"future_text","text":"b"}]}`, `{"role":"user","content":{"type":"input_text","text":"c"}}`, `"d"`, `{"role":"user","content":5}`),
			messages: `[{"role":"user","content":"a\nb"},{"role":"user","content":"c"},{"role":"user","content":"d"},{"role":"user","content":"5"}]`,
		},
		{
			name:     "an image for a model that sees none",
			request:  input(`{"role":"user","content":[{"type":"input_image","image_url":"data:x"}]}`),
			opt:      noVision,
			messages: `[{"role":"user","content":"[image omitted: the model takes text only]"}]`,
		},
	})
}

// noResult is the message that stands for a result that never came.
func noResult(id string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"[tool result unavailable: the call was interrupted; its effect is unknown]"}`
}

func TestG17ToG27_CallsAndResultsArePaired(t *testing.T) {
	t.Parallel()
	runRequests(t, []requestCase{
		{
			name: "G17 F01 arguments",
			request: input(functionCall("a", "f", ""), functionCall("b", "f", "{bad"),
				`{"type":"function_call","call_id":"c","name":"f","arguments":{"x":"\u00e9"}}`,
				functionCall("d", "f", `[1]`), callOutput("a", `"1"`), callOutput("b", `"2"`), callOutput("c", `"3"`), callOutput("d", `"4"`)),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{\"_raw\":\"{bad\"}"}},{"id":"c","type":"function","function":{"name":"f","arguments":"{\"x\":\"\\u00e9\"}"}},{"id":"d","type":"function","function":{"name":"f","arguments":"{\"_raw\":\"[1]\"}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"},{"role":"tool","tool_call_id":"c","content":"3"},{"role":"tool","tool_call_id":"d","content":"4"}]`,
			repairs:  []string{RepairArguments},
		},
		{
			name:     "G18 F23 text between a call and its result",
			request:  input(functionCall("a", "f", "{}"), `{"role":"assistant","content":"t"}`, callOutput("a", `"o"`)),
			messages: `[{"role":"assistant","content":"t","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"o"}]`,
		},
		{
			name:     "G19 F02 F44 results in another order, behind a message",
			request:  input(functionCall("a", "f", "{}"), functionCall("b", "f", "{}"), callOutput("b", `"2"`), user, callOutput("a", `"1"`)),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"},{"role":"user","content":"u"}]`,
		},
		{
			name:     "G20 F03 a call without a result",
			request:  input(functionCall("a", "f", "{}"), user),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"[tool result unavailable: the call was interrupted; its effect is unknown]"},{"role":"user","content":"u"}]`,
			repairs:  []string{RepairOrphanCall},
		},
		{
			name:     "G21 F02 a result without a call",
			request:  input(callOutput("gone", `"o"`), user),
			messages: `[{"role":"user","content":"[result of an earlier tool call gone] o"},{"role":"user","content":"u"}]`,
			repairs:  []string{RepairOrphanOutput},
		},
		{
			name:     "G22 a result without an id",
			request:  input(functionCall("", "f", "{}"), callOutput("", `"o"`)),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_0","content":"[tool result unavailable: the call was interrupted; its effect is unknown]"},{"role":"user","content":"[result of an earlier tool call] o"}]`,
			repairs:  []string{RepairCallID, RepairOrphanOutput},
		},
		{
			name: "G23 the same id in two turns, and a third without a result",
			request: input(functionCall("c", "f", "{}"), callOutput("c", `"1"`), functionCall("c", "g", "{}"), callOutput("c", `"2"`),
				callOutput("c", `"2b"`), functionCall("c", "h", "{}")),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"},{"role":"assistant","content":null,"tool_calls":[{"id":"c~2","type":"function","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c~2","content":"2b"},{"role":"assistant","content":null,"tool_calls":[{"id":"c~3","type":"function","function":{"name":"h","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c~3","content":"[tool result unavailable: the call was interrupted; its effect is unknown]"}]`,
			repairs:  []string{RepairDuplicateCallID, RepairDuplicateOutput, RepairOrphanCall},
		},
		{
			name: "G24 F30 images in the results of two calls",
			request: input(functionCall("a", "view_image", "{}"), functionCall("b", "view_image", "{}"),
				callOutput("a", `[{"type":"input_image","image_url":"data:1","detail":"high"}]`),
				callOutput("b", `[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"data:2"}]`), user),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"view_image","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"view_image","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"[image shown in the message after the tool results]"},{"role":"tool","tool_call_id":"b","content":"t\n[image shown in the message after the tool results]"},{"role":"user","content":[{"type":"text","text":"[image from the result of tool call a]"},{"type":"image_url","image_url":{"url":"data:1","detail":"high"}},{"type":"text","text":"[image from the result of tool call b]"},{"type":"image_url","image_url":{"url":"data:2"}}]},{"role":"user","content":"u"}]`,
		},
		{
			name:     "G25 images in results for a model that sees none",
			request:  input(functionCall("a", "view_image", "{}"), callOutput("a", `[{"type":"input_image","image_url":"data:1"}]`)),
			opt:      noVision,
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"view_image","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"[image omitted: the model takes text only]"}]`,
			repairs:  []string{RepairMedia},
		},
		{
			name:     "images dropped by the dialect",
			request:  input(functionCall("a", "view_image", "{}"), callOutput("a", `[{"type":"input_image","image_url":"data:1"}]`)),
			opt:      func(o *Options) { o.Dialect.ToolImage = dialect.ImageDrop },
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"view_image","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"[image omitted: this endpoint takes none from tools]"}]`,
		},
		{
			name:     "other JSON as a result, and none",
			request:  input(functionCall("a", "f", "{}"), functionCall("b", "f", "{}"), functionCall("c", "f", "{}"), callOutput("a", `{"k":"v\n"}`), callOutput("b", `null`), callOutput("c", `[1,"x"]`)),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"{\"k\":\"v\\n\"}"},{"role":"tool","tool_call_id":"b","content":""},{"role":"tool","tool_call_id":"c","content":"[1,\"x\"]"}]`,
		},
		{
			name: "G27 F24 a freeform call in the history",
			request: `{"model":"m","tools":[{"type":"custom","name":"apply_patch"}],"input":[
				{"type":"custom_tool_call","call_id":"a","name":"apply_patch","input":"*** Begin Patch\n\"x\"","status":"completed"},
				{"type":"custom_tool_call_output","call_id":"a","output":"Exit code: 0"}]}`,
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"apply_patch","arguments":"{\"input\":\"*** Begin Patch\\n\\\"x\\\"\"}"}}]},{"role":"tool","tool_call_id":"a","content":"Exit code: 0"}]`,
		},
		{
			name:     "F05 a call without a name takes it from its namesake, or goes with its result",
			request:  input(`{"type":"function_call","call_id":"a","name":"","arguments":"{}"}`, callOutput("a", `"o"`), user),
			messages: `[{"role":"user","content":"u"}]`,
			repairs:  []string{RepairNamelessCall},
		},
		{
			name: "F05 a call without a name takes that of its namesake", request: input(`{"type":"function_call","call_id":"a","arguments":"{}"}`, functionCall("b", "g", "{}"), functionCall("a", "f", "{}")),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}},{"id":"a~2","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				noResult("a") + "," + noResult("b") + "," + noResult("a~2") + `]`,
		},
		{
			name:     "F09 calls of a tool whose parameters are wrapped",
			request:  `{"model":"m","tools":[{"type":"function","name":"w","parameters":{"type":"array"}}],"input":[` + functionCall("a", "w", `[1]`) + "," + functionCall("b", "w", `{bad`) + "," + functionCall("c", "w", "") + `]}`,
			opt:      func(o *Options) { o.Dialect.Schema = dialect.SchemaObject },
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"w","arguments":"{\"value\":[1]}"}},{"id":"b","type":"function","function":{"name":"w","arguments":"{\"value\":\"{bad\"}"}},{"id":"c","type":"function","function":{"name":"w","arguments":"{\"value\":\"\"}"}}]},` + noResult("a") + "," + noResult("b") + "," + noResult("c") + `]`,
		},
		{
			name:     "a tool message with its call",
			request:  input(functionCall("a", "f", "{}"), `{"role":"tool","tool_call_id":"a","content":"o"}`),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"o"}]`,
		},
		{
			name:     "an image of a call that is gone",
			request:  input(callOutput("a", `[{"type":"input_image","image_url":"data:1"}]`)),
			messages: `[{"role":"user","content":[{"type":"text","text":"[result of an earlier tool call a]"},{"type":"image_url","image_url":{"url":"data:1"}}]}]`,
		},
		{
			name:     "files and sounds in results",
			request:  input(functionCall("a", "f", "{}"), callOutput("a", `[{"type":"input_file","filename":"x","file_id":"file_1"},{"type":"input_audio","input_audio":{"data":"AA","format":"wav"}}]`)),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"[file shown in the message after the tool results]\n[audio shown in the message after the tool results]"},{"role":"user","content":[{"type":"text","text":"[file from the result of tool call a]"},{"type":"file","file":{"filename":"x","file_id":"file_1"}},{"type":"text","text":"[audio from the result of tool call a]"},{"type":"input_audio","input_audio":{"data":"AA","format":"wav"}}]}]`,
		},
		{
			name:     "odd values of arguments and input",
			request:  input(`{"type":"function_call","call_id":"a","name":"f","arguments":7}`, `{"type":"function_call","call_id":"b","name":"f"}`, `{"type":"custom_tool_call","call_id":"c","name":"p","input":{"k":1}}`),
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"_raw\":7}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c","type":"function","function":{"name":"p","arguments":"{\"input\":\"{\\\"k\\\":1}\"}"}}]},` + noResult("a") + "," + noResult("b") + "," + noResult("c") + `]`,
		},
		{
			name:     "call ids for a strict upstream",
			request:  input(functionCall("view_image:24", "f", "{}"), callOutput("view_image:24", `"o"`)),
			opt:      func(o *Options) { o.Dialect.StrictIDs = true },
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"call_52bd86cc519d0d6b2695e2fb","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_52bd86cc519d0d6b2695e2fb","content":"o"}]`,
			repairs:  []string{RepairCallID},
		},
		{
			name: "a search for tools",
			request: `{"model":"m","tools":[{"type":"tool_search","execution":"client","parameters":{"type":"object","properties":{}}}],"input":[
				{"type":"tool_search_call","call_id":"s","execution":"client","arguments":{"query":"q"}},
				{"type":"tool_search_output","call_id":"s","tools":[{"type":"namespace","name":"mcp__x","tools":[{"type":"function","name":"y","parameters":{"type":"object","properties":{}}}]}]}]}`,
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"s","type":"function","function":{"name":"tool_search","arguments":"{\"query\":\"q\"}"}}]},{"role":"tool","tool_call_id":"s","content":"{\"tools\":[\"mcp__x__y\"]}"}]`,
			fields:   map[string]string{"tools": `[{"type":"function","function":{"name":"tool_search","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"mcp__x__y","parameters":{"type":"object","properties":{}}}}]`},
		},
		{
			name: "a shell nobody declared",
			request: input(`{"type":"local_shell_call","call_id":"a","action":{"command":["ls"]}}`,
				`{"type":"local_shell_call_output","call_id":"a","output":"o"}`),
			messages: `[{"role":"assistant","content":"[local_shell call a] {\"command\":[\"ls\"]}"},{"role":"user","content":"[result of an earlier tool call a] o"}]`,
		},
		{
			name: "a shell that was declared",
			request: `{"model":"m","tools":[{"type":"local_shell"}],"input":[{"type":"local_shell_call","call_id":"a","action":{"command":["ls"]}},
				{"type":"local_shell_call_output","call_id":"a","output":"o"}]}`,
			messages: `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"local_shell","arguments":"{\"command\":[\"ls\"]}"}}]},{"role":"tool","tool_call_id":"a","content":"o"}]`,
		},
	})
}

func TestG42G43_ReasoningGoesBack(t *testing.T) {
	t.Parallel()
	call, out := functionCall("a", "f", "{}"), callOutput("a", `"o"`)
	withCall := `"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"o"}`
	thought := `{"type":"reasoning","summary":[{"type":"summary_text","text":"S"}],"content":[{"type":"reasoning_text","text":"S"}],"encrypted_content":null}`
	runRequests(t, []requestCase{
		{
			name: "G42 F11 once, though it is there twice", request: input(thought, call, out),
			messages: `[{"role":"assistant","content":null,"reasoning_content":"S",` + withCall + `]`,
		},
		{
			name: "G42 empty reasoning makes no message", request: input(`{"type":"reasoning","summary":[],"content":null}`, user),
			messages: `[{"role":"user","content":"u"}]`,
		},
		{
			name: "G42 foreign state is left out", request: input(`{"type":"reasoning","summary":[],"encrypted_content":"ENC=="}`, user),
			messages: `[{"role":"user","content":"u"}]`, repairs: []string{RepairForeignState},
		},
		{
			name: "G43 F10 a placeholder where one is demanded", request: input(call, out, user, `{"role":"assistant","content":"t"}`, user),
			opt:      func(o *Options) { o.Dialect, _ = dialect.Named("kimi") },
			messages: `[{"role":"assistant","content":null,"reasoning_content":" ",` + withCall + `,{"role":"user","content":"u"},{"role":"assistant","content":"t"},{"role":"user","content":"u"}]`,
		},
		{
			name: "the answer behind calls keeps it, the next plain one does not",
			request: input(thought, call, out, `{"type":"reasoning","summary":[{"type":"summary_text","text":"A"}]}`, `{"role":"assistant","content":"t"}`,
				user, `{"type":"reasoning","summary":[{"type":"summary_text","text":"B"}]}`, `{"role":"assistant","content":"v"}`),
			messages: `[{"role":"assistant","content":null,"reasoning_content":"S",` + withCall + `,{"role":"assistant","content":"t","reasoning_content":"A"},{"role":"user","content":"u"},{"role":"assistant","content":"v"}]`,
		},
		{
			name: "several thoughts, each once",
			request: input(`{"type":"reasoning","summary":[{"type":"summary_text","text":"A"},{"type":"summary_text","text":"B"},{"type":"summary_text","text":""},{"type":"summary_text","text":"C"}]}`,
				thought, thought, call, out),
			messages: `[{"role":"assistant","content":null,"reasoning_content":"A\n\nB\n\nC\n\nS",` + withCall + `]`,
		},
		{
			name: "in a think block", request: input(thought, call, out),
			opt:      func(o *Options) { o.Dialect.Echo = dialect.EchoInlineThink },
			messages: `[{"role":"assistant","content":"<think>\nS\n</think>\n\n",` + withCall + `]`,
		},
		{
			name: "as reasoning", request: input(thought, call, out),
			opt:      func(o *Options) { o.Dialect, _ = dialect.Named("openrouter") },
			messages: `[{"role":"assistant","content":null,"reasoning":"S",` + withCall + `]`,
		},
		{
			name: "not at all", request: input(thought, call, out),
			opt:      func(o *Options) { o.Dialect, _ = dialect.Named("openai") },
			messages: `[{"role":"assistant","content":null,` + withCall + `]`,
		},
		{
			name: "refused before", request: input(thought, call, out),
			opt:      func(o *Options) { o.Omit = dialect.ReasoningEchoField },
			messages: `[{"role":"assistant","content":null,` + withCall + `]`,
		},
	})
}

func TestReasoningStateComesBackOnlyUnderItsKey(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef0123456789abcdef")
	blob := string(appendSeal(nil, key, []byte(`[{"type":"reasoning.encrypted","data":"x"}]`)))
	item := `{"type":"reasoning","summary":[{"type":"summary_text","text":"S"}],"encrypted_content":"` + blob + `"}`
	for _, c := range []struct {
		name, want string
		key        []byte
	}{
		{"own", `"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]`, key},
		{"another session's", `"reasoning":"S"`, []byte("another")},
		{"none", `"reasoning":"S"`, nil},
	} {
		opt := testOptions()
		opt.Dialect, opt.SealKey = named(t, "openrouter"), c.key
		fields, _, err := translated(t, opt, input(item, functionCall("a", "f", "{}"), callOutput("a", `"o"`)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(fields["messages"], []byte(c.want)) {
			t.Errorf("%s: %s", c.name, fields["messages"])
		}
	}
}

func TestG44_HistoryThatCannotBeTranslated(t *testing.T) {
	t.Parallel()
	drop := func(o *Options) { o.DropHostedHistory = true }
	search := `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}}`
	runRequests(t, []requestCase{
		{name: "a reference", request: input(`{"type":"item_reference","id":"x"}`), param: "input[0]"},
		{name: "a hosted call", request: input(user, search), param: "input[1]", code: responses.CodeUnsupportedValue},
		{name: "a hosted call that may go", request: input(user, search), opt: drop, messages: `[{"role":"user","content":"u"}]`, repairs: []string{RepairHostedCall}},
		{name: "a hosted call with output", request: input(user, `{"type":"file_search_call","results":[{"text":"x"}]}`), opt: drop, param: "input[1]"},
		{name: "a compaction", request: input(user, `{"type":"compaction","encrypted_content":"x"}`), param: "input[1]"},
		{name: "a snapshot", request: input(user, `{"type":"ghost_snapshot"}`), messages: `[{"role":"user","content":"u"}]`},
		{name: "a future item that says nothing", request: input(user, `{"type":"future","id":"x"}`), messages: `[{"role":"user","content":"u"}]`, repairs: []string{RepairUnknownItem}},
		{name: "a future item that says something", request: input(user, `{"type":"future","role":"user","content":"x"}`), messages: `[{"role":"user","content":"u"},{"role":"user","content":"x"}]`},
		{name: "a future call", request: input(user, `{"type":"future","call_id":"x"}`), param: "input[1]"},
		{name: "a future item, strictly", request: input(user, `{"type":"future"}`), opt: func(o *Options) { o.Strict = true }, param: "input[1]"},
		{name: "no input", request: `{"model":"m","input":[]}`, param: "input"},
		{name: "an item that is none", request: input(`7`), param: "input[0]"},
	})
}

// F28: what was sent once is sent again byte by byte, so that the upstream's cache holds.
func TestF28_PrefixStaysTheSame(t *testing.T) {
	t.Parallel()
	late := `{"role":"developer","content":"late notice"}`
	items := []string{
		`{"role":"developer","content":"base"}`, user, `{"type":"reasoning","summary":[{"type":"summary_text","text":"S"}]}`,
		functionCall("c", "f", `{"a": 1}`), callOutput("c", `[{"type":"input_image","image_url":"data:1"}]`), late,
		functionCall("c", "f", ""), callOutput("c", `"2"`), `{"role":"assistant","content":"t"}`, user,
	}
	opt := testOptions()
	opt.Dialect.System = dialect.UserTag
	var before string
	for n := 2; n <= len(items); n++ {
		if strings.HasPrefix(items[n-1], `{"type":"function_call",`) || strings.Contains(items[n-1], "reasoning") {
			continue // a request never ends with a call
		}
		fields, _, err := translated(t, opt, input(items[:n]...))
		if err != nil {
			t.Fatal(err)
		}
		now := string(fields["messages"])
		if !strings.HasPrefix(now, strings.TrimSuffix(before, "]")) {
			t.Fatalf("with %d items the prefix changed:\n%s\n%s", n, before, now)
		}
		before = now
	}
	if want := `<system_notice>\nlate notice\n</system_notice>`; !strings.Contains(before, want) {
		t.Errorf("no %s in %s", want, before)
	}
	if !strings.HasPrefix(before, `[{"role":"system","content":"base"}`) {
		t.Errorf("the first instruction moved: %s", before)
	}
}
