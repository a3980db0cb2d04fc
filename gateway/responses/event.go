package responses

import (
	"strconv"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
)

// Encoder appends the events of one stream, each a whole block with the event's name, one data line and an empty line.
// It counts the sequence numbers and allocates nothing itself. The zero value is ready.
type Encoder struct {
	seq int64
}

// Next is the number of events so far, which is the next one's sequence number.
func (e *Encoder) Next() int64 { return e.seq }

func (e *Encoder) begin(dst []byte, typ string) []byte {
	dst = append(dst, "event: "...)
	dst = append(dst, typ...)
	dst = append(dst, "\ndata: {\"type\":\""...)
	dst = append(dst, typ...)
	dst = append(dst, `","sequence_number":`...)
	dst = strconv.AppendInt(dst, e.seq, 10)
	e.seq++
	return dst
}

func end(dst []byte) []byte { return append(dst, "}\n\n"...) }

func (e *Encoder) beginItem(dst []byte, typ string, it *OutputItem) []byte {
	dst = e.begin(dst, typ)
	dst = append(dst, `,"item_id":"`...)
	dst = append(dst, it.ID...)
	dst = append(dst, `","output_index":`...)
	return strconv.AppendInt(dst, int64(it.Index), 10)
}

// Response appends an event about the whole response: created, in_progress, completed, incomplete or failed.
func (e *Encoder) Response(dst []byte, typ string, o *Object) []byte {
	dst = e.begin(dst, typ)
	dst = append(dst, `,"response":`...)
	dst = o.AppendJSON(dst)
	return end(dst)
}

func (e *Encoder) item(dst []byte, typ string, it *OutputItem, done bool) []byte {
	dst = e.begin(dst, typ)
	dst = append(dst, `,"output_index":`...)
	dst = strconv.AppendInt(dst, int64(it.Index), 10)
	dst = append(dst, `,"item":`...)
	dst = it.appendJSON(dst, done)
	return end(dst)
}

// part appends an event about the only part of a message or a reasoning item.
func (e *Encoder) part(dst []byte, typ string, it *OutputItem, done bool) []byte {
	dst = e.beginItem(dst, typ, it)
	dst = append(dst, it.indexField()...)
	dst = append(dst, `,"part":`...)
	text := it.Text
	if !done {
		text = nil
	}
	dst = it.appendPart(dst, text)
	return end(dst)
}

// Added begins an item, with its part if it has one.
func (e *Encoder) Added(dst []byte, it *OutputItem) []byte {
	dst = e.item(dst, "response.output_item.added", it, false)
	switch it.Kind {
	case Message, ReasoningContent:
		dst = e.part(dst, "response.content_part.added", it, false)
	case ReasoningSummary:
		dst = e.part(dst, "response.reasoning_summary_part.added", it, false)
	}
	return dst
}

// Delta appends a piece of the item's text, arguments or input. The caller adds it to it.Text as well.
func (e *Encoder) Delta(dst []byte, it *OutputItem, piece []byte) []byte {
	dst = e.beginItem(dst, it.Kind.deltaEvent(), it)
	dst = append(dst, it.indexField()...)
	dst = append(dst, `,"delta":"`...)
	dst = rawjson.AppendEscaped(dst, piece)
	dst = append(dst, '"')
	return end(dst)
}

// Done ends an item: its text, its part and itself.
func (e *Encoder) Done(dst []byte, it *OutputItem) []byte {
	if it.Kind != ToolSearch {
		dst = e.beginItem(dst, it.Kind.doneEvent(), it)
		dst = append(dst, it.indexField()...)
		dst = append(dst, it.Kind.doneField()...)
		dst = rawjson.AppendEscaped(dst, it.Text)
		dst = append(dst, '"')
		dst = end(dst)
	}
	switch it.Kind {
	case Message, ReasoningContent:
		dst = e.part(dst, "response.content_part.done", it, true)
	case ReasoningSummary:
		dst = e.part(dst, "response.reasoning_summary_part.done", it, true)
	}
	return e.item(dst, "response.output_item.done", it, true)
}

func (k Kind) deltaEvent() string {
	switch k {
	case Message:
		return "response.output_text.delta"
	case ReasoningSummary:
		return "response.reasoning_summary_text.delta"
	case ReasoningContent:
		return "response.reasoning_text.delta"
	case Custom:
		return "response.custom_tool_call_input.delta"
	}
	return "response.function_call_arguments.delta"
}

func (k Kind) doneEvent() string {
	switch k {
	case Message:
		return "response.output_text.done"
	case ReasoningSummary:
		return "response.reasoning_summary_text.done"
	case ReasoningContent:
		return "response.reasoning_text.done"
	case Custom:
		return "response.custom_tool_call_input.done"
	}
	return "response.function_call_arguments.done"
}

func (k Kind) doneField() string {
	switch k {
	case Custom:
		return `,"input":"`
	case Function:
		return `,"arguments":"`
	}
	return `,"text":"`
}
