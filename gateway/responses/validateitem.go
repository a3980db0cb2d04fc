package responses

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

type stage uint8

const (
	stageAdded stage = iota
	stageText        // the part was added, or the item has none
	stageTextDone
	stagePartDone
	stageDone
)

// itemState follows one item from added to done.
type itemState struct {
	typ, id string
	added   map[string]any
	final   any
	stage   stage
	// form is which events the item's text comes in: "output_text" and so on.
	form string
	text strings.Builder
}

func newItemState(raw json.RawMessage) (*itemState, error) {
	var item map[string]any
	if err := json.Unmarshal(raw, &item); err != nil {
		return nil, err
	}
	it := &itemState{added: item}
	it.typ, _ = item["type"].(string)
	it.id, _ = item["id"].(string)
	if !knownItem(it.typ) || it.id == "" {
		return nil, fmt.Errorf("an item of type %q with id %q", it.typ, it.id)
	}
	if it.typ != "reasoning" && item["status"] != "in_progress" {
		return nil, fmt.Errorf("status %v", item["status"])
	}
	empty := func(key string) bool { list, ok := item[key].([]any); return ok && len(list) == 0 }
	ok := true
	switch it.typ {
	case "message":
		ok = empty("content") && item["role"] == "assistant"
	case "reasoning":
		ok = empty("summary")
	case "function_call":
		it.form, it.stage = "function_call_arguments", stageText
		ok = item["arguments"] == ""
	case "custom_tool_call":
		it.form, it.stage = "custom_tool_call_input", stageText
		ok = item["input"] == ""
	case "tool_search_call":
		it.stage = stagePartDone
	}
	if !ok {
		return nil, errors.New("the item is not empty")
	}
	if it.call() {
		callID, _ := item["call_id"].(string)
		name, _ := item["name"].(string)
		if callID == "" || strings.TrimSpace(name) == "" && it.typ != "tool_search_call" {
			return nil, errors.New("a call without call_id or name")
		}
	}
	return it, nil
}

func (it *itemState) call() bool { return strings.HasSuffix(it.typ, "_call") }

func (it *itemState) event(w *wireEvent) error {
	if w.Type == "response.output_item.done" {
		return it.done(w)
	}
	if w.ItemID != it.id {
		return fmt.Errorf("item_id %q, but the item is %q", w.ItemID, it.id)
	}
	switch w.Type {
	case "response.content_part.added", "response.reasoning_summary_part.added":
		return it.partAdded(w)
	case "response.content_part.done", "response.reasoning_summary_part.done":
		if it.stage != stageTextDone || w.Part == nil || w.Part.Text == nil || *w.Part.Text != it.text.String() {
			return errors.New("the part does not end with its text")
		}
		it.stage = stagePartDone
		return it.indexes(w)
	}
	name, kind, _ := strings.Cut(strings.TrimPrefix(w.Type, "response."), ".")
	if name != it.form || it.form == "" {
		return fmt.Errorf("an event of another kind in %s", it.typ)
	}
	if it.stage != stageText {
		return errors.New("text before the part began or after it ended")
	}
	switch kind {
	case "delta":
		if w.Delta == nil || *w.Delta == "" {
			return errors.New("no delta")
		}
		it.text.WriteString(*w.Delta)
	case "done":
		text := w.Text
		if name == "function_call_arguments" {
			text = w.Arguments
		} else if name == "custom_tool_call_input" {
			text = w.Input
		}
		if text == nil || *text != it.text.String() {
			return errors.New("the pieces do not make up the text")
		}
		it.stage = stageTextDone
		if it.call() {
			it.stage = stagePartDone
		}
	default:
		return errors.New("unknown event")
	}
	return it.indexes(w)
}

func (it *itemState) partAdded(w *wireEvent) error {
	if it.stage != stageAdded || w.Part == nil || w.Part.Text == nil || *w.Part.Text != "" {
		return errors.New("a part out of order or not empty")
	}
	forms := map[string]string{
		"message content output_text":      "output_text",
		"reasoning content reasoning_text": "reasoning_text",
		"reasoning summary summary_text":   "reasoning_summary_text",
	}
	place := "content"
	if w.Type == "response.reasoning_summary_part.added" {
		place = "summary"
	}
	it.form = forms[it.typ+" "+place+" "+w.Part.Type]
	if it.form == "" {
		return fmt.Errorf("a part of type %q in %s", w.Part.Type, it.typ)
	}
	it.stage = stageText
	return it.indexes(w)
}

// indexes checks that an event names the part it is about.
func (it *itemState) indexes(w *wireEvent) error {
	content := it.form == "output_text" || it.form == "reasoning_text"
	summary := it.form == "reasoning_summary_text"
	if content != (w.ContentIndex != nil && *w.ContentIndex == 0) || summary != (w.SummaryIndex != nil && *w.SummaryIndex == 0) {
		return errors.New("the part's index is wrong")
	}
	return nil
}

// done checks that the finished item is the added one with its text.
func (it *itemState) done(w *wireEvent) error {
	if it.stage != stagePartDone {
		return errors.New("done before its text")
	}
	var item map[string]any
	if err := json.Unmarshal(w.Item, &item); err != nil {
		return err
	}
	for _, key := range []string{"type", "id", "call_id", "name", "namespace", "role"} {
		if !reflect.DeepEqual(item[key], it.added[key]) {
			return fmt.Errorf("%s changed from %v to %v", key, it.added[key], item[key])
		}
	}
	if it.typ != "reasoning" && item["status"] != StatusCompleted && item["status"] != StatusIncomplete || it.call() && item["status"] != StatusCompleted {
		return fmt.Errorf("status %v", item["status"])
	}
	if got, ok := finalText(item, it.form); !ok || got != it.text.String() {
		return errors.New("the item does not hold its text")
	}
	if arguments, ok := item["arguments"].(string); it.typ == "function_call" && (!ok || strings.TrimSpace(arguments) == "") {
		return errors.New("blank arguments")
	}
	it.final, it.stage = any(item), stageDone
	return nil
}

func finalText(item map[string]any, form string) (string, bool) {
	key := map[string]string{
		"function_call_arguments": "arguments", "custom_tool_call_input": "input", "output_text": "content",
		"reasoning_text": "content", "reasoning_summary_text": "summary",
	}[form]
	switch value := item[key].(type) {
	case string:
		return value, true
	case []any:
		if len(value) != 1 {
			return "", false
		}
		part, _ := value[0].(map[string]any)
		text, ok := part["text"].(string)
		return text, ok
	}
	return "", form == ""
}
