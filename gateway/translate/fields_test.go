package translate

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// with makes a request with more top-level fields.
func with(fields string) string {
	return `{"model":"m","stream":true,"input":"u",` + fields + `}`
}

func TestG35ToG41_FieldsReachOnlyWhoTakesThem(t *testing.T) {
	t.Parallel()
	optional := with(`"store":false,"prompt_cache_key":"k","service_tier":"flex","text":{"verbosity":"low"},"metadata":{"a":"b"},"user":"x"`)
	runRequests(t, []requestCase{
		{
			name: "G36 F34 optional fields by default", request: optional,
			fields: map[string]string{"store": "", "prompt_cache_key": "", "service_tier": "", "verbosity": "", "metadata": "", "user": ""},
		},
		{
			name: "G36 optional fields where they are taken", request: optional, opt: withDialect("openai"),
			fields: map[string]string{"store": "false", "prompt_cache_key": `"k"`, "service_tier": `"flex"`, "verbosity": `"low"`, "metadata": `{"a":"b"}`, "user": `"x"`},
		},
		{name: "G37 deepseek", request: with(`"reasoning":{"effort":"xhigh"}`), opt: withDialect("deepseek"), fields: map[string]string{"reasoning_effort": `"max"`}},
		{name: "G37 openrouter", request: with(`"reasoning":{"effort":"xhigh"}`), opt: withDialect("openrouter"), fields: map[string]string{"reasoning": `{"effort":"xhigh"}`, "reasoning_effort": ""}},
		{name: "G37 unknown host", request: with(`"reasoning":{"effort":"xhigh"}`), fields: map[string]string{"reasoning_effort": `"xhigh"`}},
		{name: "G37 unknown effort", request: with(`"reasoning":{"effort":"turbo"}`), fields: map[string]string{"reasoning_effort": ""}},
		{name: "G37 kimi", request: with(`"reasoning":{"effort":"none"}`), opt: withDialect("kimi"), fields: map[string]string{"thinking": `{"type":"disabled"}`}},
		{name: "G37 glm", request: with(`"reasoning":{"effort":"low"}`), opt: withDialect("glm"), fields: map[string]string{"thinking": `{"type":"enabled"}`}},
		{name: "G37 qwen", request: with(`"reasoning":{"effort":"low"}`), opt: withDialect("qwen"), fields: map[string]string{"enable_thinking": "true"}},
		{name: "G37 minimax", request: with(`"reasoning":{"summary":"auto"}`), opt: withDialect("minimax"), fields: map[string]string{"reasoning_split": "true"}},
		{name: "G38 the limit", request: with(`"max_output_tokens":100`), fields: map[string]string{"max_tokens": "100", "max_completion_tokens": ""}},
		{name: "G38 the limit for openai", request: with(`"max_output_tokens":100`), opt: withDialect("openai"), fields: map[string]string{"max_tokens": "", "max_completion_tokens": "100"}},
		{name: "F35 a limit of the plan", request: with(`"max_output_tokens":null`), opt: func(o *Options) { o.DefaultMaxOutputTokens = 32000 }, fields: map[string]string{"max_tokens": "32000"}},
		{name: "a limit that is none", request: with(`"max_output_tokens":-1`), param: "max_output_tokens"},
		{name: "G39 usage is asked for", request: with(`"x":null`), fields: map[string]string{"stream": "true", "stream_options": `{"include_usage":true}`}},
		{name: "G39 and not once it was refused", request: with(`"x":null`), opt: func(o *Options) { o.Omit = dialect.StreamOptions }, fields: map[string]string{"stream": "true", "stream_options": ""}},
		{name: "no stream", request: `{"model":"m","input":"u"}`, fields: map[string]string{"stream": "", "stream_options": ""}},
		{name: "sampling", request: with(`"temperature":0.5,"top_p":null,"seed":7,"stop":["x"]`), fields: map[string]string{"temperature": "0.5", "top_p": "", "seed": "7", "stop": `["x"]`}},
		{name: "G40 an unknown field", request: with(`"foo":1`), fields: map[string]string{"foo": ""}},
		{name: "G40 an unknown field, strictly", request: with(`"foo":1`), opt: func(o *Options) { o.Strict = true }, param: "foo", code: responses.CodeUnsupportedParameter},
		{name: "G40 strictly, but it advises only", request: with(`"client_metadata":{"a":1},"truncation":"disabled"`), opt: func(o *Options) { o.Strict = true }},
		{name: "G40 background", request: with(`"background":true`), param: "background"},
		{name: "G40 an earlier response", request: with(`"previous_response_id":"resp_x"`), param: "previous_response_id"},
		{name: "G40 no earlier response", request: with(`"previous_response_id":"","background":false,"conversation":null`)},
		{name: "a conversation", request: with(`"conversation":"c"`), param: "conversation"},
		{name: "truncation", request: with(`"truncation":"auto"`), param: "truncation"},
		{name: "include of what is never there", request: with(`"include":["web_search_call.action.sources","future.thing"]`)},
		{name: "include of log probabilities", request: with(`"include":["message.output_text.logprobs"]`), param: "include"},
		{
			name: "G41 a schema", request: with(`"text":{"format":{"type":"json_schema","name":"n","strict":true,"schema":{"type":"object"}}}`),
			fields: map[string]string{"response_format": `{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"},"strict":true}}`},
		},
		{name: "G41 a schema without a name", request: with(`"text":{"format":{"type":"json_schema","schema":{}}}`), fields: map[string]string{"response_format": `{"type":"json_schema","json_schema":{"name":"response","schema":{}}}`}},
		{name: "G41 a schema for a host that has none", request: with(`"text":{"format":{"type":"json_schema","schema":{}}}`), opt: withDialect("deepseek"), fields: map[string]string{"response_format": `{"type":"json_object"}`}},
		{name: "G41 text", request: with(`"text":{"format":{"type":"text"}}`), fields: map[string]string{"response_format": ""}},
		{name: "another name upstream", request: with(`"x":null`), opt: func(o *Options) { o.Model = "real" }, fields: map[string]string{"model": `"real"`}},
		{name: "no model", request: `{"input":"u"}`, param: "model"},
		{name: "no JSON", request: `{`, code: responses.CodeInvalidRequest},
		{name: "a list", request: `[]`, code: responses.CodeInvalidRequest},
	})
}

// G35, F41: what the client says of itself and of the machine stays here.
func TestG35_ClientMetadataStaysHere(t *testing.T) {
	t.Parallel()
	const canary = "canary-installation"
	request := with(`"client_metadata":{"x-codex-installation-id":"` + canary + `"},"metadata":{"k":"v"}`)
	for _, name := range dialect.Names() {
		opt := testOptions()
		opt.Dialect = named(t, name)
		req, err := responses.ParseRequest([]byte(request), false)
		if err != nil {
			t.Fatal(err)
		}
		body, ctx, err := Request(req, opt)
		if err != nil {
			t.Fatal(err)
		}
		s := NewStream(ctx, opt, 1)
		out := s.Data(nil, []byte(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`))
		out = s.End(out, EndDone)
		if strings.Contains(string(body)+string(out), canary) {
			t.Errorf("%s: %s\n%s", name, body, out)
		}
	}
}
