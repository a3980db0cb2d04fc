package translate

import (
	"encoding/json"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/responses"
)

func TestAnswerRepeatsTheRequest(t *testing.T) {
	t.Parallel()
	opt := testOptions()
	req, err := responses.ParseRequest([]byte(`{"model":"m","input":"u","instructions":"i","temperature":0.5,"parallel_tool_calls":false,
		"tools":[{"type":"function","name":"f"}],"tool_choice":"auto","metadata":{"k":"v"},"client_metadata":{"k":"w"},"max_output_tokens":9}`), false)
	if err != nil {
		t.Fatal(err)
	}
	_, ctx, err := Request(req, opt)
	if err != nil {
		t.Fatal(err)
	}
	body, out, e := Answer(ctx, opt, []byte(`{"choices":[{"message":{"content":"a"},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`), 3, 4)
	if e != nil {
		t.Fatal(e)
	}
	const want = `{"id":"resp_1","object":"response","created_at":3,"completed_at":null,"status":"incomplete","background":false,"error":null,` +
		`"incomplete_details":{"reason":"max_output_tokens"},"instructions":"i","max_output_tokens":9,"model":"m",` +
		`"output":[{"type":"message","id":"msg_2","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[],"logprobs":[]}]}],` +
		`"parallel_tool_calls":false,"previous_response_id":null,"reasoning":{"effort":null,"summary":null},"store":false,"temperature":0.5,` +
		`"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[{"type":"function","name":"f"}],"top_p":null,"truncation":"disabled",` +
		`"usage":{"input_tokens":1,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":3},"metadata":{"k":"v"}}`
	if string(body) != want || !json.Valid(body) || out.Status != "incomplete" {
		t.Errorf("%s\n%s", body, want)
	}
}
