package translate

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
)

const (
	textDelta    = "response.output_text.delta"
	summaryDelta = "response.reasoning_summary_text.delta"
)

func TestG45_TextStream(t *testing.T) {
	t.Parallel()
	s := newStream(t, testOptions(), streamRequest)
	evs := events(t, feed(s, delta(`"role":"assistant","content":""`), content("Hel"), content("lo"), finish("stop"),
		`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":1}}}`))
	want := `response.created response.in_progress response.output_item.added response.content_part.added response.output_text.delta
		response.output_text.delta response.output_text.done response.content_part.done response.output_item.done response.completed`
	var got []string
	for _, e := range evs {
		got = append(got, e.Type)
	}
	if strings.Join(got, " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("events %q", got)
	}
	u := evs[len(evs)-1].Response.Usage
	if u.Input != 10 || u.Output != 2 || u.Total != 12 || u.Details.Cached != 4 || u.OutputDetails.Reasoning != 1 {
		t.Errorf("usage %+v", u)
	}
}

func TestG46ToG50_Reasoning(t *testing.T) {
	t.Parallel()
	both := []string{"reasoning a", "completed message b"}
	then := func(first string) []string { return []string{first, content("b"), finish("stop")} }
	runStreams(t, []streamCase{
		{
			name: "G46 reasoning_content", chunks: then(delta(`"reasoning_content":"a"`)), output: both, end: "completed",
			check: func(t *testing.T, evs []event, _ *Stream) {
				done, added := -1, -1
				for i, e := range evs {
					if e.Type == "response.output_item.done" && e.Item.Type == "reasoning" && e.OutputIndex == 0 {
						done = i
					}
					if e.Type == "response.output_item.added" && e.Item.Type == "message" && e.OutputIndex == 1 {
						added = i
					}
				}
				if done < 0 || added < done {
					t.Errorf("reasoning done at %d, message added at %d", done, added)
				}
			},
		},
		{name: "G47 an object", chunks: then(delta(`"reasoning":{"content":"a"}`)), output: both, end: "completed"},
		{name: "G47 a string", chunks: then(delta(`"reasoning":"a"`)), output: both, end: "completed"},
		{name: "G47 details", chunks: then(delta(`"reasoning_details":[{"type":"reasoning.text","text":"a"}]`)), output: both, end: "completed"},
		{name: "G47 thinking", chunks: then(delta(`"thinking":"a"`)), output: both, end: "completed"},
		{name: "the same under two names", chunks: then(delta(`"reasoning":"a","reasoning_content":"a","reasoning_details":[{"text":"a"}]`)), output: both, end: "completed"},
		{
			name: "G48 a think block in pieces", chunks: []string{content("<thi"), content("nk>x</thi"), content("nk>\n\ny"), finish("stop")},
			output: []string{"reasoning x", "completed message y"}, end: "completed",
			check: func(t *testing.T, evs []event, s *Stream) {
				wantDeltas(textDelta, "y")(t, evs, s)
				wantDeltas(summaryDelta, "x")(t, evs, s)
			},
		},
		{
			name: "G48 reasoning of a block is streamed", chunks: []string{content(" \n<think>one "), content("two <"), content("b> three"), content("</think>y"), finish("stop")},
			output: []string{"reasoning one two <b> three", "completed message y"}, end: "completed",
			check: wantDeltas(summaryDelta, "one ", "two ", "<b> three"),
		},
		{
			name: "G49 a block that is not closed", chunks: []string{content("<think>x"), finish("stop"), "EOF"},
			end: "failed upstream_empty_response",
		},
		{
			name: "G49 made text of where that is wanted", chunks: []string{content("<think>x"), finish("stop")}, opt: func(o *Options) { o.PromoteReasoning = true },
			output: []string{"reasoning x", "completed message x"}, end: "completed",
		},
		{name: "G50 a tag later in the text", chunks: []string{content("a <think> b"), finish("stop")}, output: []string{"completed message a <think> b"}, end: "completed"},
		{name: "F33 a call in the text is text", chunks: []string{content(`<tool_call>{"name":"f"}</tool_call>`), finish("stop")}, output: []string{`completed message <tool_call>{"name":"f"}</tool_call>`}, end: "completed"},
		{name: "G50 half a tag", chunks: []string{content("<thi"), content("s"), finish("stop")}, output: []string{"completed message <this"}, end: "completed"},
		{name: "half a tag at the end", chunks: []string{content("<thin"), finish("stop")}, output: []string{"completed message <thin"}, end: "completed"},
		{
			name: "blocks anywhere", opt: func(o *Options) { o.Dialect.Think = dialect.ThinkAnywhere },
			chunks: []string{content("<think>a</think>b<th"), content("ink>c</think>d"), finish("stop")},
			output: []string{"reasoning a", "completed message b", "reasoning c", "completed message d"}, end: "completed",
		},
		{
			name: "a block whose opening tag the template swallowed", opt: func(o *Options) { o.Dialect.Think = dialect.ThinkOpen },
			chunks: []string{content("a"), content("b</th"), content("ink>\nc"), finish("stop")},
			output: []string{"reasoning ab", "completed message c"}, end: "completed",
		},
		{
			name: "a long one in pieces", opt: func(o *Options) { o.Dialect.Think = dialect.ThinkOpen },
			chunks: append(strings.Split(strings.Repeat(content("0123456789")+"\n", 200), "\n")[:200], content("</th"), content("ink>c"), finish("stop")),
			output: []string{"reasoning " + strings.Repeat("0123456789", 200), "completed message c"}, end: "completed",
		},
		{
			name: "much space in front", chunks: append(strings.Split(strings.Repeat(content("          ")+"\n", 200), "\n")[:200], content("c"), finish("stop")),
			output: []string{"completed message " + strings.Repeat(" ", 2000) + "c"}, end: "completed",
		},
		{
			name: "no block after all", opt: func(o *Options) { o.Dialect.Think = dialect.ThinkOpen },
			chunks: []string{content("a"), content("b"), finish("stop")}, output: []string{"completed message ab"}, end: "completed",
		},
		{
			name: "thinking between words", chunks: []string{delta(`"reasoning":"a"`), content("b"), delta(`"reasoning":"c"`), content("d"), finish("stop")},
			output: []string{"reasoning a", "completed message b", "reasoning c", "completed message d"}, end: "completed",
		},
	})
}

