package upstream

import (
	"encoding/json"
	"fmt"
)

// isAside says whether a Chat Completions request offers the model no tools. The clients ask so beside a conversation,
// for its title, and at the same time as the first turn: in a script there would be no place for it.
func isAside(body []byte) bool {
	var request struct{ Tools []json.RawMessage }
	return json.Unmarshal(body, &request) != nil || len(request.Tools) == 0
}

// chatEvents is the stream of one answer in the Chat Completions protocol.
func chatEvents(turn int, step Step) []event {
	var events []event
	chunk := func(choices []object, usage object) {
		fields := object{
			"id": fmt.Sprintf("chatcmpl-%d", turn), "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": choices,
		}
		if usage != nil {
			fields["usage"] = usage
		}
		events = append(events, event{data: encode(fields)})
	}
	delta := func(fields object) { chunk([]object{{"index": 0, "delta": fields, "finish_reason": nil}}, nil) }

	delta(object{"role": "assistant", "content": step.Text})
	finish := "stop"
	for i, call := range step.Calls {
		finish = "tool_calls"
		delta(object{"tool_calls": []object{{
			"index": i, "id": fmt.Sprintf("call_%d_%d", turn, i), "type": "function",
			"function": object{"name": call.Name, "arguments": string(encode(call.Input))},
		}}})
	}
	chunk([]object{{"index": 0, "delta": object{}, "finish_reason": finish}}, nil)
	chunk([]object{}, object{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120})
	return append(events, event{data: []byte("[DONE]")})
}
