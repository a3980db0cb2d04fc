package chat

import "testing"

// A validator is only worth what it refuses.
func TestStrictValidatorRefusesWhatHasToBeRepaired(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"model":"m","messages":[{"role":"developer","content":"x"}]}`,
		`{"model":"m","messages":[{"role":"user","content":""}]}`,
		`{"model":"m","messages":[{"role":"user","content":"u"},{"role":"system","content":"x"}]}`,
		`{"model":"m","messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}`,
		`{"model":"m","messages":[{"role":"assistant","content":null}]}`,
		`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}]}`,
		`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":""}}]},{"role":"tool","tool_call_id":"a","content":""}]}`,
		`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"a.b","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":""}]}`,
		`{"model":"m","messages":[{"role":"user","content":"u"}],"store":false}`,
		`{"model":"m","messages":[{"role":"user","content":"u"}],"tool_choice":"auto"}`,
		`{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"function","function":{"name":"f"}}]}`,
		`{"model":"m","messages":[{"role":"user","content":"u","reasoning_content":"x"}]}`,
		`{"model":"m","messages":[{"role":"user","content":[]}]}`,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x","detail":"original"}}]}]}`,
		`{"model":"m","messages":[{"role":"assistant","content":[{"type":"text","text":"x"}]}]}`,
		`{"model":"m","messages":[{"role":"user","content":"u"}],"max_tokens":1,"max_completion_tokens":1}`,
		`{"model":"m","messages":[{"role":"user","content":"u"}],"stream_options":{"include_usage":true}}`,
		`{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"web_search"}]}`,
		`{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":{"type":"function","function":{"name":"g"}}}`,
		`{"model":"m","messages":[]}`, `{"model":"m"}`, `[]`,
	} {
		if err := Validate([]byte(body), Extensions{}); err == nil {
			t.Errorf("accepted: %s", body)
		}
	}
	for _, body := range []string{
		`{"model":"m","messages":[{"role":"user","content":"u"}]}`,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x","detail":"low"}}]}],"stream":true,"stream_options":{"include_usage":true}}`,
		`{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":{"type":"function","function":{"name":"f"}}}`,
	} {
		if err := Validate([]byte(body), Extensions{}); err != nil {
			t.Errorf("%v: %s", err, body)
		}
	}
}