func TestReasoningIsContentUnlessASummaryIsWanted(t *testing.T) {
	t.Parallel()
	s := newStream(t, testOptions(), `{"model":"m","stream":true,"input":"u"}`)
	evs := events(t, feed(s, delta(`"reasoning":"a"`), content("b"), finish("stop")))
	it := evs[len(evs)-1].Response.Output[0]
	if len(it.Content) != 1 || it.Content[0].Text != "a" || len(it.Summary) != 0 {
		t.Errorf("%+v", it)
	}
}

func TestReasoningStateTravelsSealed(t *testing.T) {
	t.Parallel()
	opt := testOptions()
	opt.Dialect, opt.SealKey = named(t, "openrouter"), []byte("key")
	s := newStream(t, opt, `{"model":"m","stream":true,"input":"u","include":["reasoning.encrypted_content"]}`)
	evs := events(t, feed(s, delta(`"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}]`),
		delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]`), content("b"), finish("stop")))
	blob := evs[len(evs)-1].Response.Output[0].Encrypted
	state, ok := openSeal(opt.SealKey, []byte(blob))
	if want := `[{"type":"reasoning.text","text":"a"},{"type":"reasoning.encrypted","data":"x"}]`; !ok || string(state) != want {
		t.Errorf("%q gives %s", blob, state)
	}
}

// State without any text gets an item, and state around the text comes back in one list.
func TestReasoningStateWithoutTextTravelsToo(t *testing.T) {
	t.Parallel()
	opt := testOptions()
	opt.Dialect, opt.SealKey = named(t, "openrouter"), []byte("key")
	const ask = `"include":["reasoning.encrypted_content"],"reasoning":{"summary":"auto"}`
	s := newStream(t, opt, `{"model":"m","stream":true,"input":"u",`+ask+`}`)
	evs := events(t, feed(s, delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"1"}]`), content("b"),
		delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"2"}]`), piece(0, "a", "f", "{}"), finish("stop")))
	var items []string
	for _, e := range evs {
		if e.Type == "response.output_item.done" && e.Item.Type == "reasoning" {
			items = append(items, `{"type":"reasoning","summary":[],"encrypted_content":"`+e.Item.Encrypted+`"}`)
		}
	}
	items = append(items, functionCall("a", "f", "{}"), callOutput("a", `"o"`))
	fields, _, err := translated(t, opt, input(items...))
	if err != nil {
		t.Fatal(err)
	}
	if want := `"reasoning_details":[{"type":"reasoning.encrypted","data":"1"},{"type":"reasoning.encrypted","data":"2"}]`; !strings.Contains(string(fields["messages"]), want) {
		t.Errorf("%s", fields["messages"])
	}
}

func TestG63ToG71_EndsOfAStream(t *testing.T) {
	t.Parallel()
	runStreams(t, []streamCase{
		{
			name: "G63 cut by the limit", chunks: []string{content("part"), finish("length"), usageChunk}, output: []string{"incomplete message part"}, end: "incomplete max_output_tokens",
			check: func(t *testing.T, evs []event, _ *Stream) {
				if u := evs[len(evs)-1].Response.Usage; u == nil || u.Total != 12 {
					t.Errorf("usage %+v", u)
				}
			},
		},
		{name: "G64 the filter", chunks: []string{content("part"), finish("content_filter")}, output: []string{"incomplete message part"}, end: "failed invalid_prompt"},
		{name: "G63 the limit, and stop behind it", chunks: []string{content("part"), finish("length"), finish("stop")}, output: []string{"incomplete message part"}, end: "incomplete max_output_tokens"},
		{name: "G64 the filter, and stop behind it", chunks: []string{content("part"), finish("content_filter"), finish("stop"), usageChunk}, output: []string{"incomplete message part"}, end: "failed invalid_prompt"},
		{name: "stop, and another reason behind it", chunks: []string{content("part"), finish("stop"), finish("length")}, output: []string{"incomplete message part"}, end: "incomplete max_output_tokens"},
		{name: "an error as finish", chunks: []string{content("part"), finish("error")}, end: "failed server_error"},
		{name: "another finish with text", chunks: []string{content("x"), finish("weird")}, output: []string{"completed message x"}, end: "completed"},
		{name: "F20 no marker", chunks: []string{content("x"), finish("stop"), "EOF"}, output: []string{"completed message x"}, end: "completed"},
		{name: "F19 a marker without finish", chunks: []string{content("x")}, output: []string{"completed message x"}, end: "completed"},
		{name: "F19 the end without finish", chunks: []string{content("x"), "EOF"}, end: "failed upstream_stream_error"},
		{name: "F19 an empty finish is none", chunks: []string{content("x"), finish(""), "EOF"}, end: "failed upstream_stream_error"},
		{name: "G71 F19 F42 a marker alone", end: "failed upstream_stream_error"},
		{name: "F42 nothing at all", chunks: []string{"EOF"}, end: "failed upstream_stream_error"},
		{name: "an empty answer", chunks: []string{content(""), finish("stop")}, end: "failed upstream_empty_response"},
		{name: "nothing but space", chunks: []string{content("\n\n"), finish("stop")}, end: "failed upstream_empty_response"},
		{name: "G77 a refusal", chunks: []string{delta(`"refusal":"no"`), finish("stop")}, output: []string{"completed message no"}, end: "completed"},
		{
			name: "G65 an error in the stream", chunks: []string{content("a"), `{"error":{"message":"limit key=secret-value, try again in 3s","code":429}}`}, end: "failed rate_limit_exceeded",
			opt: func(o *Options) {
				o.RedactText = func(s string) string { return strings.ReplaceAll(s, "secret-value", "[redacted]") }
			},
			check: func(t *testing.T, evs []event, _ *Stream) {
				m := evs[len(evs)-1].Response.Error.Message
				if strings.Contains(m, "secret") || !strings.Contains(m, "try again in 3s") || strings.Count(m, "try again") != 1 {
					t.Error(m)
				}
			},
		},
		{
			name: "G65 a limit that names no time", chunks: []string{`{"error":{"message":"Too many requests","code":"rate_limit_exceeded"}}`}, end: "failed rate_limit_exceeded",
			check: func(t *testing.T, evs []event, _ *Stream) {
				if m := evs[len(evs)-1].Response.Error.Message; m != "Upstream: Too many requests. Please try again in 10s." {
					t.Error(m)
				}
			},
		},
		{
			name: "G66 an event called error", chunks: []string{content("a"), `error: {"message":"overloaded"}`}, end: "failed server_error",
			check: func(t *testing.T, evs []event, _ *Stream) {
				if m := evs[len(evs)-1].Response.Error.Message; m != "Upstream: overloaded" {
					t.Error(m)
				}
			},
		},
		{name: "an error as a string", chunks: []string{content("a"), `{"error":"context length exceeded"}`}, end: "failed context_length_exceeded"},
		{name: "base_resp", chunks: []string{content("a"), `{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`}, end: "failed insufficient_quota"},
		{name: "base_resp that is fine", chunks: []string{`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"base_resp":{"status_code":0,"status_msg":""}}`}, output: []string{"completed message a"}, end: "completed"},
		{name: "some lines that are no JSON", chunks: []string{"ping", content("a"), "x", "{", finish("stop")}, output: []string{"completed message a"}, end: "completed"},
		{name: "too many of them", chunks: []string{content("a"), "1", "2", "3", "4", "5", "6"}, end: "failed upstream_stream_error"},
		{
			name: "G69 F13 F14 loose types", output: []string{"completed message ab"}, end: "completed",
			chunks: []string{`{"created":"1","choices":[{"index":null,"delta":null}]}`, `{"choices":null,"usage":null}`, `{"choices":[]}`,
				`{"choices":[{"index":"0","delta":{"content":[{"type":"text","text":"a"}],"role":"assistant","tool_calls":null}}]}`,
				`{"choices":[{"index":1,"delta":{"content":"other"}},{"delta":{"content":"b"}}]}`, `{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":"10","completion_tokens":2.0,"prompt_tokens_details":null,"completion_tokens_details":{}}}`},
			check: func(t *testing.T, evs []event, _ *Stream) {
				if u := evs[len(evs)-1].Response.Usage; u.Input != 10 || u.Output != 2 || u.Total != 12 {
					t.Errorf("usage %+v", u)
				}
			},
		},
		{
			name: "text and usage behind the finish", chunks: []string{content("a"), finish("stop"), content("b"), usageChunk}, output: []string{"completed message ab"}, end: "completed",
		},
		{
			name:   "the whole message in the last chunk",
			chunks: []string{content("Hel"), `{"choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`}, output: []string{"completed message Hello"}, end: "completed",
		},
		{name: "a whole message that says something else", chunks: []string{content("Hel"), `{"choices":[{"message":{"content":"Goodbye"},"finish_reason":"stop"}]}`}, output: []string{"completed message Hel"}, end: "completed"},
		{
			name: "Finished and Progress", chunks: []string{content("a"), finish("stop"), "EOF"}, output: []string{"completed message a"}, end: "completed",
			check: func(t *testing.T, _ []event, s *Stream) {
				if fresh := newStream(t, testOptions(), streamRequest); fresh.Finished() || fresh.Progress() || !s.Finished() || !s.Progress() {
					t.Error("not as it is")
				}
			},
		},
		{name: "an old completion", chunks: []string{`{"choices":[{"text":"a"}]}`, finish("stop")}, output: []string{"completed message a"}, end: "completed"},
	})
}

