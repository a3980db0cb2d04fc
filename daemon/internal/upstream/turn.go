package upstream

import (
	"encoding/json"
	"io"
)

// event is one event of a stream: a JSON object whose type names it.
type event map[string]any

// WriteTo writes the event as a server-sent one.
func (e event) WriteTo(w io.Writer) (int64, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	n, err := io.WriteString(w, "event: "+e["type"].(string)+"\ndata: "+string(data)+"\n\n")
	return int64(n), err
}

// responses is a text turn of the Responses API. The item that is done and the completion are what a client needs;
// the others let it show the text as it comes.
func responses(text string) []event {
	message := func(status string, content ...any) event {
		return event{"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": append([]any{}, content...)}
	}
	part := event{"type": "output_text", "text": text, "annotations": []any{}}
	usage := event{"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
	return []event{
		{"type": "response.created", "response": event{"id": "resp_1", "status": "in_progress"}},
		{"type": "response.output_item.added", "output_index": 0, "item": message("in_progress")},
		{"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text},
		{"type": "response.output_item.done", "output_index": 0, "item": message("completed", part)},
		{"type": "response.completed", "response": event{"id": "resp_1", "status": "completed", "usage": usage}},
	}
}

// messages is a text turn of the Messages API.
func messages(text string) []event {
	return []event{
		{"type": "message_start", "message": event{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "demo", "content": []any{},
			"stop_reason": nil, "stop_sequence": nil, "usage": event{"input_tokens": 100, "output_tokens": 1},
		}},
		{"type": "content_block_start", "index": 0, "content_block": event{"type": "text", "text": ""}},
		{"type": "content_block_delta", "index": 0, "delta": event{"type": "text_delta", "text": text}},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": event{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": event{"output_tokens": 10}},
		{"type": "message_stop"},
	}
}
