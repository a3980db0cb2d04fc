package upstream

import (
	"encoding/json"
	"io"
)

// event is one event of a stream: a JSON object whose type names it.
type event map[string]any

// WriteTo writes the event as a server-sent one. That of Chat Completions has no name, and nothing in it is the end.
func (e event) WriteTo(w io.Writer) (int64, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	text := "data: " + string(data) + "\n\n"
	if name, ok := e["type"].(string); ok {
		text = "event: " + name + "\n" + text
	}
	if len(e) == 0 {
		text = "data: [DONE]\n\n"
	}
	n, err := io.WriteString(w, text)
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

// chat is a text turn of Chat Completions.
func chat(text string) []event {
	chunk := func(delta event, finish any) event {
		return event{"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": "demo",
			"choices": []any{event{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	usage := event{"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": "demo", "choices": []any{},
		"usage": event{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}
	return []event{chunk(event{"role": "assistant", "content": text}, nil), chunk(event{}, "stop"), usage, {}}
}

// isAside says whether a request of Chat Completions is for something beside a turn, such as a title: it offers no tools.
func isAside(body []byte) bool {
	var ask struct{ Tools []json.RawMessage }
	return json.Unmarshal(body, &ask) == nil && len(ask.Tools) == 0
}