// Codex shows no tokens and never compacts without usage.
func TestUsageIsEstimatedWhenThereIsNone(t *testing.T) {
	t.Parallel()
	s := newStream(t, testOptions(), streamRequest)
	feed(s, content("12345678"), finish("stop"))
	o := s.Outcome()
	if !o.Estimated || o.Usage.Output != 2 || o.Usage.Input < 100 || o.Usage.Total != o.Usage.Input+2 {
		t.Errorf("%+v", o)
	}
}

func TestG70_UsageInEverySpelling(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][5]int64{
		`{"prompt_tokens":5,"completion_tokens":6,"prompt_tokens_details":{},"completion_tokens_details":null}`:    {5, 6, 11, 0, 0},
		`{"prompt_tokens":5,"completion_tokens":6,"total_tokens":20,"prompt_cache_hit_tokens":3}`:                  {5, 6, 20, 3, 0},
		`{"input_tokens":5,"output_tokens":6,"cache_read_input_tokens":2,"reasoning_tokens":4}`:                    {5, 6, 11, 2, 4},
		`{"prompt_tokens":5,"completion_tokens":6,"cached_tokens":1}`:                                              {5, 6, 11, 1, 0},
		`{"prompt_tokens":-5,"completion_tokens":"x","total_tokens":null}`:                                         {0, 0, 0, 0, 0},
		`{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807,"total_tokens":-1}`:          {1<<53 - 1, 1<<53 - 1, 1<<53 - 1, 0, 0},
		`{"prompt_tokens":1e400,"completion_tokens":0,"cached_tokens":[],"total_tokens":{}}`:                       {0, 0, 0, 0, 0},
		`{"prompt_tokens":0,"completion_tokens":true,"prompt_tokens_details":[1],"completion_tokens_details":"x"}`: {0, 0, 0, 0, 0},
	} {
		s := newStream(t, testOptions(), streamRequest)
		evs := events(t, feed(s, content("a"), `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":`+raw+`}`))
		u := evs[len(evs)-1].Response.Usage
		got := [5]int64{int64(u.Input), int64(u.Output), int64(u.Total), int64(u.Details.Cached), int64(u.OutputDetails.Reasoning)}
		if got != want {
			t.Errorf("%s gives %v, want %v", raw, got, want)
		}
	}
}

func TestG72F16F17_KeepAliveIsAnEventThatCounts(t *testing.T) {
	t.Parallel()
	s := newStream(t, testOptions(), streamRequest)
	out := s.KeepAlive(s.KeepAlive(nil))
	out = s.Data(out, []byte(content("a")))
	out = s.KeepAlive(out)
	out = append(out, feed(s, finish("stop"))...)
	n := 0
	for _, e := range events(t, out) {
		if e.Type == "response.in_progress" {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d events", n)
	}
}
