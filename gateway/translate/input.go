package translate

import (
	"bytes"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// node is one message of the conversation, or one turn of the assistant.
type node struct {
	role  string
	parts []part
	turn  *turn
	// notice marks a message of the user that no user wrote.
	notice bool
}

// turn is what the assistant said in one go. It becomes one message and the results of its calls.
type turn struct {
	reasoning [][]byte
	details   []byte
	parts     []part
	// calls are those from first up to, not including, last.
	first, last int
}

// item adds one item of input to the conversation.
func (t *requester) item(it *responses.Item) error {
	typ := it.Type
	if typ == "" && it.Role != "" {
		typ = "message"
	}
	t.count(typ)
	switch typ {
	case "message":
		return t.message(it)
	case "reasoning":
		t.reasoning(it)
	case "function_call":
		t.functionCall(it, kindFunction)
	case "custom_tool_call":
		t.functionCall(it, kindCustom)
	case "tool_search_call":
		if rawjson.IsNull(it.CallID) || rawjson.String(it.Execution) == "server" {
			return t.hosted(it)
		}
		t.functionCall(it, kindToolSearch)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output",
		"apply_patch_call_output":
		t.output(it.CallID, it.Output)
	case "tool_search_output":
		if !rawjson.IsNull(it.CallID) {
			t.outputParts(rawjson.String(it.CallID), []part{textPart(t.foundTools(it.Tools))})
		}
	case "local_shell_call", "shell_call", "apply_patch_call":
		t.shellCall(it)
	case "additional_tools", "ghost_snapshot":
	case "item_reference":
		return responses.InvalidItem(it.Index, "item references are not supported: send the item itself")
	case "compaction", "compaction_summary", "context_compaction", "compaction_trigger":
		return responses.InvalidItem(it.Index, "this conversation holds a compaction that only its own provider can read: start a new thread")
	case "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "computer_call",
		"computer_call_output", "mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response":
		return t.hosted(it)
	default:
		return t.unknown(it)
	}
	return nil
}

// count counts an item under its type, as long as it is one of a known few.
func (t *requester) count(typ string) {
	r := t.report()
	if r.Items == nil {
		r.Items = make(map[string]int, 8)
	}
	if len(r.Items) >= 32 || !validName(typ) {
		typ = "unknown"
	}
	r.Items[typ]++
}

// hosted handles what tools on the provider's side left in the history. Leaving out what they answered would change the
// conversation, so only a call without any output may go, and only if the route says so.
func (t *requester) hosted(it *responses.Item) error {
	if !t.opt.DropHostedHistory || carries(it.Raw, "output", "outputs", "result", "results", "tools", "acknowledged_safety_checks") {
		return responses.InvalidItem(it.Index, "the history holds "+it.Type+", which this endpoint cannot be given: start a new thread")
	}
	t.report().repair(RepairHostedCall)
	return nil
}

// unknown judges an item of a type nobody has described by what it carries.
func (t *requester) unknown(it *responses.Item) error {
	switch {
	case t.opt.Strict:
	case it.Role != "" && it.Content != nil:
		return t.message(it)
	case rawjson.IsNull(it.CallID) && !carries(it.Raw, "content", "text", "output", "result"):
		t.report().repair(RepairUnknownItem)
		return nil
	}
	return responses.InvalidItem(it.Index, "the item has a type that cannot be translated")
}

// carries reports whether one of the members holds something.
func carries(raw responses.Raw, keys ...string) bool {
	for _, key := range keys {
		switch v := rawjson.Get(raw, key); rawjson.Kind(v) {
		case 'n':
		case '"':
			if len(rawjson.Inner(v)) > 0 {
				return true
			}
		case '[', '{':
			if rawjson.Len(v) > 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

func (t *requester) message(it *responses.Item) error {
	switch it.Role {
	case "assistant":
		turn := t.turn()
		turn.parts = append(turn.parts, t.parts(it.Content, true)...)
		return nil
	case "tool":
		if len(rawjson.Inner(it.CallID)) > 0 {
			t.output(it.CallID, it.Content)
			return nil
		}
	}
	parts := t.parts(it.Content, false)
	if !hasContent(parts) {
		if t.lastMessage == it.Index && rawjson.Len(it.Content) > 0 {
			return responses.InvalidItem(it.Index, "no part of the message can be translated")
		}
		t.report().repair(RepairEmptyMessage)
		return nil
	}
	if it.Role == "system" || it.Role == "developer" {
		t.system(parts)
		return nil
	}
	t.add(node{role: "user", parts: parts})
	return nil
}

// system puts the text of an instruction where the dialect wants it. Images can only stand in a message of the user.
func (t *requester) system(parts []part) {
	var media []part
	if !onlyText(parts) {
		var text []part
		for _, p := range parts {
			if p.kind == partText {
				text = append(text, p)
			} else {
				media = append(media, p)
			}
		}
		parts = text
	}
	switch {
	case !hasContent(parts):
	case t.opt.Dialect.System == dialect.UserTag && t.begun:
		text := append([]byte(`<system_notice>\n`), appendTexts(nil, parts, `\n`)...)
		t.add(node{role: "user", notice: true, parts: []part{textPart(append(text, `\n</system_notice>`...))}})
	default:
		t.head = append(t.head, parts)
	}
	if len(media) > 0 {
		t.add(node{role: "user", notice: true, parts: media})
	}
}

// add closes the open turn and adds a message.
func (t *requester) add(n node) {
	t.open = nil
	t.begun = true
	t.nodes = append(t.nodes, n)
}

// turn is the open turn of the assistant, a new one if there is none.
func (t *requester) turn() *turn {
	if t.open == nil {
		t.open = &turn{first: len(t.calls), last: len(t.calls)}
		t.begun = true
		t.nodes = append(t.nodes, node{turn: t.open})
	}
	return t.open
}

// reasoning keeps the text of a reasoning item for the turn it belongs to. Content is the text itself, the summary
// stands for it only where there is no content.
func (t *requester) reasoning(it *responses.Item) {
	blob := rawjson.Bytes(it.EncryptedContent)
	details, own := openSeal(t.opt.SealKey, blob)
	text := reasoningText(it.Content)
	if len(text) == 0 {
		text = reasoningText(it.Summary)
	}
	if len(text) == 0 && !own {
		if len(blob) > 0 {
			t.report().repair(RepairForeignState)
		}
		return
	}
	turn := t.turn()
	if own {
		turn.details = joinLists(turn.details, details)
	}
	if len(text) == 0 {
		return
	}
	for _, known := range turn.reasoning {
		if bytes.Equal(known, text) {
			return
		}
	}
	turn.reasoning = append(turn.reasoning, text)
}

// joinLists makes one JSON list of two.
func joinLists(a, b []byte) []byte {
	if rawjson.Len(a) == 0 {
		return b
	}
	if rawjson.Len(b) == 0 {
		return a
	}
	joined := append(make([]byte, 0, len(a)+len(b)), a[:len(a)-1]...)
	return append(append(joined, ','), b[1:]...)
}

// reasoningText joins the texts of a list of reasoning parts.
func reasoningText(raw responses.Raw) []byte {
	var text []byte
	joined := false
	for w := rawjson.Walk(raw); w.Next(); {
		piece := rawjson.Inner(rawjson.Get(w.Value, "text"))
		switch {
		case len(piece) == 0:
		case text == nil:
			text = piece
		case !joined:
			joined = true
			text = append(append(append(make([]byte, 0, len(text)+len(piece)+4), text...), `\n\n`...), piece...)
		default:
			text = append(append(text, `\n\n`...), piece...)
		}
	}
	return text
}
