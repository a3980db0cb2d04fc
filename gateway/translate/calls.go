package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

const (
	noOutput    = "[tool result unavailable: the call was interrupted; its effect is unknown]"
	maxCallID   = 64
	emptyObject = "{}"
)

// call is one call of a tool in the history, with its result once that was found.
type call struct {
	id, name string
	// arguments is the inside of a JSON string.
	arguments []byte
	turn      *turn
	output    []part
	done      bool
}

// functionCall adds a call to the open turn.
func (t *requester) functionCall(it *responses.Item, k kind) {
	id := rawjson.String(it.CallID)
	name, namespace := rawjson.String(it.Name), rawjson.String(it.Namespace)
	var arguments []byte
	switch k {
	case kindCustom:
		arguments = appendInput(nil, it.Input)
	case kindToolSearch:
		name, namespace = "tool_search", ""
		arguments = t.arguments(it.Arguments)
	default:
		arguments = t.arguments(it.Arguments)
	}
	if strings.TrimSpace(name) == "" {
		if name, namespace = t.nameOf(id); name == "" {
			t.report().repair(RepairNamelessCall)
			t.dropped[id] = true
			return
		}
		t.report().repair(RepairNamelessCall)
	}
	if tl, ok := t.tools.find(namespace, name); ok && tl.wrapped && k == kindFunction {
		arguments = t.wrapped(it.Arguments)
	}
	t.addCall(id, t.tools.chatName(namespace, name), arguments)
}

// wrapped are the arguments of a tool whose parameters were put into a property "value", in the form the model knows.
func (t *requester) wrapped(raw responses.Raw) []byte {
	value := []byte(raw)
	if rawjson.Kind(raw) == '"' {
		if value = rawjson.Trim(rawjson.Bytes(raw)); !rawjson.Valid(value) {
			value = rawjson.AppendString(nil, value)
		}
	}
	if len(value) == 0 {
		value = []byte("null")
	}
	return rawjson.AppendEscaped(nil, append(append([]byte(`{"value":`), value...), '}'))
}

func (t *requester) addCall(id, name string, arguments []byte) {
	turn := t.turn()
	t.byID[id] = append(t.byID[id], len(t.calls))
	t.calls = append(t.calls, call{id: t.wireID(id), name: name, arguments: arguments, turn: turn})
	turn.last = len(t.calls)
}

// nameOf looks for the name of a call that has none in another item with the same id.
func (t *requester) nameOf(id string) (name, namespace string) {
	if id == "" {
		return "", ""
	}
	for i := range t.items {
		it := &t.items[i]
		if name := rawjson.String(it.Name); strings.TrimSpace(name) != "" && rawjson.String(it.CallID) == id {
			return name, rawjson.String(it.Namespace)
		}
	}
	return "", ""
}

// wireID is the id under which a call is sent: the client's own unless an earlier call has it already. It depends only
// on what came before, so it never changes.
func (t *requester) wireID(id string) string {
	wire := id
	if wire == "" {
		wire = "call_" + strconv.Itoa(len(t.calls))
		t.report().repair(RepairCallID)
	}
	if t.opt.Dialect.StrictIDs && (len(wire) > maxCallID || clean(wire) != wire) {
		sum := sha256.Sum256([]byte(wire))
		wire = "call_" + hex.EncodeToString(sum[:12])
		t.report().repair(RepairCallID)
	}
	base := wire
	if t.used[wire] {
		t.report().repair(RepairDuplicateCallID)
	}
	for n := max(2, len(t.byID[id])); t.used[wire]; n++ {
		wire = base + "~" + strconv.Itoa(n)
		if t.opt.Dialect.StrictIDs {
			wire = base[:min(len(base), maxCallID-8)] + "_" + strconv.Itoa(n)
		}
	}
	t.used[wire] = true
	return wire
}

// output gives a call its result. It goes to the first call with that id in the latest turn that still waits for one;
// a further result for the same call replaces it.
func (t *requester) output(id, raw responses.Raw) {
	t.outputParts(rawjson.String(id), t.outputContent(raw))
}

func (t *requester) outputParts(id string, parts []part) {
	if t.dropped[id] {
		return
	}
	t.open = nil
	target, last := -1, -1
	for _, i := range t.byID[id] {
		last = i
		if !t.calls[i].done && (target < 0 || t.calls[i].turn != t.calls[target].turn) {
			target = i
		}
	}
	if target < 0 && last >= 0 {
		t.report().repair(RepairDuplicateOutput)
		target = last
	}
	if target < 0 || id == "" {
		t.orphan(id, parts)
		return
	}
	t.calls[target].output, t.calls[target].done = parts, true
}

