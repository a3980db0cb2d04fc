package upstream

import (
	"encoding/json"
	"fmt"
)

// event is one server-sent event.
type event struct {
	name string // "" in a protocol that names none
	data []byte
}

type object = map[string]any

// add appends an event whose name is also its type, as both protocols have it.
func add(events []event, name string, fields object) []event {
	fields["type"] = name
	return append(events, event{name: name, data: encode(fields)})
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values of this package and of scripts written in Go come here
	}
	return b
}

// responsesEvents is the stream of one answer in the Responses protocol. Ids have the form prefix_rest, because Codex
// gives others back changed.
func responsesEvents(turn int, step Step) []event {
	response := object{"id": fmt.Sprintf("resp_%d", turn), "object": "response", "status": "in_progress"}
	events := add(nil, "response.created", object{"response": response})
	index := 0
	if step.Text != "" {
		item := object{
			"type": "message", "id": fmt.Sprintf("msg_%d", turn), "role": "assistant", "status": "in_progress",
			"content": []object{},
		}
		events = add(events, "response.output_item.added", object{"output_index": index, "item": item})
		events = add(events, "response.output_text.delta", object{
			"item_id": item["id"], "output_index": index, "content_index": 0, "delta": step.Text,
		})
		done := object{
			"type": "message", "id": item["id"], "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": step.Text, "annotations": []object{}}},
		}
		events = add(events, "response.output_item.done", object{"output_index": index, "item": done})
		index++
	}
	for i, call := range step.Calls {
		item := object{
			"type": "function_call", "id": fmt.Sprintf("fc_%d%d", turn, i), "call_id": fmt.Sprintf("call_%d_%d", turn, i),
			"name": call.Name, "arguments": string(encode(call.Input)), "status": "completed",
		}
		if call.Namespace != "" {
			item["namespace"] = call.Namespace
		}
		events = add(events, "response.output_item.added", object{"output_index": index, "item": item})
		events = add(events, "response.output_item.done", object{"output_index": index, "item": item})
		index++
	}
	return add(events, "response.completed", object{"response": object{
		"id": response["id"], "object": "response", "status": "completed",
		"usage": object{"input_tokens": 100, "output_tokens": 20, "total_tokens": 120},
	}})
}

// messagesEvents is the stream of one answer in the Messages protocol.
func messagesEvents(turn int, step Step) []event {
	events := add(nil, "message_start", object{"message": object{
		"id": fmt.Sprintf("msg_%04d", turn), "type": "message", "role": "assistant", "model": "scripted",
		"content": []object{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": 100, "output_tokens": 1},
	}})
	index := 0
	block := func(start, delta object) {
		events = add(events, "content_block_start", object{"index": index, "content_block": start})
		events = add(events, "content_block_delta", object{"index": index, "delta": delta})
		events = add(events, "content_block_stop", object{"index": index})
		index++
	}
	if step.Text != "" {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": step.Text})
	}
	stop := "end_turn"
	for i, call := range step.Calls {
		stop = "tool_use"
		block(
			object{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d%d", turn, i), "name": call.Name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": string(encode(call.Input))},
		)
	}
	events = add(events, "message_delta", object{
		"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 20},
	})
	return add(events, "message_stop", object{})
}
