package chat

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestChunksAreErrorsOnlyWhenTheySaySo(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"error":{"message":"x"}}`:                                 `{"message":"x"}`,
		`{"error":null,"choices":[]}`:                               ``,
		`{"error":false,"choices":[]}`:                              ``,
		`{"message":"x","code":"y"}`:                                `{"message":"x","code":"y"}`,
		`{"detail":"x"}`:                                            `{"detail":"x"}`,
		`{"code":0}`:                                                ``,
		`{"code":1234}`:                                             `{"code":1234}`,
		`{"base_resp":{"status_code":0}}`:                           ``,
		`{"base_resp":{"status_code":"7"}}`:                         `{"status_code":"7"}`,
		`{"choices":[{"error":{"code":5}}]}`:                        `{"code":5}`,
		`{"choices":[{"error":null,"delta":{}}],"message":"hello"}`: ``,
		`{"type":"ping"}`:                                           ``,
	} {
		var c Chunk
		if err := c.Parse([]byte(data)); err != nil || string(c.Error) != want {
			t.Errorf("%s gives %q, %v", data, c.Error, err)
		}
	}
	var c Chunk
	for _, data := range []string{``, `7`, `[]`, `{`, `<html>`} {
		if err := c.Parse([]byte(data)); !errors.Is(err, ErrNotJSON) {
			t.Errorf("%q was read: %v", data, err)
		}
	}
}

func TestReasoningIsTakenFromOneFieldOnly(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"reasoning_content":"","reasoning":"b"}`:                          "b",
		`{"reasoning_content":"a","reasoning":"b"}`:                         "a",
		`{"reasoning":{"summary":[{"text":"s"}]}}`:                          "s",
		`{"reasoning_details":[{"summary":"s"},{"data":"x"},{"text":"t"}]}`: "st",
		`{"thinking":{"content":null,"thinking":"t"}}`:                      "t",
		`{"reasoning":7}`: "",
	} {
		var c Chunk
		if err := c.Parse([]byte(`{"choices":[{"delta":` + data + `}]}`)); err != nil {
			t.Fatal(err)
		}
		if got := string(c.AppendReasoning(nil)); got != want {
			t.Errorf("%s gives %q", data, got)
		}
	}
}

func TestUsageIsReadInEverySpelling(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Usage{
		`{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3,"cache_write_tokens":4}}`:            {Input: 1, Output: 2, Total: 3, Cached: 3, CacheWritten: 4},
		`{"input_tokens":"1","output_tokens":2.0,"cache_creation_input_tokens":4,"output_tokens_details":{"reasoning_tokens":1}}`: {Input: 1, Output: 2, Total: 3, CacheWritten: 4, Reasoning: 1},
	} {
		if got, ok := ParseUsage(json.RawMessage(raw)); !ok || got != want {
			t.Errorf("%s gives %+v", raw, got)
		}
	}
	if _, ok := ParseUsage(json.RawMessage(`{}`)); ok {
		t.Error("an empty usage is one")
	}
}
