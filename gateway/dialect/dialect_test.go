package dialect

import (
	"net/url"
	"testing"
)

func TestHostsAreKnown(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://api.deepseek.com/v1": "deepseek", "https://api.moonshot.cn/v1": "kimi", "https://api.moonshot.ai/v1": "kimi", "https://api.kimi.com/coding/v1": "kimi",
		"https://open.bigmodel.cn/api/paas/v4": "glm", "https://api.z.ai/api/paas/v4": "glm", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1": "qwen",
		"https://api.minimaxi.com/v1": "minimax", "https://openrouter.ai/api/v1": "openrouter", "https://api.siliconflow.cn/v1": "siliconflow",
		"https://ark.cn-beijing.volces.com/api/v3": "volcengine", "https://API.OpenAI.com./v1": "openai", "https://x.openai.azure.com/openai": "openai",
		"http://127.0.0.1:11434/v1": "local", "http://[::1]:8000/v1": "local", "http://localhost:1234/v1": "local",
		"https://example.invalid/v1": "default", "https://api.deepseek.com.example.invalid/v1": "default", "https://api.moonshot.evil.example/v1": "default",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := ForURL(u).Name; got != want {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
}

func TestEveryNameIsADialect(t *testing.T) {
	t.Parallel()
	names := Names()
	if len(names) != len(table)+1 {
		t.Errorf("%q", names)
	}
	for _, name := range names {
		if d, ok := Named(name); !ok || d.Name != name {
			t.Errorf("%q gives %q", name, d.Name)
		}
	}
	if _, ok := Named("nothing"); ok {
		t.Error("a dialect called nothing")
	}
}

func TestG39F34_RefusedFieldsAreFoundByName(t *testing.T) {
	t.Parallel()
	sent := StreamOptions | ParallelToolCalls | Effort | Store | User | OutputLimit
	for body, want := range map[string]Fields{
		`{"error":{"message":"Unsupported parameter: stream_options"}}`:                                         StreamOptions,
		`{"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted"}]}`: Store,
		`{"error":{"message":"unknown field \"parallel_tool_calls\""}}`:                                         ParallelToolCalls,
		`{"error":{"message":"reasoning_effort is not supported by this model"}}`:                               Effort,
		`{"error":{"message":"Unrecognized request argument supplied: max_tokens"}}`:                            OutputLimit,
		`{"error":{"message":"max_tokens must be at most 4096"}}`:                                               0,
		`{"error":{"message":"Unsupported parameter: seed"}}`:                                                   0,
		`{"error":{"message":"unknown user_id"}}`:                                                               0,
		`not supported`: 0,
	} {
		got, ok := Refused(400, []byte(body), sent)
		if got != want || ok != (want != 0) {
			t.Errorf("%s gives %b, want %b", body, got, want)
		}
	}
	if _, ok := Refused(500, []byte(`unsupported parameter: store`), sent); ok {
		t.Error("a failure of the server refuses no field")
	}
}
