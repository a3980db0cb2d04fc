package responses

import "github.com/greenroom-agents/greenroom/gateway/internal/rawjson"

// Kind is what an output item is.
type Kind uint8

// The items that a gateway gives.
const (
	Message Kind = iota
	// ReasoningSummary shows reasoning as a summary, which agents show to people.
	ReasoningSummary
	// ReasoningContent shows it as content, which they keep to themselves.
	ReasoningContent
	Function
	Custom
	ToolSearch
)

// Statuses of items.
const (
	StatusCompleted  = "completed"
	StatusIncomplete = "incomplete"
)

// OutputItem is one item of the output.
type OutputItem struct {
	Kind  Kind
	Index int
	// ID is safe to stand in JSON as it is.
	ID string
	// CallID, Name and Namespace are those of calls.
	CallID, Name, Namespace string
	// Text is the text, the arguments or the input so far.
	Text []byte
	// Encrypted is the state of a reasoning item, nil for none.
	Encrypted []byte
	// Status is that of a finished message, "" for completed.
	Status string
}

// AppendJSON appends the finished item.
func (it *OutputItem) AppendJSON(dst []byte) []byte { return it.appendJSON(dst, true) }

func (it *OutputItem) appendJSON(dst []byte, done bool) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, it.Kind.typeName()...)
	dst = append(dst, `","id":"`...)
	dst = append(dst, it.ID...)
	dst = append(dst, '"')
	status := "in_progress"
	if done {
		if status = it.Status; status == "" {
			status = StatusCompleted
		}
	}
	switch it.Kind {
	case Message:
		dst = appendStatus(dst, status)
		dst = append(dst, `,"role":"assistant","content":[`...)
		if done {
			dst = it.appendPart(dst, it.Text)
		}
		return append(dst, "]}"...)
	case ReasoningSummary, ReasoningContent:
		return it.appendReasoning(dst, done)
	}
	dst = appendStatus(dst, status)
	dst = append(dst, `,"call_id":`...)
	dst = rawjson.AppendString(dst, it.CallID)
	text := it.Text
	if !done {
		text = nil
	}
	if it.Kind == ToolSearch {
		if len(text) == 0 {
			text = []byte("{}")
		}
		dst = append(dst, `,"execution":"client","arguments":`...)
		dst = append(dst, text...)
		return append(dst, '}')
	}
	dst = append(dst, `,"name":`...)
	dst = rawjson.AppendString(dst, it.Name)
	if it.Namespace != "" {
		dst = append(dst, `,"namespace":`...)
		dst = rawjson.AppendString(dst, it.Namespace)
	}
	dst = append(dst, it.Kind.doneField()...)
	dst = rawjson.AppendEscaped(dst, text)
	return append(dst, `"}`...)
}

func (it *OutputItem) appendReasoning(dst []byte, done bool) []byte {
	dst = append(dst, `,"summary":[`...)
	if done && it.Kind == ReasoningSummary {
		dst = it.appendPart(dst, it.Text)
	}
	dst = append(dst, ']')
	if it.Kind == ReasoningContent {
		dst = append(dst, `,"content":[`...)
		if done {
			dst = it.appendPart(dst, it.Text)
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `,"encrypted_content":`...)
	if done && it.Encrypted != nil {
		dst = rawjson.AppendString(dst, it.Encrypted)
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, '}')
}

func (it *OutputItem) appendPart(dst, text []byte) []byte {
	switch it.Kind {
	case ReasoningSummary:
		dst = append(dst, `{"type":"summary_text","text":"`...)
	case ReasoningContent:
		dst = append(dst, `{"type":"reasoning_text","text":"`...)
	default:
		dst = append(dst, `{"type":"output_text","text":"`...)
		dst = rawjson.AppendEscaped(dst, text)
		return append(dst, `","annotations":[],"logprobs":[]}`...)
	}
	dst = rawjson.AppendEscaped(dst, text)
	return append(dst, `"}`...)
}

// indexField names the part in events about it.
func (it *OutputItem) indexField() string {
	switch it.Kind {
	case Message, ReasoningContent:
		return `,"content_index":0`
	case ReasoningSummary:
		return `,"summary_index":0`
	}
	return ""
}

func (k Kind) typeName() string {
	switch k {
	case Message:
		return "message"
	case Function:
		return "function_call"
	case Custom:
		return "custom_tool_call"
	case ToolSearch:
		return "tool_search_call"
	}
	return "reasoning"
}

func appendStatus(dst []byte, status string) []byte {
	dst = append(dst, `,"status":"`...)
	dst = append(dst, status...)
	return append(dst, '"')
}