// orphan keeps a result whose call is gone as something the user tells.
func (t *requester) orphan(id string, parts []part) {
	t.report().repair(RepairOrphanOutput)
	label := []byte("[result of an earlier tool call")
	if id != "" {
		label = rawjson.AppendEscaped(append(label, ' '), id)
	}
	label = append(label, ']')
	if onlyText(parts) {
		label = append(label, ' ')
		t.add(node{role: "user", notice: true, parts: []part{textPart(appendTexts(label, parts, `\n`))}})
		return
	}
	t.add(node{role: "user", notice: true, parts: append([]part{textPart(label)}, parts...)})
}

// outputContent reads the output of a tool. What is neither text nor parts is shown as it is written.
func (t *requester) outputContent(raw responses.Raw) []part {
	switch rawjson.Kind(raw) {
	case 'n', '"':
		return t.parts(raw, false)
	case '[':
		known := true
		for w := rawjson.Walk(raw); w.Next(); {
			known = known && (rawjson.Kind(w.Value) == '"' || rawjson.Kind(rawjson.Get(w.Value, "type")) == '"')
		}
		if known {
			return t.parts(raw, false)
		}
	}
	return []part{textPart(rawjson.AppendEscaped(nil, raw))}
}

// arguments makes the inside of a JSON string that holds a JSON object, which strict upstreams insist on.
func (t *requester) arguments(raw responses.Raw) []byte {
	switch rawjson.Kind(raw) {
	case 'n':
		return []byte(emptyObject)
	case '{':
		return rawjson.AppendEscaped(nil, raw)
	case '"':
		inner := rawjson.Inner(raw)
		t.scratch = rawjson.Unescape(t.scratch[:0], inner)
		text := rawjson.Trim(t.scratch)
		if len(text) == 0 {
			t.report().repair(RepairArguments)
			return []byte(emptyObject)
		}
		if text[0] == '{' && rawjson.Valid(text) {
			return inner
		}
		t.report().repair(RepairArguments)
		wrapped := append([]byte(nil), `{\"_raw\":\"`...)
		wrapped = rawjson.AppendEscaped(wrapped, rawjson.AppendEscaped(nil, t.scratch))
		return append(wrapped, `\"}`...)
	}
	t.report().repair(RepairArguments)
	return rawjson.AppendEscaped(nil, append(append([]byte(`{"_raw":`), raw...), '}'))
}

// appendInput wraps the input of a freeform tool into an object, as the inside of a JSON string.
func appendInput(dst []byte, raw responses.Raw) []byte {
	dst = append(dst, `{\"input\":\"`...)
	if rawjson.Kind(raw) == '"' {
		dst = rawjson.AppendEscaped(dst, rawjson.Inner(raw))
	} else if !rawjson.IsNull(raw) {
		dst = rawjson.AppendEscaped(dst, rawjson.AppendEscaped(nil, raw))
	}
	return append(dst, `\"}`...)
}

// shellCall keeps a call of a hosted shell: as a call if the client declared the shell, else as a record of it. Its
// output then has no call and is kept as one too.
func (t *requester) shellCall(it *responses.Item) {
	action := it.Action
	if action == nil {
		if action = rawjson.Get(it.Raw, "operation"); action == nil {
			action = []byte(emptyObject)
		}
	}
	id := rawjson.String(it.CallID)
	name := strings.TrimSuffix(it.Type, "_call")
	if t.tools.shell && name != "apply_patch" {
		t.addCall(id, name, t.arguments(action))
		return
	}
	turn := t.turn()
	text := append([]byte("["), name...)
	text = rawjson.AppendEscaped(append(text, " call "...), id)
	text = rawjson.AppendEscaped(append(text, "] "...), action)
	turn.parts = append(turn.parts, textPart(text))
}

// foundTools is the result of a search for tools: the names under which the model can call them.
func (t *requester) foundTools(raw responses.Raw) []byte {
	text := []byte(`{\"tools\":[`)
	n := 0
	name := func(namespace string, tool responses.Raw) {
		if n > 0 {
			text = append(text, ',')
		}
		n++
		chat := t.tools.chatName(namespace, rawjson.String(rawjson.Get(tool, "name")))
		text = append(text, `\"`...)
		text = rawjson.AppendEscaped(text, rawjson.AppendEscaped(nil, chat))
		text = append(text, `\"`...)
	}
	for w := rawjson.Walk(raw); w.Next(); {
		if rawjson.String(rawjson.Get(w.Value, "type")) != "namespace" {
			name("", w.Value)
			continue
		}
		namespace := rawjson.String(rawjson.Get(w.Value, "name"))
		for m := rawjson.Walk(rawjson.Get(w.Value, "tools")); m.Next(); {
			name(namespace, m.Value)
		}
	}
	return append(text, `]}`...)
}
