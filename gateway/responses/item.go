package responses

import "github.com/greenroom-agents/greenroom/gateway/internal/rawjson"

// Item is one element of input. Which fields are set depends on Type; values are the JSON text of the request.
type Item struct {
	Index int
	// Type is "" if the item does not say; an item with a role is a message then.
	Type, Role                                  string
	Content, Name, Namespace, CallID, Arguments Raw
	Input, Output, Action                       Raw
	Summary, EncryptedContent, Tools            Raw
	Execution                                   Raw
	// Raw is the whole item.
	Raw Raw
}

// Items splits input into items. A string is one message of the user. The error names the element.
func (r *Request) Items() ([]Item, error) {
	switch rawjson.Kind(r.Input) {
	case 'n':
		return nil, nil
	case '"':
		return []Item{{Type: "message", Role: "user", Content: r.Input, Raw: r.Input}}, nil
	case '[':
	default:
		return nil, Invalid(CodeInvalidRequest, "input", "input is neither a string nor an array")
	}
	items := make([]Item, 0, 64)
	for w := rawjson.Walk(r.Input); w.Next(); {
		it := Item{Index: len(items), Raw: w.Value}
		switch rawjson.Kind(w.Value) {
		case '{':
			it.parse()
		case '"':
			it.Type, it.Role, it.Content = "message", "user", w.Value
		default:
			return nil, InvalidItem(it.Index, "the item is not an object")
		}
		items = append(items, it)
	}
	return items, nil
}

func (it *Item) parse() {
	for w := rawjson.Walk(it.Raw); w.Next(); {
		switch string(w.Key) {
		case "type":
			it.Type = intern(w.Value)
		case "role":
			it.Role = intern(w.Value)
		case "content":
			it.Content = w.Value
		case "name":
			it.Name = w.Value
		case "namespace":
			it.Namespace = w.Value
		case "call_id", "tool_call_id":
			it.CallID = w.Value
		case "arguments":
			it.Arguments = w.Value
		case "input":
			it.Input = w.Value
		case "output":
			it.Output = w.Value
		case "action":
			it.Action = w.Value
		case "summary":
			it.Summary = w.Value
		case "encrypted_content":
			it.EncryptedContent = w.Value
		case "tools":
			it.Tools = w.Value
		case "execution":
			it.Execution = w.Value
		}
	}
}

// intern saves an allocation for the names that nearly every item has.
func intern(raw []byte) string {
	switch string(raw) {
	case `"message"`:
		return "message"
	case `"reasoning"`:
		return "reasoning"
	case `"function_call"`:
		return "function_call"
	case `"function_call_output"`:
		return "function_call_output"
	case `"custom_tool_call"`:
		return "custom_tool_call"
	case `"custom_tool_call_output"`:
		return "custom_tool_call_output"
	case `"user"`:
		return "user"
	case `"assistant"`:
		return "assistant"
	case `"developer"`:
		return "developer"
	case `"system"`:
		return "system"
	}
	return rawjson.String(raw)
}
