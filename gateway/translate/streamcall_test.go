package translate

import (
	"strconv"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
)

const argumentsDelta = "response.function_call_arguments.delta"

// neverDone checks that no call was finished.
func neverDone(t *testing.T, evs []event, _ *Stream) {
	for _, e := range evs {
		if e.Type == "response.output_item.done" && strings.HasSuffix(e.Item.Type, "_call") {
			t.Errorf("the call was finished: %+v", e.Item)
		}
	}
}

// manyCalls are calls with an id of their own each.
func manyCalls(n int) string {
	var all []string
	for i := range n {
		all = append(all, `{"id":"c`+strconv.Itoa(i)+`","function":{"name":"f","arguments":"{}"}}`)
	}
	return strings.Join(all, ",")
}

func TestG51ToG62_Calls(t *testing.T) {
	t.Parallel()
	one := `function_call a f {"x":1}`
	runStreams(t, []streamCase{
		{
			name: "G51 two calls at a time", end: "completed", output: []string{one, `function_call b g {"y":2}`},
			chunks: []string{piece(0, "a", "f", ""), piece(1, "b", "g", ""), piece(0, "", "", `{"x"`), piece(1, "", "", `{"y"`), piece(0, "", "", `:1}`), piece(1, "", "", `:2}`), finish("tool_calls")},
			check: func(t *testing.T, evs []event, _ *Stream) {
				ids := map[int]string{}
				for _, e := range evs {
					switch e.Type {
					case "response.output_item.added":
						ids[e.OutputIndex] = e.Item.ID
						if e.Item.Name == "" || e.Item.CallID == "" {
							t.Errorf("added as %+v", e.Item)
						}
					case argumentsDelta:
						if e.ItemID != ids[e.OutputIndex] {
							t.Errorf("a delta of %q for item %d", e.ItemID, e.OutputIndex)
						}
					}
				}
			},
		},
		{name: "G52 no index", end: "completed", output: []string{one, `function_call b g {"y":2}`}, chunks: []string{piece(-1, "a", "f", `{"x":1}`), piece(-1, "b", "g", `{"y":2}`), finish("tool_calls")}},
		{name: "G53 always index 0", end: "completed", output: []string{one, `function_call b g {}`}, chunks: []string{piece(0, "a", "f", `{"x":1}`), piece(0, "b", "g", `{}`), finish("tool_calls")}},
		{
			name: "G54 F05 blanks never overwrite", end: "completed", output: []string{one},
			chunks: []string{piece(0, "a", "f", `{"x"`), delta(`"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":":1"}}]`), delta(`"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":"}"}}]`), finish("tool_calls")},
		},
		{name: "G55 the name comes last", end: "completed", output: []string{one}, chunks: []string{piece(0, "", "", `{"x"`), piece(0, "", "", `:1}`), piece(0, "a", "f", ""), finish("tool_calls")}, check: wantDeltas(argumentsDelta, `{"x":1}`)},
		{name: "G56 F31 all so far each time", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x"`), piece(0, "a", "f", `{"x":1}`), piece(0, "a", "f", `{"x":1}`), finish("tool_calls")}, check: wantDeltas(argumentsDelta, `{"x"`, `:1}`)},
		{name: "G56 F31 pieces that repeat a letter", end: "completed", output: []string{`function_call a f {"a":"xx"}`}, chunks: []string{piece(0, "a", "f", `{"a":"x`), piece(0, "", "", `x`), piece(0, "", "", `"}`), finish("tool_calls")}},
		{name: "F31 an object in an object", end: "completed", output: []string{`function_call a f {"a":{"a":1}}`}, chunks: []string{piece(0, "a", "f", `{"a":`), piece(0, "", "", `{"a":1}}`), finish("tool_calls")}},
		{
			name: "F31 pieces only", end: "completed", output: []string{`function_call a f {"a":{"a":1}}`}, chunks: []string{piece(0, "a", "f", `{"a":`), piece(0, "", "", `{"a":1}`), piece(0, "", "", `}`), finish("tool_calls")},
			opt: func(o *Options) { o.Dialect.PlainArguments = true },
		},
		{name: "G57 F05 a call without a name", end: "failed upstream_tool_call_invalid", chunks: []string{piece(0, "a", " ", `{}`), finish("tool_calls")}, check: neverDone},
		{name: "F05 a call without a name beside text", end: "completed", output: []string{"completed message t"}, chunks: []string{content("t"), piece(0, "a", "", `{}`), finish("tool_calls")}, check: neverDone},
		{name: "G58 no arguments", end: "completed", output: []string{"function_call a f {}"}, chunks: []string{piece(0, "a", "f", ""), finish("tool_calls")}},
		{name: "no arguments but space", end: "completed", output: []string{"function_call a f {}"}, chunks: []string{piece(0, "a", "f", " \n"), finish("tool_calls")}},
		{name: "G59 F24 a freeform tool", end: "completed", output: []string{"custom_tool_call a p raw"}, chunks: []string{piece(0, "a", "p", `{"inp`), piece(0, "", "", `ut":"raw\n"}`), finish("tool_calls")}, check: wantDeltas("response.custom_tool_call_input.delta", "raw\n")},
		{name: "a freeform tool with another property", end: "completed", output: []string{"custom_tool_call a p raw"}, chunks: []string{piece(0, "a", "p", `{"patch":"raw","n":1}`), finish("tool_calls")}},
		{name: "a freeform tool without a wrapper", end: "completed", output: []string{"custom_tool_call a p *** raw"}, chunks: []string{piece(0, "a", "p", `*** raw`), finish("tool_calls")}},
		{
			name: "a freeform tool in a fence", opt: func(o *Options) { o.Dialect.StripFences = true }, end: "completed", output: []string{"custom_tool_call a p raw"},
			chunks: []string{piece(0, "a", "p", "{\"input\":\"```diff\\nraw\\n```\"}"), finish("tool_calls")},
		},
		{name: "G60 F21 a tool of a namespace", end: "completed", output: []string{"function_call a mcp__fs/read_file {}"}, chunks: []string{piece(0, "a", "mcp__fs__read_file", `{}`), finish("tool_calls")}},
		{name: "G60 the bare name", end: "completed", output: []string{"function_call a mcp__fs/read_file {}"}, chunks: []string{piece(0, "a", "read_file", `{}`), finish("tool_calls")}},
		{name: "G60 a name nobody declared", end: "completed", output: []string{"function_call a mcp__y__z {}"}, chunks: []string{piece(0, "a", "mcp__y__z", `{}`), finish("tool_calls")}},
		{name: "a search for tools", end: "completed", output: []string{`tool_search_call a  {"query":"q"}`}, chunks: []string{piece(0, "a", "tool_search", `{"query":"q"}`), finish("tool_calls")}},
		{name: "G61 G85 F19 the stream ends within a call", end: "failed upstream_stream_error", chunks: []string{content("t"), piece(0, "a", "f", `{"x":1}`), "EOF"}, output: []string{"completed message t"}, check: neverDone},
		{name: "an error behind a call", end: "failed server_error", chunks: []string{piece(0, "a", "f", `{"x":1}`), `{"error":{"message":"x"}}`}, check: neverDone},
		{name: "G62 the limit within a call, and another finish behind it", end: "incomplete max_output_tokens", chunks: []string{piece(0, "a", "f", `{"x":1}`), finish("length"), finish("tool_calls")}, check: neverDone},
		{
			name: "G74 a name and an id that tell the key", end: "completed", output: []string{"function_call [redacted] x-[redacted] {}"}, chunks: []string{piece(0, "secret", "x-secret", `{}`), finish("tool_calls")},
			opt: func(o *Options) {
				o.RedactText = func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") }
			},
		},
		{name: "G62 the limit within a call", end: "incomplete max_output_tokens", chunks: []string{piece(0, "a", "f", `{"x"`), finish("length")}, check: neverDone},
		{name: "the limit behind a whole call", end: "incomplete max_output_tokens", chunks: []string{piece(0, "a", "f", `{"x":1}`), finish("length")}, check: neverDone},
		{name: "the filter behind a call", end: "failed invalid_prompt", chunks: []string{piece(0, "a", "f", `{"x":1}`), finish("content_filter")}, check: neverDone},
		{name: "a marker behind half a call", end: "failed upstream_stream_error", chunks: []string{content("t"), piece(0, "a", "f", `{"x"`)}, output: []string{"completed message t"}, check: neverDone},
		{name: "a marker behind a whole call", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x":1}`)}},
		{name: "finish stop with a call", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x":1}`), finish("stop")}},
		{name: "the whole call and the finish in one chunk", end: "completed", output: []string{one}, chunks: []string{`{"choices":[{"delta":{"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}]}`}},
		{name: "arguments as an object", end: "completed", output: []string{`function_call a f {"x": 1}`}, chunks: []string{delta(`"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x": 1}}}]`), finish("stop")}},
		{
			name: "no id at all", end: "completed", chunks: []string{piece(0, "", "f", `{"x":1}`), finish("stop")}, output: []string{`function_call call_2 f {"x":1}`},
		},
		{name: "calls without function around them", end: "completed", output: []string{one}, chunks: []string{delta(`"tool_calls":[{"index":0,"id":"a","name":"f","arguments":"{\"x\":1}"}]`), finish("stop")}},
		{name: "custom around them", end: "completed", output: []string{"custom_tool_call a p raw"}, chunks: []string{delta(`"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"p","input":"raw"}}]`), finish("stop")}},
		{name: "an id that is a number", end: "completed", output: []string{`function_call 7 f {"x":1}`}, chunks: []string{delta(`"tool_calls":[{"id":7,"function":{"name":"f","arguments":"{\"x\":1}"}}]`), finish("stop")}},
		{name: "calls without end", end: "failed upstream_stream_error", chunks: []string{delta(`"tool_calls":[` + strings.Repeat(`{"id":"a","function":{"name":"f"}},{"id":"b","function":{"name":"f"}},`, 10) + manyCalls(1100) + `]`)}, check: neverDone},
		{
			name: "two calls without index and id", end: "completed", output: []string{`function_call call_2 f {"x":1}`, `function_call call_3 f {"x":1}`},
			chunks: []string{delta(`"tool_calls":[{"function":{"name":"f","arguments":{"x":1}}},{"function":{"name":"f","arguments":{"x":1}}}]`), finish("stop")},
		},
		{
			name: "one after the other, and the last one twice", end: "completed", output: []string{`function_call call_2 f {"x":1}`, `function_call call_3 g {}`},
			chunks: []string{piece(-1, "", "f", `{"x":1}`), piece(-1, "", "g", `{}`), piece(-1, "", "g", `{}`), finish("stop")},
		},
		{name: "an object behind pieces", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x":1`), delta(`"tool_calls":[{"index":0,"function":{"arguments":{"long":"object"}}}]`), piece(0, "", "", `}`), finish("stop")}},
		{
			name: "F09 a wrapped tool called without arguments, and without the wrapper", opt: func(o *Options) { o.Dialect.Schema = dialect.SchemaObject }, end: "completed",
			output: []string{"function_call a w {}", "function_call b w [1]", `function_call c w [2]`},
			chunks: []string{piece(0, "a", "w", ""), piece(1, "b", "w", "[1]"), piece(2, "c", "w", `{"value":[2]}`), finish("stop")},
		},
		{name: "the name in pieces", end: "completed", output: []string{`function_call a read {}`}, chunks: []string{piece(0, "a", "re", ""), piece(0, "", "ad", ""), piece(0, "", "", "{}"), finish("stop")}},
		{name: "the name growing", end: "completed", output: []string{`function_call a read {}`}, chunks: []string{piece(0, "a", "re", ""), piece(0, "", "read", ""), piece(0, "", "", "{}"), finish("stop")}},
		{name: "a comma too many", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x":1,`), piece(0, "", "", ` }`), finish("stop")}, check: wantDeltas(argumentsDelta, `{"x":1`, `}`)},
		{name: "brackets missing", end: "completed", output: []string{`function_call a f {"x":[1]}`}, chunks: []string{piece(0, "a", "f", `{"x":[1`), finish("stop")}},
		{name: "beyond repair", end: "completed", output: []string{`function_call a f {"x":"1`}, chunks: []string{piece(0, "a", "f", `{"x":"1`), finish("stop")}},
		{name: "the form before there were several", end: "completed", output: []string{`function_call call_2 f {"x":1}`}, chunks: []string{delta(`"function_call":{"name":"f","arguments":""}`), delta(`"function_call":{"arguments":"{\"x\":1}"}`), finish("function_call")}},
		{
			name: "the whole message again", end: "completed", output: []string{one},
			chunks: []string{piece(0, "a", "f", `{"x":1}`), `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}]}`},
		},
		{
			name: "the whole message again without ids", end: "completed", output: []string{one, "function_call b g {}"},
			chunks: []string{piece(0, "a", "f", `{"x":1}`), piece(1, "b", "g", `{}`), `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":1}"}},{"function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`},
		},
		{
			name: "G75 text, call, text", end: "completed", output: []string{"completed message one", `function_call a f {"x":1}`, "completed message two"},
			chunks: []string{content("one"), piece(0, "a", "f", `{"x":1}`), content("two"), finish("stop")},
		},
		{name: "space in front of a call is no message", end: "completed", output: []string{one}, chunks: []string{content("\n\n"), piece(0, "a", "f", `{"x":1}`), finish("tool_calls")}},
		{name: "reasoning in front of a call", end: "completed", output: []string{"reasoning r", one}, chunks: []string{delta(`"reasoning":"r"`), piece(0, "a", "f", `{"x":1}`), finish("tool_calls")}},
	})
}

func TestG76_LargeArgumentsInOneChunk(t *testing.T) {
	t.Parallel()
	s := newStream(t, testOptions(), streamRequest)
	big := `{"x":"` + strings.Repeat("y", 70<<10) + `"}`
	evs := events(t, feed(s, piece(0, "a", "f", big), finish("tool_calls")))
	if got := evs[len(evs)-1].Response.Output[0].Arguments; string(got) != big {
		t.Errorf("%d bytes", len(got))
	}
}

func TestG28_FreeformToolOfANamespaceComesBack(t *testing.T) {
	t.Parallel()
	s := newStream(t, testOptions(), `{"model":"m","stream":true,"input":[{"type":"additional_tools","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec"}]}]},`+user+`]}`)
	evs := events(t, feed(s, piece(0, "a", "functions__exec", `{"input":"text(1)"}`), finish("tool_calls")))
	if got := evs[len(evs)-1].Response.Output[0].String(); got != "custom_tool_call a functions/exec text(1)" {
		t.Error(got)
	}
}

func TestF09_WrappedParametersAreUnwrapped(t *testing.T) {
	t.Parallel()
	opt := testOptions()
	opt.Dialect.Schema = dialect.SchemaObject
	s := newStream(t, opt, `{"model":"m","stream":true,"input":"u","tools":[{"type":"function","name":"f","parameters":{"anyOf":[{"type":"object"},{"type":"array"}]}}]}`)
	evs := events(t, feed(s, piece(0, "a", "f", `{"value":{"k"`), piece(0, "", "", `:[1]}}`), finish("tool_calls")))
	if got := evs[len(evs)-1].Response.Output[0].Arguments; got != `{"k":[1]}` {
		t.Error(got)
	}
}

// secretFilter replaces "secret" across pieces, holding back what may become it.
type secretFilter struct{ held []byte }

func (f *secretFilter) Append(dst, text []byte) []byte {
	all := strings.ReplaceAll(string(f.held)+string(text), "secret", "[redacted]")
	n := 0
	for i := 1; i < len("secret") && i <= len(all); i++ {
		if strings.HasSuffix(all, "secret"[:i]) {
			n = i
		}
	}
	f.held = []byte(all[len(all)-n:])
	return append(dst, all[:len(all)-n]...)
}

func (f *secretFilter) Flush(dst []byte) []byte {
	dst = append(dst, f.held...)
	f.held = nil
	return dst
}

// G74: what has to be hidden is hidden wherever the upstream puts it, and the pieces still make up the whole.
func TestG74_EveryTextGoesThroughTheFilter(t *testing.T) {
	t.Parallel()
	opt := testOptions()
	opt.Redact = func() Filter { return &secretFilter{} }
	opt.RedactText = func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") }
	s := newStream(t, opt, streamRequest)
	out := feed(s, delta(`"reasoning":"a sec"`), delta(`"reasoning":"ret"`), content("b s"), content("ec"), content("ret s"),
		piece(0, "a", "f", `{"x":"sec`), piece(0, "", "", `ret"}`), piece(1, "b", "p", `{"input":"se`), piece(1, "", "", `cret"}`),
		piece(2, "c", "tool_search", `{"query":"secret"}`), finish("tool_calls"))
	if strings.Contains(string(out), "secret") {
		t.Errorf("%s", out)
	}
	evs := events(t, out)
	var got []string
	for _, it := range evs[len(evs)-1].Response.Output {
		got = append(got, it.String())
	}
	want := []string{"reasoning a [redacted]", "completed message b [redacted] s", `function_call a f {"x":"[redacted]"}`, "custom_tool_call b p [redacted]", `tool_search_call c  {"query":"[redacted]"}`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}
