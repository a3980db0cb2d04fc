package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/greenroom-agents/greenroom/gateway/sse"
)

// Validate checks that a stream follows the grammar of events: created and in_progress first, then items, then exactly one
// of completed, incomplete and failed, and nothing behind it. Events carry their name as type and are numbered from 0;
// items are added in the order of their index, keep their id, and their pieces make up the finished text; the terminal
// output is the finished items in order, and usage is complete.
func Validate(stream []byte) error {
	if err := validateBlocks(stream); err != nil {
		return err
	}
	v := validator{}
	r := sse.NewReader(bytes.NewReader(stream), sse.Limits{Event: 1 << 30, Line: 1 << 30, Total: 1 << 30}, nil)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := v.event(e); err != nil {
			return fmt.Errorf("event %d (%s): %w", v.seq, e.Name, err)
		}
		v.seq++
	}
	if v.phase != phaseOver {
		return errors.New("no terminal event")
	}
	return nil
}

// validateBlocks checks the form of the text: an event line, a data line, an empty line, and so on.
func validateBlocks(stream []byte) error {
	if len(stream) == 0 {
		return errors.New("an empty stream")
	}
	for i, block := range bytes.SplitAfter(stream, []byte("\n\n")) {
		lines := bytes.Split(bytes.TrimSuffix(block, []byte("\n\n")), []byte("\n"))
		if len(block) == 0 {
			continue
		}
		if len(lines) != 2 || !bytes.HasSuffix(block, []byte("\n\n")) ||
			!bytes.HasPrefix(lines[0], []byte("event: ")) || !bytes.HasPrefix(lines[1], []byte("data: ")) {
			return fmt.Errorf("block %d is not an event line, a data line and an empty line", i)
		}
	}
	return nil
}

type phase uint8

const (
	phaseStart phase = iota
	phaseCreated
	phaseRunning
	phaseOver
)

type validator struct {
	seq   int64
	phase phase
	id    string
	items []*itemState
}

type wireEvent struct {
	Type         string          `json:"type"`
	Sequence     *int64          `json:"sequence_number"`
	OutputIndex  *int            `json:"output_index"`
	ItemID       string          `json:"item_id"`
	ContentIndex *int            `json:"content_index"`
	SummaryIndex *int            `json:"summary_index"`
	Delta        *string         `json:"delta"`
	Text         *string         `json:"text"`
	Arguments    *string         `json:"arguments"`
	Input        *string         `json:"input"`
	Part         *wirePart       `json:"part"`
	Item         json.RawMessage `json:"item"`
	Response     *wireResponse   `json:"response"`
}

type wirePart struct {
	Type string  `json:"type"`
	Text *string `json:"text"`
}

type wireResponse struct {
	ID     string            `json:"id"`
	Object string            `json:"object"`
	Status string            `json:"status"`
	Output []json.RawMessage `json:"output"`
	Error  *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage json.RawMessage `json:"usage"`
}

func (v *validator) event(e sse.Event) error {
	var w wireEvent
	if err := json.Unmarshal(e.Data, &w); err != nil {
		return err
	}
	if w.Type != e.Name {
		return fmt.Errorf("type %q", w.Type)
	}
	if w.Sequence == nil || *w.Sequence != v.seq {
		return errors.New("sequence_number is not the event's number")
	}
	if v.phase == phaseOver {
		return errors.New("an event behind the terminal one")
	}
	switch w.Type {
	case "response.created", "response.in_progress", "response.completed", "response.incomplete", "response.failed":
		return v.response(&w)
	}
	if v.phase != phaseRunning {
		return errors.New("an item before response.in_progress")
	}
	if w.OutputIndex == nil {
		return errors.New("no output_index")
	}
	if w.Type == "response.output_item.added" {
		if *w.OutputIndex != len(v.items) {
			return fmt.Errorf("output_index %d, but %d items", *w.OutputIndex, len(v.items))
		}
		it, err := newItemState(w.Item)
		if err != nil {
			return err
		}
		for _, other := range v.items {
			if other.id == it.id {
				return fmt.Errorf("the id %q again", it.id)
			}
		}
		v.items = append(v.items, it)
		return nil
	}
	if *w.OutputIndex < 0 || *w.OutputIndex >= len(v.items) {
		return fmt.Errorf("output_index %d of no item", *w.OutputIndex)
	}
	return v.items[*w.OutputIndex].event(&w)
}

func (v *validator) response(w *wireEvent) error {
	r := w.Response
	if r == nil || r.ID == "" || r.Object != "response" || r.Output == nil {
		return errors.New("not a whole response")
	}
	if v.id != "" && r.ID != v.id {
		return errors.New("the response's id changed")
	}
	v.id = r.ID
	if w.Type == "response."+r.Status == (w.Type == "response.created") {
		return fmt.Errorf("status %q", r.Status)
	}
	switch {
	case w.Type == "response.created" && v.phase == phaseStart:
		v.phase = phaseCreated
	case w.Type == "response.in_progress" && v.phase != phaseStart:
		v.phase = phaseRunning
	case v.phase != phaseRunning || w.Type == "response.created":
		return errors.New("out of order")
	default:
		v.phase = phaseOver
		return v.terminal(r)
	}
	if r.Status != "in_progress" || len(r.Output) > 0 || r.Error != nil || r.Incomplete != nil {
		return errors.New("a running response that has a result")
	}
	return nil
}

func (v *validator) terminal(r *wireResponse) error {
	if (r.Status == "failed") != (r.Error != nil && r.Error.Code != "" && r.Error.Message != "") {
		return errors.New("an error without failure, or the other way around")
	}
	if (r.Status == "incomplete") != (r.Incomplete != nil && r.Incomplete.Reason != "") {
		return errors.New("incomplete_details without need, or missing")
	}
	var done []any
	for _, it := range v.items {
		switch {
		case it.stage == stageDone:
			done = append(done, it.final)
		case r.Status == "completed", r.Status == "incomplete" && !it.call():
			return fmt.Errorf("%s item %q is not finished", it.typ, it.id)
		}
		if r.Status != "completed" && it.stage == stageDone && it.call() {
			return fmt.Errorf("the call %q was finished in an answer that was not", it.id)
		}
	}
	var output []any
	for _, raw := range r.Output {
		var item any
		if err := json.Unmarshal(raw, &item); err != nil {
			return err
		}
		output = append(output, item)
	}
	if !reflect.DeepEqual(done, output) {
		return errors.New("the output is not the finished items")
	}
	if r.Status == "completed" && len(output) == 0 {
		return errors.New("completed with nothing")
	}
	return validateUsage(r.Usage)
}

func validateUsage(raw json.RawMessage) error {
	var u map[string]json.RawMessage
	if err := json.Unmarshal(raw, &u); err != nil || u == nil {
		return errors.New("no usage")
	}
	var in, out map[string]json.RawMessage
	if json.Unmarshal(u["input_tokens_details"], &in) != nil || json.Unmarshal(u["output_tokens_details"], &out) != nil {
		return errors.New("usage without details")
	}
	for _, raw := range []json.RawMessage{u["input_tokens"], u["output_tokens"], u["total_tokens"], in["cached_tokens"], out["reasoning_tokens"]} {
		var n uint64
		if raw == nil || string(raw) == "null" || json.Unmarshal(raw, &n) != nil {
			return fmt.Errorf("usage holds %q for a number", raw)
		}
	}
	return nil
}

var itemTypes = []string{"message", "reasoning", "function_call", "custom_tool_call", "tool_search_call"}

func knownItem(typ string) bool { return slices.Contains(itemTypes, typ) }
